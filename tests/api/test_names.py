"""Names that can be shown, saved and sent in a header (G57)."""

import pytest
from django.utils.http import content_disposition_header
from hypothesis import given
from hypothesis import strategies as st

from tasks_app.api.names import harmless


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a.pdf", "a.pdf"),
        ("", "file"),
        (".", "file"),
        ("..", "file"),
        ("/", "file"),
        ("\x00\x01", "file"),
        ("a/b\\c.txt", "c.txt"),
        ("a\r\nSet-Cookie: x=1", "a Set-Cookie_ x=1"),
        ("\u202ea\u200b.txt", "a.txt"),
        ("  a .txt  ", "a .txt"),
        ("e\u0301.txt", "\u00e9.txt"),
        ("x" * 300, "x" * 255),
        ("x." + "y" * 300, "x." + "y" * 253),
        ("x" * 300 + ".pdf", "x" * 251 + ".pdf"),
        ("\ud800.txt", "txt"),
    ],
)
def test_it_keeps_what_is_harmless(name: str, shown: str) -> None:
    assert harmless(name) == shown


@given(st.text(max_size=600))
def test_it_makes_any_text_a_name(text: str) -> None:
    name = harmless(text)
    assert 0 < len(name) <= 255
    assert name.isprintable()
    assert not set(name) & set('/\\<>:"|?*')
    assert not name.startswith(".")
    content_disposition_header(True, name).encode("latin-1")


@given(st.text(max_size=600))
def test_it_changes_a_harmless_name_no_more(text: str) -> None:
    once = harmless(text)
    assert harmless(once) == once
