"""Times and JSON in words."""

from datetime import UTC, datetime, timedelta

import pytest

from tasks_app.admin.tree import MAX_CHARACTERS, label_of, one_line, tree
from tasks_app.admin.when import due, milliseconds, span, stamp, to_the_millisecond

NOW = datetime(2024, 5, 31, 14, 3, 7, 120_900, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "0 s"),
        (0.9, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (119, "1 min"),
        (3600, "1 h"),
        (12_000, "3 h 20 min"),
        (86_399, "23 h 59 min"),
        (100_000, "1 d 3 h"),
    ],
)
def test_it_tells_a_span_by_its_two_largest_units(seconds, text) -> None:
    assert span(timedelta(seconds=seconds)) == text


@pytest.mark.parametrize(
    ("seconds", "text", "mood"),
    [
        (-60, "1 min late", "late"),
        (0, "0 s late", "late"),
        (3599, "in 59 min", "soon"),
        (3600, "in 1 h", "calm"),
    ],
)
def test_it_tells_a_deadline_from_now(seconds, text, mood) -> None:
    left = due(NOW + timedelta(seconds=seconds), NOW)
    assert (left.text, left.mood) == (text, mood)


def test_it_tells_short_runs_to_the_millisecond() -> None:
    assert milliseconds(timedelta(seconds=1.2041)) == "1.204 s"
    assert milliseconds(timedelta(seconds=61)) == "1 min"


def test_it_writes_moments_in_utc() -> None:
    assert stamp(NOW) == "2024-05-31 14:03 UTC"
    assert to_the_millisecond(NOW) == "2024-05-31 14:03:07.120 UTC"


@pytest.mark.parametrize(
    ("key", "label"),
    [("invoice_number", "Invoice number"), ("VAT", "VAT"), ("_", "_"), ("", "")],
)
def test_it_makes_labels_of_keys(key, label) -> None:
    assert label_of(key) == label


def test_it_makes_a_tree_of_json() -> None:
    root = tree({"a": {"b": [True, None, 1.5]}, "c": "x"})
    first, second = root.children
    items = first.children[0].children
    assert [item.kind for item in items] == ["boolean", "null", "number"]
    assert [item.text for item in items] == ["yes", "none", "1.5"]
    assert [item.key for item in items] == ["1", "2", "3"]
    assert (second.kind, second.text) == ("text", "x")


def test_it_leaves_out_what_is_too_much() -> None:
    wide = tree({str(n): n for n in range(10)}, max_nodes=4)
    assert [child.kind for child in wide.children] == ["number"] * 3 + ["cut"]
    long = tree("x" * (MAX_CHARACTERS + 1))
    assert long.text.endswith("… (20001 characters in all)")


def test_it_puts_any_value_on_one_line() -> None:
    assert one_line("a\n\tb") == "a b"
    assert one_line({"ü": [1]}) == '{"ü": [1]}'
    assert one_line("x" * 200) == "x" * 139 + "…"
