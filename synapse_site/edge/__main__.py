"""`python -m synapse_site.edge`: starts granian with the options that fit the edge."""

import resource
from argparse import ArgumentParser, Namespace
from functools import partial

from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.server.mp import MPServer

from synapse_site.edge.worker import work

# At once, in one process; each may cost two open files and some buffers.
CONNECTIONS = 1000
_FILES = 4096
# Of one connection, each way. granian's own is 408 KiB.
_BUFFER_BYTES = 128 * 1024
# The time for a head, and for which a connection may be kept without a request.
_HEAD_MILLISECONDS = 30_000
# A worker that does not end by itself is killed, before launch/stack loses patience.
_STOP_SECONDS = 6


def main() -> None:
    """Serve until SIGTERM or Ctrl-C."""
    asked = _parse()
    _allow_many_files()
    server = MPServer(
        asked.edge,
        address=asked.host,
        port=asked.port,
        # Only for its pool of threads and for how the target is found: see `worker`.
        interface=Interfaces.WSGI,
        workers=asked.workers,
        blocking_threads=asked.blocking_threads,
        # HTTP/2 has windows, streams and pings of its own, and nobody here needs it.
        http=HTTPModes.http1,
        http1_settings=HTTP1Settings(
            header_read_timeout=_HEAD_MILLISECONDS, max_buffer_size=_BUFFER_BYTES
        ),
        websockets=False,
        backpressure=CONNECTIONS,
        respawn_failed_workers=True,
        workers_kill_timeout=_STOP_SECONDS,
    )
    server.serve(spawn_target=partial(work, port=asked.port))


def _parse() -> Namespace:
    options = ArgumentParser(prog="python -m synapse_site.edge", description=__doc__)
    options.add_argument("--host", default="127.0.0.1")
    options.add_argument("--port", type=int, default=8000)
    options.add_argument("--workers", type=int, default=1, help="processes")
    options.add_argument(
        "--blocking-threads", type=int, default=4, help="requests at work, a process"
    )
    options.add_argument("edge", help="module:name of an Edge")
    return options.parse_args()


def _allow_many_files() -> None:
    """As many as the connections need; shells often allow 1024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if hard == resource.RLIM_INFINITY else min(hard, _FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


if __name__ == "__main__":
    main()
