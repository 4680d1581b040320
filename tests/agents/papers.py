"""Small PDFs made for one test."""

import hashlib
import runpy
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples" / "invoices"
_write = runpy.run_path(str(EXAMPLES / "make_sample.py"))["pdf"]


def pdf(*lines):
    return _write(lines)


def locked_pdf():
    """Encrypted with a password that nobody knows, the empty one included."""
    odd = hashlib.sha256(b"odd").hexdigest()
    encrypt = f"/Encrypt << /Filter /Standard /V 1 /R 2 /O <{odd}> /U <{odd}> /P -4 >>"
    named = f"/ID [<{odd[:32]}> <{odd[:32]}>]"
    return pdf("secret").replace(b"/Root", f"{encrypt} {named} /Root".encode())
