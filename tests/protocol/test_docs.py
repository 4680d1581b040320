"""docs/protocol.md says what the code does."""

from pathlib import Path

from agents_app.protocol.describe import TABLES, fill

PAGE = Path(__file__).parents[2] / "docs" / "protocol.md"


def test_it_shows_the_tables_the_code_renders():
    text = PAGE.read_text("utf-8")
    assert fill(text) == text, (
        "run: python -m agents_app.protocol.describe docs/protocol.md"
    )


def test_it_shows_every_table():
    text = PAGE.read_text("utf-8")
    assert all(f"<!-- table: {name} -->" in text for name in TABLES)


def test_it_would_notice_a_stale_table():
    stale = "<!-- table: states -->\n| old |\n<!-- end -->\n"
    assert "human_deciding" in fill(stale)
    assert "old" not in fill(stale)
