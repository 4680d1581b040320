"""POST /task/multipart: the limits hold while it streams (G56, P2A 6.2)."""

import hashlib
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, OperationalError
from pytest_django.fixtures import Settings

from tasks_app import lifecycle, storage
from tasks_app.models import Attachment, Task
from tests.api.conftest import Program, Wsgi, error_of, invalid_fields
from tests.tasks.racing import race

FIELDS = {"task_type": "probe_echo", "payload": '{"a": 1}'}
HEAD = b'--b\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n'
END = b"\r\n--b--\r\n"


def pdf(data: bytes = b"%PDF-", name: str = "a.pdf") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data, "application/pdf")


def part(name: bytes, value: bytes, more: bytes = b"") -> bytes:
    return HEAD % (name, more) + value


def file_part(value: bytes, name: bytes = b"file", filename: bytes = b"a.txt") -> bytes:
    return part(name, value, b'; filename="%s"' % filename)


def whole(*parts: bytes) -> bytes:
    needed = (part(b"task_type", b"probe_echo"), part(b"payload", b"{}"))
    return b"\r\n".join([*needed, *parts]) + END


@pytest.fixture(autouse=True)
def stored(settings: Settings, tmp_path: Path) -> Iterator[list[Path]]:
    """The files in storage so far; and no temporary file is ever left behind."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    settings.FILE_UPLOAD_TEMP_DIR = str(temporary)
    settings.STORAGES = settings.STORAGES | {
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": tmp_path / "files"},
        }
    }
    yield _Files(tmp_path / "files")
    assert list(temporary.iterdir()) == []


class _Files:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __len__(self) -> int:
        return sum(1 for path in self._folder.rglob("*") if path.is_file())


@pytest.fixture
def send(wsgi: Wsgi):
    """Posts raw multipart bytes with the boundary b."""

    def post(body: bytes, **environ: object):
        kind = "multipart/form-data; boundary=b"
        return wsgi("/task/multipart", body, **{"CONTENT_TYPE": kind} | environ)

    return post


def test_it_takes_several_files(program: Program, stored: _Files) -> None:
    files = [pdf(b"one"), SimpleUploadedFile("b.csv", b"1;2", "text/csv")]
    response = program.form(FIELDS | {"file": files, "priority": "high"})
    assert response.status_code == 202
    task = Task.objects.get(pk=response.json()["task_id"])
    assert (task.payload, task.priority) == ({"a": 1}, "high")
    assert [file.name for file in task.attachments.all()] == ["a.pdf", "b.csv"]
    assert len(stored) == 2


def test_it_keeps_the_bytes_and_their_hash(program: Program) -> None:
    program.form(FIELDS | {"file": pdf(b"x" * 300_000)})
    file = Attachment.objects.get()
    data = storage.path_of(file.pk).read_bytes()
    assert data == b"x" * 300_000
    assert (file.size, file.sha256) == (300_000, hashlib.sha256(data).hexdigest())
    assert (file.kind, file.content_type) == ("input", "application/pdf")


def test_it_takes_a_form_without_files(program: Program, stored: _Files) -> None:
    fields = FIELDS | {"external_task_id": "", "callback_events": "progress"}
    response = program.form(fields | {"callback_url": "http://127.0.0.1:8999/"})
    assert response.status_code == 202
    task = Task.objects.get()
    assert (task.external_task_id, task.callback_events) == (None, ["progress"])
    assert len(stored) == 0


@pytest.mark.parametrize(
    ("name", "declared", "noted"),
    [
        ("a.csv", "application/octet-stream", "text/csv"),
        ("a.CSV", "", "text/csv"),
        ("a.bin", "", "application/octet-stream"),
        ("a.pdf", "TEXT/plain; charset=utf-8", "text/plain"),
    ],
)
def test_it_notes_the_kind_of_a_file(
    program: Program, name: str, declared: str, noted: str
) -> None:
    upload = SimpleUploadedFile(name, b"x", declared)
    assert program.form(FIELDS | {"file": upload}).status_code == 202
    assert Attachment.objects.get().content_type == noted


def test_it_refuses_kinds_that_are_not_advertised_g56(
    program: Program, stored: _Files
) -> None:
    upload = SimpleUploadedFile("a.svg", b"<svg/>", "image/svg+xml")
    error = error_of(program.form(FIELDS | {"file": upload}), 415)
    advertised = program.get("/capabilities").json()["supported_content_types"]
    assert (error["code"], error["details"]["supported"]) == (4005, advertised)
    assert len(stored) == 0


@pytest.mark.parametrize(("extra", "status"), [(-1, 202), (0, 202), (1, 413)])
def test_it_enforces_the_file_size_to_the_byte_g56(
    program: Program, settings: Settings, stored: _Files, extra: int, status: int
) -> None:
    settings.SYNAPSE_MAX_FILE_SIZE = 200_000
    response = program.form(FIELDS | {"file": pdf(b"x" * (200_000 + extra))})
    assert response.status_code == status
    assert len(stored) == (status == 202)
    if status == 413:
        error = error_of(response, 413)
        assert (error["code"], error["details"]) == (4003, {"max_bytes": 200_000})


@pytest.mark.parametrize(("count", "status"), [(3, 202), (4, 413)])
def test_it_enforces_the_number_of_files_g56(
    program: Program, settings: Settings, stored: _Files, count: int, status: int
) -> None:
    settings.SYNAPSE_MAX_FILES = 3
    response = program.form(FIELDS | {"file": [pdf() for _ in range(count)]})
    assert response.status_code == status
    assert len(stored) == (count if status == 202 else 0)


@pytest.mark.parametrize("announced", [True, False])
def test_it_enforces_the_size_of_the_whole_g56(
    send, settings: Settings, stored: _Files, announced: bool
) -> None:
    settings.SYNAPSE_MAX_UPLOAD_SIZE = 100_000
    body = whole(*[file_part(b"x" * 60_000)] * 2)
    chunked = {} if announced else {"HTTP_TRANSFER_ENCODING": "chunked"}
    error = error_of(send(body, length=announced, **chunked), 413)
    assert (error["code"], error["details"]) == (1016, {"max_bytes": 100_000})
    assert len(stored) == 0


class _Endless(io.RawIOBase):
    """A client that never stops sending."""

    def __init__(self, start: bytes) -> None:
        self.sent = 0
        self._start = io.BytesIO(start)

    def read(self, size: int = -1) -> bytes:
        self.sent += size
        return self._start.read(size) or b"x" * size


def test_it_stops_reading_at_the_limit_g56(send, settings: Settings) -> None:
    settings.SYNAPSE_MAX_FILE_SIZE = 500_000
    client = _Endless(whole()[: -len(END)] + b"\r\n" + file_part(b""))
    with client:
        response = send(
            b"",
            length=False,
            HTTP_TRANSFER_ENCODING="chunked",
            **{"wsgi.input": client},
        )
    assert error_of(response, 413)["code"] == 4003
    assert client.sent < 700_000


class _Watched(io.BytesIO):
    """A client that looks into the folder for temporary files while it sends."""

    def __init__(self, body: bytes, folder: Path) -> None:
        super().__init__(body)
        self.looks: list[list[Path]] = []
        self._folder = folder

    def read(self, size: int | None = -1) -> bytes:
        self.looks.append(list(self._folder.iterdir()))
        return super().read(size)


def test_it_lists_no_file_that_still_comes_g59(send, settings: Settings) -> None:
    """So nothing is left of it after `kill -9`."""
    body = whole(file_part(b"x" * 500_000))
    with _Watched(body, Path(settings.FILE_UPLOAD_TEMP_DIR)) as client:
        length = str(len(body))
        sent = send(b"", CONTENT_LENGTH=length, **{"wsgi.input": client})
    assert sent.status_code == 202
    assert len(client.looks) > 3
    assert not any(client.looks)


def test_it_takes_a_form_without_a_length(send) -> None:
    chunked = {"HTTP_TRANSFER_ENCODING": "chunked"}
    assert send(whole(file_part(b"abc")), length=False, **chunked).status_code == 202
    assert Attachment.objects.get().size == 3


def test_it_limits_the_text_fields_g56(send) -> None:
    body = whole(part(b"external_task_id", b"x" * 1_100_000))
    assert error_of(send(body), 413)["code"] == 1016


@pytest.mark.parametrize("cut", [3, 5, 9, 20, 60, 90, 150, 200])
def test_it_refuses_a_form_that_was_cut_off(send, stored: _Files, cut: int) -> None:
    body = whole(file_part(b"abc"), file_part(b"def"))
    assert error_of(send(body[:-cut]), 400)["code"] in (1010, 1011)
    assert not Task.objects.exists()
    assert len(stored) == 0


def test_it_refuses_a_body_shorter_than_announced(send) -> None:
    body = whole(file_part(b"abc"))
    response = send(body, CONTENT_LENGTH=str(len(body) + 10))
    assert error_of(response, 400)["message"] == "The body ended too early."


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"garbage",
        b"--b",
        b"--b--",
        b"--b\r\n\r\n--b--",
        b"\r\n" * 1000,
        b"--b\r\n" * 500,
        b"--b\r\nContent-Disposition: form-data\r\n\r\nx" + END,
        whole(b"--b\r\nContent-Disposition: " + b"x" * 5000 + b"\r\n\r\nx"),
        whole(file_part(b"x", filename=b"\xff\xfe.txt")),
        whole(part(b"\xff", b"x")),
    ],
)
def test_it_refuses_a_form_it_cannot_read_g50(send, body: bytes) -> None:
    assert error_of(send(body), 400)["code"] in (1010, 1011)
    assert not Task.objects.exists()


@pytest.mark.parametrize(
    "content_type",
    [
        "",
        "multipart/form-data",
        "multipart/mixed; boundary=b",
        "multipart/form-data; boundary=",
        "multipart/form-data; boundary=\xe9",
        "multipart/form-data; boundary*=foo''b",
        "multipart/form-data; boundary=" + "b" * 300,
        "application/json",
    ],
)
def test_it_needs_a_readable_content_type_g50(send, content_type: str) -> None:
    response = send(whole(), CONTENT_TYPE=content_type)
    assert response.status_code in (400, 415)
    error_of(response, response.status_code)


def test_it_takes_files_under_one_name_only(send, stored: _Files) -> None:
    response = send(whole(file_part(b"x", name=b"document")))
    assert list(invalid_fields(response)) == ["document"]
    assert len(stored) == 0


def test_it_ignores_an_empty_file_input(send) -> None:
    assert send(whole(file_part(b"", filename=b""))).status_code == 202
    assert not Attachment.objects.exists()


def test_it_refuses_a_field_that_comes_twice(send) -> None:
    response = send(whole(part(b"payload", b"{}")))
    assert invalid_fields(response) == {"payload": "comes twice"}


def test_it_refuses_text_that_is_not_utf_8_g50(send) -> None:
    response = send(whole(part(b"external_task_id", b"\xff")))
    assert invalid_fields(response) == {"external_task_id": "is not UTF-8"}


def test_it_refuses_text_that_cannot_be_stored_g50(send) -> None:
    error = error_of(send(whole(part(b"external_task_id", b"a\0b"))), 400)
    assert (error["code"], error["details"]) == (1018, {"path": "external_task_id"})


@pytest.mark.parametrize("payload", ["{", "[]", '{"a": NaN}', '{"a": 1, "a": 2}', "x"])
def test_it_reads_the_payload_as_strictly_as_a_body(
    program: Program, payload: str
) -> None:
    error = error_of(program.form(FIELDS | {"payload": payload}), 400)
    assert list(error["details"]["fields"]) == ["payload"]
    assert "payload" in error["message"]


def test_it_refuses_files_for_a_type_that_takes_none(
    program: Program, stored: _Files
) -> None:
    parts = {"task_type": "probe_sleep", "payload": "{}", "file": pdf()}
    assert error_of(program.form(parts), 422)["code"] == 4002
    assert len(stored) == 0


def test_it_refuses_a_wrong_number_of_files_at_once(program: Program) -> None:
    parts = {"task_type": "invoice_approval", "payload": "{}"}
    error = error_of(program.form(parts), 422)
    assert error["code"] == 4002
    assert list(error["details"]["fields"]) == ["file"]


def test_it_leaves_no_bytes_when_the_submit_fails(
    program: Program, stored: _Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise IntegrityError

    monkeypatch.setattr(lifecycle, "submit", fail)
    error_of(program.form(FIELDS | {"file": [pdf(), pdf()]}), 500)
    assert len(stored) == 0


def test_it_keeps_the_bytes_when_the_commit_is_in_doubt(
    program: Program, stored: _Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> None:
        raise OperationalError

    monkeypatch.setattr(lifecycle, "submit", fail)
    error_of(program.form(FIELDS | {"file": pdf()}), 503)
    assert len(stored) == 1


def test_it_leaves_no_bytes_of_a_replay_g12(program: Program, stored: _Files) -> None:
    first, second = (
        program.form(FIELDS | {"file": pdf()}, Idempotency_Key="k") for _ in range(2)
    )
    assert first.json()["task_id"] == second.json()["task_id"]
    assert second["Idempotency-Replayed"] == "true"
    assert len(stored) == 1


@pytest.mark.django_db(transaction=True)
def test_it_takes_many_uploads_at_once_g56(program: Program, stored: _Files) -> None:
    answers = race(*[lambda: program.form(FIELDS | {"file": pdf(b"x" * 99_999)})] * 20)
    assert [answer.status_code for answer in answers] == [202] * 20
    assert (len(stored), Attachment.objects.count()) == (20, 20)


def test_it_reads_no_body_of_somebody_unknown(send, settings: Settings) -> None:
    with _Endless(b"") as client:
        response = send(b"", HTTP_X_API_KEY="x", **{"wsgi.input": client})
        assert error_of(response, 401)["code"] == 5002
        assert client.sent == 0
