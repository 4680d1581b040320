"""What a handler hands over to be stored: no larger and no stranger than rows allow."""

from abc import ABC, abstractmethod

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.jsontext import check_storable, dumps

MAX_RESULT_BYTES = 1_000_000


class InWords(ABC):
    """Base of output models that can say in one line what came out (A2A 6.5).

    The line becomes the `message` of the completed task, at most 500 characters of it.
    """

    @abstractmethod
    def in_words(self) -> str:
        """Such as "Rejected by alice."."""


def check_storable_result(value: object, what: str) -> None:
    """RESULT_INVALID unless `value` is JSON a row can hold, up to 1 MB in UTF-8."""
    try:
        check_storable(value)
    except SynapseError as refused:
        text = f"The {what} holds a value that cannot be stored."
        raise SynapseError(
            Code.RESULT_INVALID, text, details=refused.details
        ) from refused
    size = len(dumps(value))
    if size > MAX_RESULT_BYTES:
        text = f"The {what} is larger than {MAX_RESULT_BYTES} bytes; attach a file."
        raise SynapseError(Code.RESULT_INVALID, text, details={"size": size})
