"""The load generator: a few keep-alive connections in one cheap process.

Run as `python -m bench.load`, a `Load` as JSON on standard input, a `Sample` as JSON
on standard output. Raw sockets and as little parsing as possible, so that on a machine
with two cores the server is what is measured. Loopback only, bounded in every way.
"""

import json
import selectors
import socket
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Self

MAX_CONNECTIONS = 64
MAX_SECONDS = 60.0
SILENCE_SECONDS = 30.0


@dataclass(frozen=True, kw_only=True)
class Load:
    """Requests to send; `{n}` in a header becomes the number of the request."""

    port: int
    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    connections: int = 32
    seconds: float = 4.0
    # The number of the first request.
    first: int = 0

    def request(self) -> tuple[bytes, bytes]:
        """The bytes before and after the number, or all and nothing."""
        lines = [f"{self.method} {self.path} HTTP/1.1", "Host: 127.0.0.1"]
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        if self.body:
            lines += ["Content-Type: application/json"]
            lines += [f"Content-Length: {len(self.body.encode())}"]
        head, _, tail = "\r\n".join([*lines, "", self.body]).partition("{n}")
        return head.encode(), tail.encode()


@dataclass(frozen=True, kw_only=True)
class Sample:
    """What came back. Times in milliseconds."""

    answers: int
    seconds: float
    p50: float
    p99: float
    statuses: dict[str, int]
    refusal: str = ""

    @property
    def rate(self) -> float:
        return self.answers / self.seconds


def send(load: Load) -> Sample:
    """Run the generator in a process of its own; every answer must be a 2xx."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.load"],
        input=json.dumps(asdict(load)),
        capture_output=True,
        text=True,
        check=False,
        timeout=MAX_SECONDS + SILENCE_SECONDS,
    )
    if done.returncode:
        raise RuntimeError(f"the load generator failed: {done.stderr[-1000:]}")
    sample = Sample(**json.loads(done.stdout))
    if sample.refusal:
        raise RuntimeError(f"{load.path}: {sample.statuses} {sample.refusal}")
    return sample


class Connection:
    """One keep-alive connection with one request in flight."""

    def __init__(self, load: Load) -> None:
        self.head, self.tail = load.request()
        self.socket = socket.create_connection(("127.0.0.1", load.port), timeout=10)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.answer = b""
        self.sent_at = 0.0

    def send(self, number: int) -> Self:
        middle = b"%020d" % number if self.tail else b""
        self.answer = b""
        self.sent_at = time.perf_counter()
        self.socket.sendall(self.head + middle + self.tail)
        return self

    def complete(self) -> bool:
        """Read what is there; whether the answer is whole now."""
        chunk = self.socket.recv(65536)
        if not chunk:
            raise ConnectionError(f"closed after {self.answer[:200]!r}")
        self.answer += chunk
        head, gap, body = self.answer.partition(b"\r\n\r\n")
        if not gap:
            return False
        _, named, rest = head.lower().partition(b"\r\ncontent-length:")
        if named:
            return len(body) >= int(rest.partition(b"\r\n")[0])
        return body.endswith(b"0\r\n\r\n")


def run(load: Load) -> Sample:
    assert load.connections <= MAX_CONNECTIONS
    assert load.seconds <= MAX_SECONDS
    selector = selectors.DefaultSelector()
    took: list[float] = []
    statuses: Counter[str] = Counter()
    refusal = ""
    connections = [Connection(load) for _ in range(load.connections)]
    began = time.perf_counter()
    until = began + load.seconds
    for number, connection in enumerate(connections):
        selector.register(connection.socket, selectors.EVENT_READ, connection)
        connection.send(load.first + number)
    while selector.get_map():
        for key, _ in selector.select(SILENCE_SECONDS) or _silent():
            connection = key.data
            if not connection.complete():
                continue
            now = time.perf_counter()
            took.append(now - connection.sent_at)
            status = connection.answer[9:12].decode()
            statuses[status] += 1
            if not status.startswith("2"):
                refusal = connection.answer.decode(errors="replace")[-500:]
            if now < until:
                connection.send(load.first + len(took) + load.connections)
            else:
                selector.unregister(connection.socket)
                connection.socket.close()
    ended = time.perf_counter()
    cuts = statistics.quantiles(took, n=100)
    return Sample(
        answers=len(took),
        seconds=ended - began,
        p50=cuts[49] * 1000,
        p99=cuts[98] * 1000,
        statuses=dict(statuses),
        refusal=refusal,
    )


def _silent() -> list[tuple[selectors.SelectorKey, int]]:
    raise TimeoutError(f"no answer for {SILENCE_SECONDS} s")


if __name__ == "__main__":
    json.dump(asdict(run(Load(**json.load(sys.stdin)))), sys.stdout)
