"""What stands on both sides of the edge: granian (RSGI 1.6, as far as used), WSGI."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

Headers = Sequence[tuple[str, str]]
Application = Callable[..., Any]  # Any: WSGI; typeshed's type knows no extra methods.


class Pending(Protocol):
    """Bytes that will come. It calls back in one of the threads of the pool."""

    def add_done_callback(self, callback: Callable[[Any], None], /) -> None:
        """Any: with this object."""

    def cancel(self) -> bool:
        """Give up waiting. It calls back at once, in this thread."""

    def cancelled(self) -> bool: ...

    def result(self) -> bytes:
        """RSGIProtocolClosed when the client left."""


class RequestHeaders(Protocol):
    def __contains__(self, name: str, /) -> bool: ...

    def keys(self) -> list[str]: ...

    def get(self, name: str, default: str, /) -> str: ...

    def get_all(self, name: str, /) -> list[str]:
        """Without values that are not ASCII."""


class Scope(Protocol):
    """The head of a request."""

    http_version: str
    server: str
    client: str
    scheme: str
    method: str
    path: str
    query_string: str
    authority: str | None
    headers: RequestHeaders


class Exchange(Protocol):
    """The body of a request, whole or in pieces, and the way back."""

    def __call__(self) -> Pending: ...

    def __aiter__(self) -> "Exchange": ...

    def __anext__(self) -> Pending:
        """StopAsyncIteration behind the last piece, which is empty.

        So are what stands for trailers and for an error of the body.
        """

    def response_empty(self, status: int, headers: Headers, /) -> None: ...

    def response_bytes(self, status: int, headers: Headers, body: bytes, /) -> None: ...

    def response_file(self, status: int, headers: Headers, path: str, /) -> None: ...


class Watcher(Protocol):
    """One request."""

    scope: Scope
    proto: Exchange

    def done(self) -> None:
        """Let go of the body; 500 if nothing was answered."""

    def err(self, error: BaseException, /) -> None:
        """The same, and log it."""
