"""G50: no text, however hostile, gives anything but a value or a clear refusal."""

import json
from contextlib import suppress

import hypothesis.strategies as st
import pytest
from hypothesis import given

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.jsontext import dumps, loads

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**309) + 1, 10**309 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner)
)

MALFORMED = [
    (b"", "Expecting value: line 1 column 1."),
    (b"\xff{}", "The body is not UTF-8."),
    ('{"a":1}'.encode("utf-16"), "The body is not UTF-8."),
    (b"\xef\xbb\xbf{}", "A byte order mark is not JSON."),
    (b'{"a":"\x00"}', "Invalid control character at: line 1 column 7."),
    (b"[1] [2]", "Extra data: line 1 column 5."),
    (b"[1,", "Expecting value: line 1 column 4."),
    (b"{'a':1}", "Expecting property name enclosed in double quotes"),
    (b'"' + b'\\"' * 100_000, "Unterminated string"),
    (b"][" * 50, "Expecting value"),
]

UNSTORABLE = [
    ('{"payload":{"items":[1,2,3,{"name":"a\\u0000b"}]}}', "payload.items[3].name"),
    ('{"a":"\\ud83d"}', "a"),
    ('{"a":"\\uDE00\\uD83D"}', "a"),
    ('{"a":"\ud83d"}', "a"),
    ('["\\ud800"]', "[0]"),
    ('{"a":{"b":NaN}}', "a.b"),
    ('{"a":-Infinity}', "a"),
    ('{"a":[1,1e999]}', "a[1]"),
    ('{"a":1' + "0" * 400 + ".0}", "a"),
    ('{"a":' + "9" * 310 + "}", "a"),
    ('{"a":-' + "9" * 310 + "}", "a"),
    ('{"a":-' + "9" * 5000 + "}", "a"),
    ("NaN", ""),
]


def _refused(raw, **limits):
    with pytest.raises(SynapseError) as refused:
        loads(raw, **limits)
    return refused.value


@pytest.mark.parametrize(("raw", "message"), MALFORMED)
def test_it_refuses_what_is_not_json(raw, message):
    error = _refused(raw)
    assert error.code is Code.MALFORMED_JSON
    assert error.message.startswith(message)


@pytest.mark.parametrize(("raw", "path"), UNSTORABLE)
def test_it_names_the_value_that_cannot_be_stored(raw, path):
    error = _refused(raw)
    assert error.code is Code.UNSTORABLE_VALUE
    assert error.details == {"path": path}


@pytest.mark.parametrize("raw", [b'{"a":{"b":[{"c":1,"d":2,"c":1}]}}', b'{"":1,"":2}'])
def test_it_refuses_a_repeated_key(raw):
    error = _refused(raw)
    assert error.code is Code.MALFORMED_JSON
    assert error.message == "A key comes twice."


def test_it_names_the_repeated_key():
    error = _refused(b'{"a":{"b":[{"c":1,"d":2,"c":1}]}}')
    assert error.details == {"path": "a.b[0].c"}


@pytest.mark.parametrize("key", ["\\u0000", "\\ud800", "x" * 10_000])
def test_it_keeps_the_path_printable_and_short(key):
    path = _refused('{"' + key + '":NaN}').details["path"]
    assert len(path) <= 200
    assert json.dumps(path).encode()
    assert path.isprintable()


@pytest.mark.parametrize("deep", ["[" * 64 + "]" * 64, '{"a":' * 64 + "1" + "}" * 64])
def test_it_reads_sixty_four_levels(deep):
    assert loads(deep) == json.loads(deep)


@pytest.mark.parametrize(
    "many",
    [
        "[" + "1," * 100_000 + "1]",
        "[" + "[]," * 60_000 + "1]",
        '{"a":["\\"",' + "{}," * 60_000 + "1]}",
    ],
    ids=["numbers", "lists", "objects"],
)
def test_it_refuses_more_values_than_anybody_needs(many):
    error = _refused(many)
    assert error.code is Code.UNSTORABLE_VALUE
    assert error.message == "There are more than 100000 values."


def test_it_does_not_count_what_stands_in_texts():
    text = "[{,\\" * 100_000
    assert loads(dumps([text, '"'])) == [text, '"']


@pytest.mark.parametrize(
    "pair", ["\\ud83d\\uDE00", "\\\\ud83d", "\\\\\\ud83d\\ude00\\\\ud800"]
)
def test_it_takes_escaped_emoji_and_escaped_backslashes(pair):
    assert loads(f'["{pair}"]') == json.loads(f'["{pair}"]')


@pytest.mark.parametrize("lone", ["\\ud83d\\\\ude00", "\\ud83d\\ud83d\\ude00"])
def test_it_finds_half_an_emoji_among_whole_ones(lone):
    assert _refused(f'["{lone}"]').code is Code.UNSTORABLE_VALUE


@pytest.mark.parametrize(
    "deep",
    [
        "[" * 65 + "]" * 65,
        '{"a":' * 65 + "1" + "}" * 65,
        '[{"a":' * 33 + "1" + "}]" * 33,
        "[" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 100_000 + "1" + "}" * 100_000,
        '{"]":["}",' * 30_000,
    ],
)
def test_it_refuses_more_levels_without_breaking_the_stack(deep):
    error = _refused(deep)
    assert error.code is Code.UNSTORABLE_VALUE
    assert error.message == "Nested deeper than 64 levels."


def test_it_takes_another_limit():
    assert loads("[[]]", max_depth=2) == [[]]
    assert _refused("[[]]", max_depth=1).code is Code.UNSTORABLE_VALUE


@pytest.mark.parametrize(
    "flat",
    [
        json.dumps("[{" * 1000),
        json.dumps({'"[\\' * 100: "{[" * 100}),
        json.dumps([[], {}] * 1000),
        json.dumps(["\\", "[" * 100, '\\"[']),
    ],
)
def test_it_counts_no_brackets_inside_strings(flat):
    assert loads(flat) == json.loads(flat)


@pytest.mark.parametrize(
    "raw",
    [
        '{"emoji":"\\ud83d\\ude00"}',
        '{"text":"\\\\ud800 \\\\u0000"}',
        '{"n":' + "9" * 309 + "}",
        '{"n":-' + "9" * 309 + "}",
        '{"n":1e308,"m":-0.0,"k":9223372036854775808}',
    ],
)
def test_it_does_not_mistake_the_harmless_for_the_hostile(raw):
    assert loads(raw) == json.loads(raw)


@pytest.mark.parametrize("raw", [b"null", b'"x"', b"5", b" [ ] "])
def test_it_leaves_it_to_the_door_whether_an_object_is_needed(raw):
    assert loads(raw) == json.loads(raw)


@given(JSON)
def test_it_reads_back_what_it_wrote(value):
    assert loads(dumps(value)) == value


@given(st.binary() | st.text('[]{}",:\\u0d8 1e-NaN').map(str.encode))
def test_it_never_fails_in_another_way(raw):
    with suppress(SynapseError):
        value = loads(raw)
        assert value == json.loads(raw)


def test_it_writes_compact_utf_8():
    assert dumps({"a": [1, "é"], "b": None}) == '{"a":[1,"é"],"b":null}'.encode()


@pytest.mark.parametrize(
    "value", [float("nan"), {"a": float("inf")}, ["\ud800"], {"a": object()}, b"x"]
)
def test_it_writes_nothing_it_would_not_read(value):
    with pytest.raises(SynapseError) as refused:
        dumps(value)
    assert refused.value.code is Code.UNSTORABLE_VALUE


def test_it_does_not_write_a_cycle():
    value = []
    value.append(value)
    with pytest.raises(SynapseError, match="Nested deeper"):
        dumps(value)
