"""The database backend; Django finds it by the name of this module."""

from contextlib import suppress
from typing import Any

from django.db import DatabaseError
from django.db.backends.postgresql import base
from django.db.backends.postgresql.schema import DatabaseSchemaEditor

from synapse_site.postgresql import driver

# What the settings bound by `options`, in the server.
_BOUNDS = ("statement_timeout", "idle_in_transaction_session_timeout")


class UnboundedSchemaEditor(DatabaseSchemaEditor):
    """Migrations take as long as they take.

    A pooler's sessions are shared with others, and have no bounds of ours.
    """

    # Any: as Django has it.
    def __enter__(self) -> Any:
        self.connection.ensure_connection()
        self._answer_timeout = self.connection.connection.answer_timeout
        self.connection.connection.answer_timeout = None
        self._tell_server("SET {} = 0")
        return super().__enter__()

    def __exit__(self, *raised: Any) -> None:
        try:
            super().__exit__(*raised)
        finally:
            with suppress(DatabaseError, AttributeError):  # The connection is gone.
                self._tell_server("RESET {}")
                self.connection.connection.answer_timeout = self._answer_timeout

    def _tell_server(self, statement: str) -> None:
        # How Django calls it, and `databases` sets it, that there is a pooler.
        if self.connection.settings_dict["DISABLE_SERVER_SIDE_CURSORS"]:
            return
        with self.connection.cursor() as cursor:
            for name in _BOUNDS:
                cursor.execute(statement.format(name))


class DatabaseWrapper(base.DatabaseWrapper):
    """Takes the option `answer_timeout`, in seconds."""

    Database = driver
    SchemaEditorClass = UnboundedSchemaEditor
