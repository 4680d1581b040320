"""Is the port of the web process free? Asked before anything is written or started."""

import errno
import socket

HOST = "127.0.0.1"


class PortError(Exception):
    """The port cannot be used; the text tells a person which one and what to do."""


def require_free(port: int) -> None:
    """PortError unless this machine lets us listen on `port` right now."""
    other = next(n for n in (8001, 8002) if n != port)
    hint = f"Choose another one: make run PORT={other}"
    if not 0 < port < 65536:
        raise PortError(f"PORT={port} is not a port (1 to 65535). {hint}")
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # Without it a port that was used a moment ago would look busy.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
            probe.listen()
        except OSError as error:
            raise PortError(f"{_reason(error, port)} {hint}") from error


def _reason(error: OSError, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"Port {port} is busy: another program listens on it."
    return f"Port {port} cannot be used: {error.strerror}."


def why_busy(port: int) -> str:
    """The words of `require_free`; empty for a port that is free."""
    try:
        require_free(port)
    except PortError as error:
        return str(error)
    return ""
