"""What `make run` shows before the services start: where to go and how to get in."""

import shlex
from pathlib import Path

from synapse_site.launch.access import Standing

API = "/api/v1/synapse"
SAMPLE = Path(__file__).resolve().parents[2] / "examples/invoices/invoice.pdf"


def text(url: str, data_dir: Path, standing: Standing | None) -> str:
    """The whole notice, ending in one curl line that works as pasted."""
    rows = [
        ("Admin", f"{url}/admin/"),
        ("API docs", f"{url}{API}/docs"),
        ("Data", str(data_dir)),
        *_access_rows(standing),
    ]
    lines = ["", "Synapse", *(f"  {name:<9} {value}" for name, value in rows)]
    if standing and standing.key_holds:
        lines += ["", "Submit the sample invoice:", _curl(url, standing.access.api_key)]
    return "\n".join([*lines, "", "Ctrl-C stops everything.", ""])


def _access_rows(standing: Standing | None) -> list[tuple[str, str]]:
    if standing is None:
        return [
            ("Operator", "as you made it; new: python manage.py createsuperuser"),
            ("API key", "as you made it; new: python manage.py create_caller NAME"),
        ]
    access = standing.access
    password = access.password if standing.password_holds else "(changed since)"
    key = access.api_key if standing.key_holds else "(revoked since)"
    return [
        ("Operator", access.operator),
        ("Password", password),
        ("API key", f"{key}  (caller: {access.caller})"),
    ]


def _curl(url: str, api_key: str) -> str:
    words = ["curl", "-sS", "-H", f"X-API-Key: {api_key}"]
    words += ["-F", "task_type=invoice_approval", "-F", "payload={}"]
    words += ["-F", f"file=@{SAMPLE}", f"{url}{API}/task/multipart"]
    return f"  {shlex.join(words)}"
