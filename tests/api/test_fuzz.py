"""No input gives a 500 (G50): known tricks one by one, then whatever comes to mind."""

import json
from typing import Any
from urllib.parse import quote_from_bytes

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api.conftest import Program, Raw, Wsgi, error_of

UNKNOWN = "01900000-0000-7000-8000-000000000000"
HEAD = '{"task_type": "probe_echo", "payload": '
POSTS = ["/task", "/task/multipart", "/task/{}/cancel", "/task/{}/info"]
GETS = ["/task/{}", "/task/{}/status", "/tasks", "/capabilities", "/task/{}/files/{}"]

# What must be refused wherever JSON is read.
NOT_JSON = {
    "spaces": b" ",
    "bom": b"\xef\xbb\xbf{}",
    "utf-16": "{}".encode("utf-16"),
    "invalid utf-8": b'{"a": "\xff"}',
    "raw surrogate": b'{"a": "\xed\xa0\x80"}',
    "cut off": b'{"a": ',
    "nan": b'{"a": NaN}',
    "infinity": b'{"a": -Infinity}',
    "overflow": b'{"a": 1e999}',
    "nul": b'{"a": "\\u0000"}',
    "nul in a key": b'{"\\u0000": 1}',
    "lone surrogate": b'{"a": "\\ud800"}',
    "lone surrogate in a key": b'{"\\udfff": 1}',
    "5,000 digits": b'{"a": ' + b"9" * 5000 + b"}",
    "depth 100": b'{"a": ' + b"[" * 100 + b"]" * 100 + b"}",
    "depth 100,000": b"[" * 100_000 + b"]" * 100_000,
    "open 100,000": b'{"a":' * 100_000,
    "same key": b'{"a": 1, "a": 2}',
    "same key, inside": b'{"a": {"b": 1, "b": 1}}',
    "null": b"null",
    "array": b"[]",
    "string": b'"x"',
    "number": b"1",
    "python": b"{'a': 1}",
    "control": b'{"a": "\x01"}',
    "comment": b"{} // x",
    "two": b"{}{}",
    "1 MB of nothing": b" " * 1_100_000,
}


@pytest.mark.parametrize("body", NOT_JSON.values(), ids=NOT_JSON)
@pytest.mark.parametrize("path", ["/task", "/task/{}/info"])
def test_it_refuses_bad_json_everywhere_g50(
    program: Program, asking: str, path: str, body: bytes
) -> None:
    response = program.send("POST", path.format(asking), body)
    assert error_of(response, response.status_code)["code"] in (1010, 1011, 1016, 1018)
    assert 400 <= response.status_code < 500


@pytest.mark.parametrize("body", NOT_JSON.values(), ids=NOT_JSON)
def test_it_refuses_bad_json_inside_a_payload_g50(
    program: Program, body: bytes
) -> None:
    response = program.send("POST", "/task", HEAD.encode() + body + b"}")
    assert 400 <= response.status_code < 500
    error_of(response, response.status_code)


@pytest.mark.parametrize("body", NOT_JSON.values(), ids=NOT_JSON)
def test_it_refuses_bad_json_in_a_cancel_g50(program: Program, body: bytes) -> None:
    task_id = program.submit()
    response = program.send("POST", f"/task/{task_id}/cancel", body)
    error_of(response, response.status_code)
    assert program.task(task_id)["status"] == "received"


@pytest.mark.parametrize(
    "payload",
    [
        {"n": 2**63},
        {"n": -(2**64)},
        {"n": 1e308},
        {"n": 5e-324},
        {"n": -0.0},
        {"a": "\U0001f600\u202e\x7f"},
        {"": {"": ""}},
        {"a" * 10_000: "x" * 100_000},
        {f"k{n}": n for n in range(50_000)},
        {"list": [None] * 90_000},
        {"__proto__": 1, "$ref": "#", "constructor": {}},
    ],
    ids=lambda payload: next(iter(payload))[:10],
)
def test_it_takes_what_is_only_unusual_g50(program: Program, payload: Any) -> None:
    task_id = program.submit(payload=payload)
    assert program.get(f"/task/{task_id}").status_code == 200


def test_it_names_the_place_of_a_value_that_cannot_be_stored_g50(
    program: Program,
) -> None:
    body = HEAD + '{"items": [{"name": "\\u0000"}]}}'
    error = error_of(program.send("POST", "/task", body), 400)
    assert error["details"] == {"path": "payload.items[0].name"}


@pytest.mark.parametrize("length", ["", "x", "-1", "1e3", "9" * 30, " 5"])
def test_it_survives_odd_lengths_g50(wsgi: Wsgi, length: str) -> None:
    response = wsgi("/task", b"{}", CONTENT_LENGTH=length)
    assert 400 <= response.status_code < 500
    error_of(response, response.status_code)


def test_it_needs_a_body_g50(wsgi: Wsgi) -> None:
    assert error_of(wsgi("/task", b""), 400)["code"] == 1010


def test_it_takes_a_body_without_a_length_g50(wsgi: Wsgi) -> None:
    body = (HEAD + "{}}").encode()
    chunked = {"HTTP_TRANSFER_ENCODING": "chunked"}
    assert wsgi("/task", body, length=False, **chunked).status_code == 202
    assert (
        wsgi("/task", body, length=False, **{"wsgi.input_terminated": True}).status_code
        == 202
    )
    large = wsgi("/task", b" " * 1_100_000, length=False, **chunked)
    assert error_of(large, 413)["code"] == 1016


def test_it_refuses_a_body_that_was_cut_off_g50(wsgi: Wsgi) -> None:
    body = (HEAD + "{}}").encode()
    response = wsgi("/task", body, CONTENT_LENGTH=str(len(body) + 1))
    assert error_of(response, 400)["message"] == "The body ended too early."


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json; charset=rot13",
        "application/json; charset=utf-16",
        "application/json; charset=\x00",
        "application/json; charset*=foo''x",
        "application/json; a=b; charset=hex",
        "application/json;" * 500,
        "\x00",
        ";",
        "é",
    ],
)
def test_it_survives_odd_content_types_g50(wsgi: Wsgi, content_type: str) -> None:
    for path, method in (("/task", "POST"), ("/tasks", "GET")):
        response = wsgi(
            path,
            b"{}",
            REQUEST_METHOD=method,
            CONTENT_TYPE=content_type,
            QUERY_STRING="limit=1",
        )
        assert response.status_code == (415 if method == "POST" else 200)


# -- whatever comes to mind -------------------------------------------------------
Text = st.text(max_size=30)
Json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | Text,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(Text, inner, max_size=4)
    ),
    max_leaves=12,
)
FIELDS = [
    "task_type",
    "payload",
    "external_task_id",
    "priority",
    "callback_token",
    "callback_events",
    "provided_info",
    "version",
    "reason",
]
Bodies = (
    st.binary(max_size=80)
    | Json.map(lambda value: json.dumps(value).encode())
    | st.dictionaries(st.sampled_from(FIELDS), Json).map(
        lambda value: json.dumps(value).encode()
    )
    | Json.map(lambda value: f"{HEAD}{json.dumps(value)}}}".encode())
)
Parts = st.lists(st.binary(max_size=40), max_size=5).map(
    lambda parts: b"--b\r\n".join([b"", *parts]) + b"--b--"
)
Names = st.sampled_from(
    ["limit", "offset", "cursor", "status", "created_after", "task_type", "priority"]
)
Query = st.lists(st.tuples(Names | Text, st.binary(max_size=20)), max_size=4).map(
    lambda pairs: "&".join(
        f"{quote_from_bytes(name.encode('utf-8', 'replace'))}={quote_from_bytes(value)}"
        for name, value in pairs
    )
)
Types = st.sampled_from(
    ["application/json", "multipart/form-data; boundary=b", "text/plain", "", "x; y=z"]
)
Id = st.sampled_from([UNKNOWN, "x"]) | st.binary(max_size=12).map(
    lambda raw: raw.decode("latin-1").replace("/", "")
)

# What a header can hold that somebody, somewhere, tries to read.
ODD_VALUES = [
    "",
    "\xff\xfe",
    "%ff%00",
    "text/html;x*=foo''%ff",
    "a/b;c*=idna''%ff",
    "a/b;c*=undefined''x",
    "a/b;c*=hex''x",
    "a/b;c*0=x;c*1*=y",
    "=?utf-8?b?////?=",
    " ;;;,,,/*",
    "*/*;q=",
    "application/json;q=nan",
    "a/b," * 3000,
    ";" * 5000,
    '"' * 5000,
    "x" * 20_000,
    "\x01",
    "-1",
    "9" * 40,
    "bytes=0-0," * 500,
    'W/"',
    '"a",' * 2000,
    "Basic ////",
    "Bearer " + "x" * 5000,
    "=; ;;;",
    "a=b; " * 2000,
    "sessionid=\xff;csrftoken=\x80",
    "multipart/form-data",
    "multipart/form-data; boundary=",
    "multipart/form-data; boundary=" + "b" * 300,
    "multipart/form-data; boundary=\xff",
    "multipart/form-data; boundary*=utf-8''x",
    "multipart/form-data; boundary=a; charset=idna",
    "application/json; charset=idna",
    "application/json; charset=utf-7",
    "application/json; charset=undefined",
    "application/json; charset=unknown-8bit",
    "application/json; charset=punycode",
    'application/json; charset="utf-8',
]
HEADERS = [
    "CONTENT_TYPE",
    "CONTENT_LENGTH",
    *(
        f"HTTP_{name}"
        for name in (
            *("ACCEPT", "ACCEPT_LANGUAGE", "ACCEPT_ENCODING", "ACCEPT_CHARSET"),
            *("AUTHORIZATION", "X_API_KEY", "IDEMPOTENCY_KEY", "COOKIE", "HOST"),
            *("IF_MATCH", "IF_NONE_MATCH", "IF_MODIFIED_SINCE", "IF_RANGE", "RANGE"),
            *("CONTENT_ENCODING", "TRANSFER_ENCODING", "EXPECT", "X_FORWARDED_HOST"),
            *("X_FORWARDED_PROTO", "ORIGIN", "REFERER", "X_HTTP_METHOD_OVERRIDE"),
            *("WEBHOOK_ID", "WEBHOOK_TIMESTAMP", "WEBHOOK_SIGNATURE"),
            *("X_SYNAPSE_AGENT", "TRACEPARENT"),
        )
    ),
]
HEADED = [
    ("POST", "/task", (HEAD + "{}}").encode()),
    ("POST", "/task/multipart", b"--b\r\n\r\n\r\n--b--"),
    ("GET", "/tasks", b""),
    ("GET", f"/task/{UNKNOWN}/status", b""),
    ("GET", "/docs", b""),
    ("GET", "/schema", b""),
    ("OPTIONS", "/docs", b""),
    ("POST", "/a2a/messages", b"{}"),
    ("GET", "/a2a/messages", b""),
]

fuzzed = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def _sane(response: Raw) -> None:
    assert response.status_code < 500, response
    if response.status_code >= 400 and b"p2p:nack" not in response.content:
        error_of(response, response.status_code)


@fuzzed
@given(path=st.sampled_from(POSTS), task_id=Id, body=Bodies | Parts, kind=Types)
def test_it_answers_any_post_g50(
    wsgi: Wsgi, path: str, task_id: str, body: bytes, kind: str
) -> None:
    _sane(wsgi(path.replace("{}", task_id), body, CONTENT_TYPE=kind))


@fuzzed
@given(
    path=st.sampled_from(GETS),
    task_id=Id,
    query=Query | st.binary(max_size=20).map(lambda raw: raw.decode("latin-1")),
    method=st.sampled_from(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "é"]),
)
def test_it_answers_any_read_g50(
    wsgi: Wsgi, path: str, task_id: str, query: str, method: str
) -> None:
    full = path.replace("{}", task_id)
    _sane(wsgi(full, REQUEST_METHOD=method, QUERY_STRING=query))


@fuzzed
@given(
    name=st.sampled_from(HEADERS),
    value=st.sampled_from(ODD_VALUES)
    | st.binary(max_size=40).map(lambda raw: raw.decode("latin-1")),
)
def test_it_answers_any_header_g50(wsgi: Wsgi, name: str, value: str) -> None:
    for method, path, body in HEADED:
        content = {"REQUEST_METHOD": method, name: value}
        _sane(wsgi(path, body, **content))


@pytest.mark.parametrize("name", HEADERS)
def test_it_answers_odd_headers_behind_any_server_g50(
    program: Program, name: str
) -> None:
    """Django's own client passes by what stands in front of Django."""
    header = name.removeprefix("HTTP_")
    for value in ODD_VALUES:
        for method, path, body in HEADED:
            if name not in ("CONTENT_TYPE", "CONTENT_LENGTH"):
                _sane(program.send(method, path, body, **{header: value}))


@fuzzed
@given(info=Json)
def test_it_answers_any_information_g50(
    program: Program, asking: str, info: object
) -> None:
    response = program.post(f"/task/{asking}/info", {"provided_info": info})
    _sane(response)
