"""What the edge has to know of our addresses: how long a body may be, how to refuse it.

The API refuses in its one shape of an error (G51), everything else in a few words.
"""

from http import HTTPStatus

from django.conf import settings

from agents_app.protocol.errors import Code, SynapseError
from synapse_site.edge.limits import Allowance, Refusal, plain
from tasks_app.api.addresses import PREFIX
from tasks_app.api.errors import answer_to
from tasks_app.api.middleware import HEADERS

_API = "/api/"
_UPLOADS = f"{PREFIX}/task/multipart"
_PEER_FILES = f"{PREFIX}/a2a/files/"
# The views are exact; some take an envelope around a body.
_AROUND = 64 * 1024
_CODES = {
    HTTPStatus.BAD_REQUEST: Code.MALFORMED_JSON,
    HTTPStatus.REQUEST_TIMEOUT: Code.BODY_TOO_SLOW,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: Code.BODY_TOO_LARGE,
}
_TEXTS: dict[int, str] = {
    HTTPStatus.BAD_REQUEST: "The request body ended before its end."
}


def allowed(path: str) -> Allowance:
    """Of one address."""
    if not path.startswith(_API):
        return Allowance(bytes=settings.SYNAPSE_MAX_BODY_SIZE)
    one = settings.SYNAPSE_MAX_BODY_SIZE
    if path.rstrip("/") == _UPLOADS:
        one = max(one, settings.SYNAPSE_MAX_UPLOAD_SIZE)
    elif path.startswith(_PEER_FILES):
        one = max(one, settings.SYNAPSE_MAX_FILE_SIZE)
    return Allowance(bytes=one + _AROUND, says_itself=True)


def refusal(status: int, path: str) -> Refusal:
    """Of a body that is cut short (400), comes too slowly (408), is too large (413)."""
    if not path.startswith(_API):
        return plain(status, path)
    said = answer_to(SynapseError(_CODES[HTTPStatus(status)], _TEXTS.get(status)))
    headers = HEADERS | dict(said.items()) | {"Connection": "close"}
    return status, list(headers.items()), said.content
