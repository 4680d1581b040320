"""The database by its URL, with bounds on every wait.

    settings → configured(url) → DATABASES["default"] → synapse_site.postgresql

What a statement may take depends on the process. The web process has somebody waiting
and few threads: it answers 503 and frees its thread. A worker has finished work to
write, and the courier a sweep that may be long on millions of rows: they wait, and
try again (`tasks_app.ledger.faults`). Migrations have no bound.
"""

import os
from typing import Any

import dj_database_url

# How long a statement may take, in seconds.
_WEB_SECONDS = 5
_WORK_SECONDS = 60
_CONNECT_SECONDS = 3
# A transaction whose process does not go on holds rows that others wait for.
_IDLE_SECONDS = 30
# How long a connection to SQLite waits for the one writer.
_WEB_LOCK_SECONDS = 8
_WORK_LOCK_SECONDS = 20
_MARK = "SYNAPSE_PROCESS"


def serve_web() -> None:
    """Called by the web process before it loads the settings."""
    os.environ[_MARK] = "web"


# Any: a dictionary as Django wants it.
def configured(url: str, *, pooler: bool) -> dict[str, Any]:
    """DATABASES["default"] for a URL; options in its query win over ours.

    `pooler`: something in between (PgBouncer) shares connections by transaction, so
    nothing may be kept in a session: no plans, no cursors, no bounds of the server.
    """
    settings: dict[str, Any] = {
        **dj_database_url.parse(url),
        # Optimization: a connection a request costs more than the request.
        "CONN_MAX_AGE": None,
    }
    web = os.environ.get(_MARK) == "web"
    ours: dict[str, object] = {}
    if settings["ENGINE"] == "django.db.backends.sqlite3":
        ours = _sqlite_options(web=web)
    elif settings["ENGINE"] == "django.db.backends.postgresql":
        settings["ENGINE"] = "synapse_site.postgresql"
        settings["DISABLE_SERVER_SIDE_CURSORS"] = pooler
        ours = _postgresql_options(web=web, pooler=pooler)
    theirs = settings.get("OPTIONS", {})
    if "options" in theirs and "options" in ours:
        # The server takes the last of those with one name.
        ours["options"] = f"{ours['options']} {theirs.pop('options')}"
    settings["OPTIONS"] = ours | theirs
    return settings


def _sqlite_options(*, web: bool) -> dict[str, object]:
    return {
        # A read that turns into a write would fail at once under WAL; taking the
        # write lock at BEGIN makes writers queue instead.
        "transaction_mode": "IMMEDIATE",
        "timeout": _WEB_LOCK_SECONDS if web else _WORK_LOCK_SECONDS,
        # FULL, not NORMAL: a 2xx submit is durable (G01).
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
    }


def _postgresql_options(*, web: bool, pooler: bool) -> dict[str, object]:
    seconds = _WEB_SECONDS if web else _WORK_SECONDS
    bounds: dict[str, object] = {
        "connect_timeout": _CONNECT_SECONDS,
        # Of our own backend: a little later than the server's own bound, which leaves
        # the connection usable.
        "answer_timeout": seconds + 1,
        # A machine that vanished does not close its connections.
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 20_000,
    }
    if pooler:
        return bounds
    return bounds | {
        # Optimization: our statements are few and long; parsing and planning them anew
        # costs as much as running them.
        "server_side_binding": True,
        "prepare_threshold": 2,
        "options": f"-c statement_timeout={seconds}s "
        f"-c idle_in_transaction_session_timeout={_IDLE_SECONDS}s",
    }
