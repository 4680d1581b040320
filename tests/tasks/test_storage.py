"""Where the bytes lie: under our id, whole, and gone when nobody names them."""

import errno
import hashlib

import pytest
from django.core.files.storage import FileSystemStorage
from django.core.files.uploadedfile import SimpleUploadedFile

from agents_app.protocol import ids
from tasks_app import storage


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    files = settings.STORAGES["default"]
    options = {**files["OPTIONS"], "location": tmp_path}
    settings.STORAGES = settings.STORAGES | {"default": files | {"OPTIONS": options}}
    return tmp_path


DATA = bytes(range(256)) * 1000


def test_it_keeps_an_upload_under_an_id_of_ours(folder):
    """G57: the caller's name has no say in it."""
    file_id = ids.new_id()
    upload = SimpleUploadedFile("../../../etc/passwd", DATA)
    stored = storage.keep(file_id, upload)
    assert storage.path_of(file_id).read_bytes() == DATA
    assert storage.path_of(file_id).is_relative_to(folder)
    assert _files_in(folder) == [file_id.hex]
    assert (stored.size, stored.sha256) == (
        len(DATA),
        hashlib.sha256(DATA).hexdigest(),
    )


@pytest.mark.parametrize("data", [b"", DATA])
def test_it_keeps_what_a_handler_attached(data):
    file_id = ids.new_id()
    stored = storage.keep_bytes(file_id, data)
    assert storage.path_of(file_id).read_bytes() == data
    assert (stored.size, stored.sha256) == (
        len(data),
        hashlib.sha256(data).hexdigest(),
    )


def test_it_lets_only_its_own_user_read():
    file_id = ids.new_id()
    storage.keep_bytes(file_id, b"secret")
    assert storage.path_of(file_id).stat().st_mode & 0o777 == 0o600


def test_it_removes_what_no_row_names():
    kept, gone = ids.new_id(), ids.new_id()
    for file_id in (kept, gone):
        storage.keep_bytes(file_id, b"x")
    storage.discard([gone, ids.new_id()])
    assert storage.path_of(kept).exists()
    assert not storage.path_of(gone).exists()


def test_it_shows_nothing_of_a_file_before_it_is_moved(folder):
    file_id = ids.new_id()
    storage.keep_bytes(file_id, b"what one left that died")
    with storage.put_aside(file_id, DATA) as move_in:
        assert storage.path_of(file_id).read_bytes() == b"what one left that died"
        move_in()
        assert storage.path_of(file_id).read_bytes() == DATA
    assert _files_in(folder) == [file_id.hex]


def test_it_removes_what_was_put_aside_for_nothing(folder):
    with storage.put_aside(ids.new_id(), DATA):
        assert len(_files_in(folder)) == 1
    assert _files_in(folder) == []


def test_it_removes_what_a_full_disk_cut_short(folder, monkeypatch):
    save = FileSystemStorage.save

    def full(*words):
        save(*words)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(FileSystemStorage, "save", full)
    with pytest.raises(OSError, match="space"), storage.put_aside(ids.new_id(), DATA):
        pass
    assert _files_in(folder) == []


def _files_in(folder):
    return [path.name for path in folder.rglob("*") if path.is_file()]
