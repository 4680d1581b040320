"""What the application behind the edge gets to see of a request."""

import hashlib
import socket
from collections.abc import Iterator

import pytest

from synapse_site.edge.environ import ASKED_BEFORE
from tests.site.edge_app import MOST, Served, answer_on, head, is_closed

CHUNKED = "Transfer-Encoding: chunked"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(tmp_path_factory.mktemp("edge")).running() as served:
        yield served


@pytest.mark.parametrize("size", [0, 1, 65_536, 65_537, MOST])
def test_it_hands_over_bodies_of_any_size(served: Served, size: int) -> None:
    body = bytes(range(256)) * (size // 256 + 1)
    said = served.says(head("/", f"Content-Length: {size}") + body[:size])
    assert said["size"] == size
    assert said["sha256"] == hashlib.sha256(body[:size]).hexdigest()
    assert said["environ"]["CONTENT_LENGTH"] == str(size)


def test_it_gives_a_body_in_chunks_its_length(served: Served) -> None:
    body = b"3\r\nabc\r\n186A0;a=b\r\n" + b"x" * 100_000 + b"\r\n0\r\n\r\n"
    said = served.says(head("/", CHUNKED) + body)
    assert (said["size"], said["environ"]["CONTENT_LENGTH"]) == (100_003, "100003")


def test_it_waits_for_a_body_in_two_pieces(served: Served) -> None:
    with served.send(head("/", "Content-Length: 2") + b"a") as connection:
        connection.sendall(b"b")
        assert b'"size": 2' in answer_on(connection)


@pytest.mark.parametrize("length", [10, 100_000])
def test_it_refuses_a_body_that_ends_too_early_g50(served: Served, length: int) -> None:
    with served.send(head("/", f"Content-Length: {length}") + b"abc") as connection:
        connection.shutdown(socket.SHUT_WR)
        assert answer_on(connection).startswith(b"HTTP/1.1 400 ")


@pytest.mark.parametrize("length", [3, 100_000])
@pytest.mark.parametrize(
    "rest",
    [
        b"",
        b"0\r\n",
        b"zz\r\nrubbish\r\n",
        b"10\r\nabc",
        b"3\r\nabcdef",
    ],
)
def test_it_refuses_chunks_without_their_end_g50(
    served: Served, length: int, rest: bytes
) -> None:
    chunk = b"%x\r\n" % length + b"x" * length + b"\r\n"
    with served.send(head("/", CHUNKED) + chunk + rest) as connection:
        connection.shutdown(socket.SHUT_WR)
        assert answer_on(connection).startswith(b"HTTP/1.1 400 ")
        assert is_closed(connection)


@pytest.mark.parametrize("sent", [b"zz\r\n", b"1\r\na\r\n0\r\nTrailer: a\r\n\r\n"])
def test_it_refuses_rubbish_and_trailers_g50(served: Served, sent: bytes) -> None:
    with served.send(head("/", CHUNKED) + sent) as connection:
        assert answer_on(connection).startswith(b"HTTP/1.1 400 ")


def test_it_takes_no_chunk_for_a_body(served: Served) -> None:
    said = served.says(head("/", CHUNKED) + b"0\r\n\r\n")
    assert (said["size"], said["environ"]["CONTENT_LENGTH"]) == (0, "0")


def test_it_keeps_the_connection_for_the_next_request(served: Served) -> None:
    with served.connect() as connection:
        for size in (1, 100_000, 2):
            body = b"x" * size
            connection.sendall(head("/", f"Content-Length: {size}") + body)
            assert b'"size": %d,' % size in answer_on(connection)


def test_it_refuses_a_large_body_before_it_comes_g59(served: Served) -> None:
    with served.send(head("/", f"Content-Length: {MOST + 1}")) as connection:
        assert answer_on(connection).startswith(b"HTTP/1.1 413 ")
        assert is_closed(connection)


@pytest.mark.parametrize("path", ["/", "/exact"])
def test_it_stops_reading_a_body_that_grows_too_large_g59(
    served: Served, path: str
) -> None:
    chunk = b"%x\r\n" % (MOST + 1) + b"x" * (MOST + 1)
    with served.send(head(path, CHUNKED) + chunk) as connection:
        assert answer_on(connection).startswith(b"HTTP/1.1 413 ")
        assert is_closed(connection)


@pytest.mark.parametrize("length", [100_000, MOST + 1])
def test_it_asks_for_no_body_that_is_not_wanted_g59(
    served: Served, length: int
) -> None:
    """A refusal by the head, as of a wrong key, needs no body."""
    with served.send(head("/closed", f"Content-Length: {length}")) as connection:
        assert answer_on(connection).startswith(b"HTTP/1.1 401 ")
        assert is_closed(connection)


def test_it_asks_for_no_chunks_that_are_not_wanted_g59(served: Served) -> None:
    with served.send(head("/closed", CHUNKED)) as connection:
        assert answer_on(connection).startswith(b"HTTP/1.1 401 ")


def test_it_says_when_it_asks_for_the_second_time(served: Served) -> None:
    for size, again in ((65_536, False), (65_537, True)):
        said = served.says(head("/", f"Content-Length: {size}") + b"x" * size)
        assert (ASKED_BEFORE in said["environ"]) == again


def test_it_passes_headers_on(served: Served) -> None:
    headers = ["Cookie: a=1", "Cookie: b=2", "X-Two: 1", "X-Two: 2", "X_Two: 3"]
    request = head("/p%C3%A9%20th?q=%C3%A9", *headers, method="GET")
    environ = served.says(request)["environ"]
    assert environ["HTTP_COOKIE"] == "a=1;b=2"
    assert environ["HTTP_X_TWO"] == "1,2"
    assert environ["PATH_INFO"].encode("latin-1").decode() == "/pé th"
    assert (environ["QUERY_STRING"], environ["HTTP_HOST"]) == ("q=%C3%A9", "a")
    assert (environ["REMOTE_ADDR"], environ["SERVER_NAME"]) == ("127.0.0.1",) * 2
    assert environ["SERVER_PORT"] == str(served.port)


def test_it_shows_a_header_that_is_not_ascii_as_empty(served: Served) -> None:
    request = head("/", "X-Odd: \xe9", method="GET")
    assert served.says(request)["environ"]["HTTP_X_ODD"] == ""


def test_it_answers_500_when_the_application_fails(served: Served) -> None:
    for request in (
        head("/fails", method="GET"),
        head("/fails", "Content-Length: 1") + b"x",
        head("/fails", "Content-Length: 100000") + b"x" * 100_000,
    ):
        assert served.ask(request).startswith(b"HTTP/1.1 500 ")


def test_it_sends_a_head_without_its_body(served: Served) -> None:
    answer = served.ask(head("/file", "Connection: close", method="HEAD"))
    top, _, body = answer.partition(b"\r\n\r\n")
    assert b"content-length: 20000000" in top.lower()
    assert body == b""
