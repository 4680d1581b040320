"""Whatever bytes come over the wire, the web process answers or hangs up (G50)."""

import re
import socket
from random import Random

import pytest

from tests.stack import Client, Stack

pytestmark = pytest.mark.journey

API = b"/api/v1/synapse"
# No answer until then is a hang.
PATIENCE_SECONDS = 20.0
BODY = b'{"task_type": "probe_echo", "payload": {}}'
JSON = b"Content-Type: application/json"
UNKNOWN = b"01900000-0000-7000-8000-000000000000"
ADDRESSES = [
    *(API + path for path in (b"/tasks", b"/docs", b"/schema", b"/a2a/messages")),
    API + b"/task/" + UNKNOWN + b"/status",
    b"/admin/login/",
    b"/static/tasks_app/console.css",
    b"/",
]
HEADERS = [
    b"Accept: text/html;x*=foo''%ff",
    b"Accept: application/json;q=nan",
    b"Accept: " + b"a/b," * 1000,
    b"Accept-Language: " + b"a-" * 5000,
    b"Accept-Encoding: \xff;q=abc",
    b"Authorization: Basic ////",
    b"X-API-Key: \xc3\xa9\xff",
    b"X-API-Key: " + b"x" * 10_000,
    b"Cookie: =; ;;; sessionid=\xff\x80",
    b'If-None-Match: \xff"',
    b"If-Modified-Since: Mon, 99 Foo 99999 99:99:99 GMT",
    b"Range: bytes=" + b"0-0," * 1000,
    b"Idempotency-Key: \xff",
    b"Content_Type: text/html; x*=foo''%ff",
    b"Script-Name: /x",
    b"X-Forwarded-Host: \xff",
    b"Content-Length: 0, 0",
    b"Content-Length: -1",
    b"Content-Length: " + b"9" * 40,
    b"Transfer-Encoding: chunked, identity",
    b"Transfer-Encoding: gzip",
    b"Expect: 200-ok",
    b"No colon",
    b": nothing",
    b" folded",
    b"X: a\x00b",
]
CONTENT_TYPES = [
    b"application/json; charset=idna",
    b"application/json; charset=utf-7",
    b"application/json; charset=undefined",
    b"application/json; charset=unknown-8bit",
    b"application/json; charset*=foo''%ff",
    b"multipart/form-data",
    b"multipart/form-data; boundary=\xff",
    b"multipart/form-data; boundary=" + b"B" * 300,
    b"multipart/form-data; boundary*=utf-8''B",
    b"multipart/form-data; boundary=B; charset=idna",
    b"\xff",
]
TARGETS = [
    b"%00",
    b"%ff%fe",
    b"%zz",
    b"%",
    b"%ed%a0%80",
    b"%2e%2e%2f",
    b"\xff\xfe",
    b"<>`^|\\",
    b"{}[]@:;#",
    b"%0d%0aX:%20y",
    b"x" * 50_000,
    b"//[x",
    b"?" + b"a=1&" * 3000,
    b"?limit=%d9%a1&cursor=%00",
    b"?api_key=%ff&api_key=%00",
]
PARTS = [
    b"Content-Disposition: form-data; name*=foo''%E9",
    b'Content-Disposition: form-data; name="file"; filename*=a\'b',
    b'Content-Disposition: form-data; name="\xff"',
    b'Content-Disposition: form-data; name="file"; filename="\xff\x00"',
    b'Content-Disposition: form-data; name="file"; filename="x"\r\n'
    b"Content-Type: text/plain; charset*=idna''%e9",
    b'Content-Disposition: form-data; name="file"; filename="x"\r\n'
    b"Content-Transfer-Encoding: base64",
    b"X: y\r\n" * 5000,
    b"",
]


def _request(
    method: bytes, target: bytes, *headers: bytes, body: bytes = b"", host: bytes = b""
) -> bytes:
    lines = [method + b" " + target + b" HTTP/1.1", b"Connection: close"]
    lines += [b"Host: " + (host or b"localhost"), *headers]
    if body:
        lines.append(b"Content-Length: %d" % len(body))
    return b"\r\n".join([*lines, b"", body])


def _form(part: bytes, content_type: bytes) -> bytes:
    body = b"--B\r\n" + part + b"\r\n\r\nx\r\n--B--\r\n"
    kind = b"Content-Type: " + content_type
    return _request(b"POST", API + b"/task/multipart", kind, body=body)


def _odd_requests(key: bytes) -> list[bytes]:
    """Everything of above where it can stand, and some with bytes changed at random."""
    known = b"X-API-Key: " + key
    post = _request(b"POST", API + b"/task", JSON, known, body=BODY)
    form = b"multipart/form-data; boundary=B"
    paths = [API, API + b"/task/", API + b"/tasks", b"/static/", b"/admin/", b"/", b""]
    found = [
        _request(b"GET", where, known, odd) for where in ADDRESSES for odd in HEADERS
    ]
    found += [_request(b"GET", path + odd, known) for path in paths for odd in TARGETS]
    found += [
        _request(b"POST", API + path, known, b"Content-Type: " + kind, body=BODY)
        for path in (b"/task", b"/task/multipart", b"/a2a/messages")
        for kind in CONTENT_TYPES
    ]
    found += [_form(part, form) for part in PARTS]
    found += [
        _request(b"GET", API + b"/tasks", host=host)
        for host in (b"\xff", b"evil", b"[", b"a" * 5000, b"localhost:99999999", b"@")
    ]
    found += [
        _request(method, API + b"/task", known)
        for method in (b"TRACE", b"OPTIONS", b"CONNECT", b"get", b"\xff", b"A" * 5000)
    ]
    random = Random(50)  # noqa: S311 - the same bytes every time
    for _ in range(150):
        changed = bytearray(post)
        for _ in range(random.randint(1, 5)):
            changed[random.randrange(len(changed))] = random.randrange(256)
        found.append(bytes(changed))
    return found


def _exchange(port: int, sent: bytes) -> bytes:
    """What comes back until the server hangs up. It sees that nothing more comes."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS) as connection:
        pieces = []
        try:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            while piece := connection.recv(65536):
                pieces.append(piece)
        except (ConnectionResetError, BrokenPipeError):
            pass  # It may hang up in the middle of what is no HTTP.
        return b"".join(pieces)


def test_g50_it_answers_any_bytes(stack: Stack, client: Client) -> None:
    for sent in _odd_requests(client.key.encode()):
        answer = _exchange(stack.port, sent)
        status = re.match(rb"HTTP/1\.[01] ([1-5])", answer)
        assert status is None or status[1] in b"1234", (sent[:300], answer[-300:])
    client.wait_for(client.submit("probe_echo"), "completed")
