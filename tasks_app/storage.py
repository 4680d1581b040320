"""Where the bytes of files lie: under an id of ours, never under a caller's name."""

import hashlib
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import UploadedFile

from agents_app.protocol import ids


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


@contextmanager
def put_aside(file_id: uuid.UUID, data: bytes) -> Iterator[Callable[[], object]]:
    """Store bytes under a name of their own; what is given moves them to their place.

    Writing takes long and moving does not: so a transaction needs to hold only the
    move, and readers find all of the file or none. What was not moved is gone at the
    end, and so is what a full disk cut short.
    """
    name = f"{name_of(file_id)}.{ids.new_id().hex}"
    try:
        default_storage.save(name, ContentFile(data))
        yield partial(Path(default_storage.path(name)).replace, path_of(file_id))
    finally:
        default_storage.delete(name)


def discard(file_ids: Iterable[uuid.UUID]) -> None:
    """Remove files that no row names."""
    for file_id in file_ids:
        default_storage.delete(name_of(file_id))
