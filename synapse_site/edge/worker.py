"""The process that granian starts for us: its RSGI worker without an event loop.

granian's own RSGI worker carries a request to an asyncio loop, the loop would carry it
to a thread where Django may block, and a body makes the way twice. Here the pool that
granian has for WSGI gets the requests of RSGI, each when there is something to do.

This is the only file that knows insides of granian. They are those of the version that
requirements.txt names; tests/site/test_edge_*.py show whether another one fits.
"""

import signal
import threading
import time
from collections.abc import Callable
from typing import Any

from granian._granian import CallbackScheduler, RSGIWorker, WorkerSignal
from granian.constants import RuntimeModes
from granian.server.common import WORKERS_METHODS
from granian.server.mp import WorkerProcess

from synapse_site.edge.edge import Edge
from synapse_site.edge.readers import Readers

TICK_SECONDS = 0.5
LOOK_EVERY = 4
# How long requests that are not complete, and answers not taken, may hold up a stop.
STOP_SECONDS = 2.0


class _Here:
    """Stands for the event loop: what is to be called soon is called here and now."""

    def call_soon(self, call: Callable[[Any], None], what: Any, **_: object) -> None:
        call(what)

    call_soon_threadsafe = call_soon


class _Scheduler(CallbackScheduler):
    def __init__(self, *_: object) -> None:
        super().__init__()


@WorkerProcess.wrap_target  # type: ignore[untyped-decorator] # as granian's own do
def work(
    worker_id: int,
    edge: Edge,
    sock: Any,
    ipc: object,
    loop: object,
    runtime_mode: RuntimeModes,
    runtime_threads: int,
    runtime_blocking_threads: int,
    blocking_threads: int,
    blocking_threads_idle_timeout: int,
    backpressure: int,
    task_impl: object,
    http_mode: str,
    http1_settings: object,
    http2_settings: object,
    websockets: bool,
    static_path: object,
    log_access_format: object,
    ssl_settings: tuple[Any, ...],
    scope_settings: object,
    metrics: object,
    *,
    port: int,
) -> None:
    """The parameters are those of granian's `_spawn_rsgi_worker`, and our port."""
    here = _Here()
    make: Any = RSGIWorker  # Its stub is of an older version.
    worker = make(
        worker_id,
        sock,
        ipc,
        runtime_threads,
        runtime_blocking_threads,
        blocking_threads,
        blocking_threads_idle_timeout,
        backpressure,
        http_mode,
        http1_settings,
        http2_settings,
        websockets,
        static_path,
        *ssl_settings,
        metrics,
    )
    scheduler: Any = _Scheduler(here, edge.handle, None, None, None)
    scheduler._schedule_fn = edge.handle
    stop = _Stop()
    serve = WORKERS_METHODS[runtime_mode][(sock[0] or sock[1]).is_uds()]
    getattr(worker, serve)(scheduler, here, stop.signal)
    _watch(edge, Readers(port, edge.limits), stop)


class _Stop:
    """A stop that was asked for by a signal, and its end."""

    def __init__(self) -> None:
        self.signal: Any = WorkerSignal()
        self.asked_at: float | None = None
        self.done = threading.Event()
        self.signal.add_cb(self.done.set)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._asked)

    def _asked(self, *_: object) -> None:
        if self.asked_at is None:
            self.asked_at = time.monotonic()
            self.signal.set()

    def is_over(self, now: float) -> bool:
        """Whether those who are slow had their time."""
        return self.asked_at is not None and now >= self.asked_at + STOP_SECONDS


def _watch(edge: Edge, readers: Readers, stop: _Stop) -> None:
    """End what takes too long, until the last connection is gone."""
    ticks = 0
    while not stop.done.wait(TICK_SECONDS):
        now = time.monotonic()
        ticks += 1
        if stop.is_over(now):
            edge.waiting.expire(float("inf"))
            readers.end_all()
            continue
        edge.waiting.expire(now)
        if ticks % LOOK_EVERY == 0:
            readers.look(now)
