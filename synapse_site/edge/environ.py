"""The head of a request as WSGI wants it (PEP 3333)."""

import functools
import io
import sys
from typing import IO, Any

from synapse_site.edge.answer import File
from synapse_site.edge.wire import Scope

Environ = dict[str, Any]  # Any: as PEP 3333 has it.
# In the environ of the second call for one request: what the application counted
# before it read the body, it counted at the first.
ASKED_BEFORE = "edge.asked_before"

_SAME: Environ = {
    "SCRIPT_NAME": "",
    "SERVER_SOFTWARE": "granian",
    "wsgi.version": (1, 0),
    "wsgi.multithread": True,
    "wsgi.multiprocess": True,
    "wsgi.run_once": False,
    "wsgi.file_wrapper": File,
}


def environ(scope: Scope, body: IO[bytes] | io.RawIOBase, size: int | None) -> Environ:
    """`size` of the body replaces the length that the client named, unless None."""
    host, _, port = scope.server.rpartition(":")
    made = _SAME | {
        "REQUEST_METHOD": scope.method,
        "PATH_INFO": scope.path.encode().decode("latin-1"),
        "QUERY_STRING": scope.query_string,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "SERVER_NAME": host.strip("[]"),
        "SERVER_PORT": port,
        "REMOTE_ADDR": scope.client.rpartition(":")[0].strip("[]"),
        "HTTP_HOST": scope.authority or "",
        "wsgi.url_scheme": scope.scheme,
        "wsgi.input": body,
        "wsgi.errors": sys.stderr,
    }
    _add_headers(made, scope)
    if size is not None:
        made["CONTENT_LENGTH"] = str(size)
    return made


def _add_headers(made: Environ, scope: Scope) -> None:
    headers = scope.headers
    for name in headers.keys():  # noqa: SIM118 - no mapping: it has only this
        if key := _key(name):
            values = headers.get_all(name)
            glue = ";" if name == "cookie" else ","
            made[key] = values[0] if len(values) == 1 else glue.join(values)


@functools.lru_cache(maxsize=512)
def _key(name: str) -> str:
    """Empty for a name with an underscore: it would pass for one with a dash."""
    if "_" in name:
        return ""
    key = name.upper().replace("-", "_")
    return key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{key}"
