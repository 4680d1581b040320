"""What is signed when one side brings the bytes of a file to the other.

Standard Webhooks sign text, and a file is none. So a header says which bytes they are,
and that header is signed: by whom, for whom, of which task, and their SHA-256.
"""

import json
from typing import Annotated, Self

from pydantic import Field

from agents_app.protocol import jsontext
from agents_app.protocol.addresses import ADDRESS_PATTERN
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.model import Name, Value

HEADER = "x-synapse-file"
CONTENT_TYPE = "application/octet-stream"
_MAX_CHARACTERS = 4096

Address = Annotated[str, Field(pattern=ADDRESS_PATTERN)]


class FileTicket(Value):
    """Names one entry of `attachments` in a message of `sender`; `size` in bytes."""

    sender: Address
    recipient: Address
    task_id: Name
    file_id: Name
    size: int = Field(ge=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")

    @classmethod
    def from_text(cls, text: str) -> Self:
        """Read a header. INVALID_FIELD, or what JSON that is none deserves."""
        if not text.isascii() or len(text) > _MAX_CHARACTERS:
            raise SynapseError(
                Code.INVALID_FIELD, details={"fields": {HEADER: "is short ASCII"}}
            )
        return cls.parse(jsontext.loads(text))

    def to_text(self) -> str:
        """The header: JSON in ASCII on one line. Sign these very characters."""
        return json.dumps(self.to_json(), separators=(",", ":"))
