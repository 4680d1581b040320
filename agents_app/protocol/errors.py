"""The one error type of the protocol. Doors turn it into HTTP answers or nacks."""

from collections.abc import Mapping

from agents_app.protocol.catalogue import CATALOGUE, ErrorSpec
from agents_app.protocol.codes import Category, Code, category_of

__all__ = [
    "CATALOGUE",
    "Category",
    "Code",
    "ErrorSpec",
    "SynapseError",
    "category_of",
]


class SynapseError(Exception):
    """Something the protocol has a code for.

    `message` and `details` leave the house: they must be safe to show to the peer.
    `retry_after` is in whole seconds, None when there is nothing to say about it.
    """

    def __init__(
        self,
        code: Code,
        message: str | None = None,
        *,
        details: Mapping[str, object] | None = None,
        retry_after: int | None = None,
    ) -> None:
        self.code = code
        self.spec = CATALOGUE[code]
        self.message = message or self.spec.text
        self.details: dict[str, object] = dict(details or {})
        self.retry_after = retry_after
        # Both go to `args`, so that the error survives pickling between processes.
        super().__init__(code, self.message)

    def __str__(self) -> str:
        return f"{self.code:d} {self.message}"

    def to_object(self) -> dict[str, object]:
        """The error object of P2A chapter 9, all five fields always present."""
        return {
            "code": int(self.code),
            "category": str(self.spec.category),
            "message": self.message,
            "details": self.details,
            "retry_after": self.retry_after,
        }
