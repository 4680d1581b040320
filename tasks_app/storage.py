"""Where the bytes of files lie: under an id of ours, never under a caller's name."""

import hashlib
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile


@dataclass(frozen=True, slots=True)
class Stored:
    """What storing found out about the bytes; `size` in bytes, `sha256` in hex."""

    size: int
    sha256: str


def name_of(file_id: uuid.UUID) -> str:
    """Spread over 256 folders by the random end of the id."""
    return f"{file_id.hex[-2:]}/{file_id.hex}"


def path_of(file_id: uuid.UUID) -> Path:
    """The file in the local file system."""
    return Path(default_storage.path(name_of(file_id)))


def keep(file_id: uuid.UUID, upload: "UploadedFile[bytes]") -> Stored:
    """Store an upload, reading it once in chunks."""
    digest = hashlib.sha256()
    size = 0
    for chunk in upload.chunks():
        digest.update(chunk)
        size += len(chunk)
    upload.seek(0)
    default_storage.save(name_of(file_id), upload)
    return Stored(size, digest.hexdigest())


def keep_bytes(file_id: uuid.UUID, data: bytes) -> Stored:
    """Store what a handler attached."""
    default_storage.save(name_of(file_id), ContentFile(data))
    return Stored(len(data), hashlib.sha256(data).hexdigest())


def discard(file_ids: Iterable[uuid.UUID]) -> None:
    """Remove files that no row names."""
    for file_id in file_ids:
        default_storage.delete(name_of(file_id))
