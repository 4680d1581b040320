"""Values that never were JSON text: form fields, results of handlers."""

import datetime
import sys

import pytest

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.jsontext import check_storable


def _deep(levels):
    value = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [None, True, 0, -1.5, "日本 😀", {"a": [1, {"b": ()}]}, 10**309 - 1, _deep(64)],
)
def test_it_accepts_json_values(value):
    check_storable(value)


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"items": [{"name": "a\0"}]}, "result.items[0].name"),
        ({"a": float("nan")}, "result.a"),
        ({"a": 10**309}, "result.a"),
        ({"a": -(10**309)}, "result.a"),
        ({"a": datetime.date(2025, 1, 1)}, "result.a"),
        ({"a": {1, 2}}, "result.a"),
        ({"a": {3: "x"}}, "result.a"),
        ({"a": {"\ud800": 1}}, "result.a"),
        (b"bytes", "result"),
        ("\udfff", "result"),
    ],
)
def test_it_names_where_the_trouble_is(value, path):
    with pytest.raises(SynapseError) as refused:
        check_storable(value, "result")
    assert refused.value.code is Code.UNSTORABLE_VALUE
    assert refused.value.details == {"path": path}


def test_it_accepts_what_jsonb_makes_of_the_largest_float():
    check_storable(int(sys.float_info.max))
    check_storable(int(-sys.float_info.max))


def test_it_reports_the_first_trouble_in_document_order():
    value = {"a": [1, {"b": "\0"}], "c": "\0"}
    with pytest.raises(SynapseError) as refused:
        check_storable(value)
    assert refused.value.details == {"path": "a[1].b"}


@pytest.mark.parametrize("levels", [65, 100_000])
def test_it_limits_depth_without_recursion(levels):
    with pytest.raises(SynapseError, match="Nested deeper than 64 levels"):
        check_storable(_deep(levels))


def test_it_ends_on_a_cycle():
    value = {}
    value["me"] = value
    with pytest.raises(SynapseError, match="Nested deeper"):
        check_storable(value)


def test_it_refuses_more_values_than_a_peer_would_read():
    with pytest.raises(SynapseError) as refused:
        check_storable({"a": [0] * 100_000}, "result")
    assert refused.value.message == "There are more than 100000 values."


def test_it_cuts_a_path_of_huge_keys():
    with pytest.raises(SynapseError) as refused:
        check_storable({"k" * 1_000_000: {"a": "\0"}})
    assert len(str(refused.value.details["path"])) == 200
