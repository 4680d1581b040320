"""Names to addresses within a time limit, which the system resolver does not offer."""

import socket
from concurrent.futures import Future
from ipaddress import ip_address
from threading import Thread

from agents_app.outbound.addresses import Address

Addresses = tuple[Address, ...]


class Unresolved(Exception):
    """The name has no address, or DNS gave no answer in time."""


def look_up(host: str, port: int, *, within: float) -> Addresses:
    """All addresses of `host`, in the order to try them; waits `within` seconds.

    A lookup that is late goes on in its daemon thread until the system gives it up, so
    it can hold up neither the caller nor the end of the process.
    """
    answer: Future[Addresses] = Future()
    Thread(target=_answer, args=(answer, host, port), daemon=True).start()
    try:
        return answer.result(timeout=within)
    except (OSError, UnicodeError) as error:  # TimeoutError is an OSError too.
        raise Unresolved from error


def _answer(answer: Future[Addresses], host: str, port: int) -> None:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        answer.set_exception(error)
    else:
        answer.set_result(tuple(dict.fromkeys(ip_address(row[4][0]) for row in found)))
