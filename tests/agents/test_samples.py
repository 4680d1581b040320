"""The sample invoices that the README tour sends."""

import runpy
import sys

from tests.agents.papers import EXAMPLES

NAMES = ["invoice-without-date.pdf", "invoice.pdf"]


def test_they_are_what_the_script_writes(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["make_sample.py", str(tmp_path)])
    runpy.run_path(str(EXAMPLES / "make_sample.py"), run_name="__main__")
    for name in NAMES:
        assert (tmp_path / name).read_bytes() == (EXAMPLES / name).read_bytes()


def test_they_are_small_and_complete():
    assert sorted(path.name for path in EXAMPLES.glob("*.pdf")) == NAMES
    assert all((EXAMPLES / name).stat().st_size < 5_000 for name in NAMES)
