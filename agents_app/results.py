"""What a handler hands over to be stored: no larger and no stranger than rows allow."""

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.jsontext import check_storable, dumps

MAX_RESULT_BYTES = 1_000_000


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
