"""The world around an attempt, as `context` sees it: its host and its files.

The runner implements `Host` over the ledger, `agents_app.testing` in memory.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO, Protocol


class StopReason(StrEnum):
    """Why an attempt must not go on."""

    CANCELLED = "cancelled"  # The requester took the task back.
    FENCED = "fenced"  # Another attempt owns the task now.
    OVERTIME = "overtime"  # It ran longer than its type allows.


class AttemptStopped(BaseException):
    """Ends the attempt without an outcome. A BaseException, so handlers let it pass."""

    def __init__(self, reason: StopReason) -> None:
        super().__init__(str(reason))
        self.reason = reason


class Host(Protocol):
    """The world behind a context. Any method may raise AttemptStopped."""

    def report(self, progress: int, message: str, eta: datetime | None) -> None: ...

    def record_step(self, position: int, name: str, value: object) -> None:
        """Store a step's JSON value durably before returning."""
        ...

    def attach(
        self, name: str, data: bytes, content_type: str, position: int | None
    ) -> str:
        """Keep a result file of the step at `position` and return its id.

        It is dropped when that step starts again because it was not recorded.
        """
        ...

    def stopped(self) -> StopReason | None:
        """Asked before every call and in loops: it must be cheap."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskFile:
    """An uploaded file (P2A 6.2). `size` in bytes, `sha256` in hex.

    `name` is the caller's word and only for showing; `path` is where the bytes are.
    """

    id: str
    name: str
    content_type: str
    size: int
    sha256: str
    path: Path

    def open(self) -> BinaryIO:
        return self.path.open("rb")

    def read(self) -> bytes:
        return self.path.read_bytes()
