"""Which kinds of files are taken, as `GET /capabilities` says."""

from pathlib import PurePosixPath

from agents_app.protocol.errors import Code, SynapseError

UNSPECIFIED = "application/octet-stream"

# What a suffix stands for where the client did not say: curl does not know CSV.
_BY_SUFFIX = {
    ".csv": "text/csv",
    ".htm": "text/html",
    ".html": "text/html",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".json": "application/json",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".txt": "text/plain",
    ".xml": "application/xml",
}
ACCEPTED = tuple(sorted({*_BY_SUFFIX.values(), "text/xml", UNSPECIFIED}))


def settled(content_type: str, name: str) -> str:
    """The type to note for a file; FILE_TYPE_REFUSED unless it is one of ACCEPTED."""
    kind = content_type.strip().lower() or UNSPECIFIED
    if kind not in ACCEPTED:
        raise SynapseError(
            Code.FILE_TYPE_REFUSED,
            details={"content_type": kind[:100], "supported": list(ACCEPTED)},
        )
    if kind == UNSPECIFIED:
        return _BY_SUFFIX.get(PurePosixPath(name).suffix.lower(), UNSPECIFIED)
    return kind
