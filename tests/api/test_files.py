"""GET /task/{id}/files/{file_id}: files are inert (G57)."""

import io
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import FileResponse

from agents_app import registry
from agents_app.context import Context
from agents_app.probes import Anything
from tasks_app import storage
from tasks_app.models import Attachment
from tests.api.conftest import Program, error_of

FIELDS = {"task_type": "probe_echo", "payload": "{}"}


@pytest.fixture
def download(program: Program) -> Iterator[Callable[[str], FileResponse]]:
    """Fetches the only file of a task; files are closed at the end."""
    opened: list[FileResponse] = []

    def get(task_id: str) -> FileResponse:
        (file,) = program.task(task_id)["files"]
        path = file["url"].removeprefix("/api/v1/synapse")
        opened.append(program.get(path, Accept="text/html"))
        return opened[-1]

    yield get
    for response in opened:
        response.close()


def _upload(program: Program, name: str, data: bytes, kind: str) -> str:
    upload = SimpleUploadedFile("x", data, kind)
    upload._name = name  # As sent: Django's class cleans what it is given.
    response = program.form(FIELDS | {"file": upload})
    assert response.status_code == 202, response.content
    return response.json()["task_id"]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("../../x.txt", "x.txt"),
        ("C:\\windows\\x.txt", "x.txt"),
        ("日本.txt", "日本.txt"),
        ("invoice\u202efdp.exe", "invoicefdp.exe"),
        (".htaccess", "htaccess"),
        ("..", "file"),
        ("a" * 300 + ".pdf", "a" * 251 + ".pdf"),
        ("<b>.txt", "_b_.txt"),
    ],
)
def test_it_shows_harmless_names_g57(program: Program, name: str, shown: str) -> None:
    task_id = _upload(program, name, b"x", "text/plain")
    assert program.task(task_id)["files"][0]["name"] == shown


def test_it_stores_under_an_id_of_ours_g57(program: Program) -> None:
    _upload(program, "../../../etc/passwd", b"x", "text/plain")
    file = Attachment.objects.get()
    path = storage.path_of(file.pk)
    assert path.name == file.pk.hex
    assert path.read_bytes() == b"x"
    assert path.stat().st_mode & 0o111 == 0


def test_it_gives_the_bytes_back_g57(program: Program, download) -> None:
    data = bytes(range(256)) * 1000
    response = download(_upload(program, "日本.pdf", data, "application/pdf"))
    assert response.status_code == 200
    assert response.streaming
    assert b"".join(response) == data
    assert response["Content-Length"] == str(len(data))


def test_it_serves_html_as_a_download_g57(program: Program, download) -> None:
    page = b"<script>alert(1)</script>"
    response = download(_upload(program, "a.html", page, "text/html"))
    assert response["Content-Disposition"] == 'attachment; filename="a.html"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert response["Cache-Control"] == "no-store"


def test_it_names_files_in_any_script_g57(program: Program, download) -> None:
    response = download(_upload(program, "日本.txt", b"x", "text/plain"))
    expected = "attachment; filename*=utf-8''%E6%97%A5%E6%9C%AC.txt"
    assert response["Content-Disposition"] == expected


def test_it_unpacks_nothing_g57(program: Program, download) -> None:
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros", bytes(5_000_000))
    kind = "application/octet-stream"
    response = download(_upload(program, "bomb.zip", bomb.getvalue(), kind))
    assert b"".join(response) == bomb.getvalue()


def test_it_says_when_the_bytes_are_gone(program: Program, download) -> None:
    task_id = _upload(program, "a.txt", b"x", "text/plain")
    storage.discard([Attachment.objects.get().pk])
    assert error_of(download(task_id), 404)["code"] == 2018


def test_it_serves_what_an_agent_attached(
    program: Program, drain: Callable[[], None], download
) -> None:
    with registry.isolated_registry():

        @registry.handles("attaching", input=Anything, output=Anything)
        def attaching(ctx: Context[Anything]) -> dict[str, object]:
            return {"id": ctx.attach("out\r\nX: y.txt", b"made", "text/plain\r\nX: y")}

        task_id = program.submit("attaching")
        drain()
    (file,) = program.task(task_id)["files"]
    assert (file["kind"], file["size"]) == ("result", 4)
    response = download(task_id)
    assert b"".join(response) == b"made"
    assert response["Content-Type"] == "application/octet-stream"
    assert "X" not in response


def test_it_answers_head_without_the_bytes(program: Program) -> None:
    task_id = _upload(program, "a.txt", b"abc", "text/plain")
    path = program.task(task_id)["files"][0]["url"].removeprefix("/api/v1/synapse")
    response = program.send("HEAD", path)
    response.close()
    assert (response.status_code, response["Content-Length"]) == (200, "3")


def test_it_keeps_files_in_the_data_folder(program: Program, settings) -> None:
    _upload(program, "a.txt", b"x", "text/plain")
    path = storage.path_of(Attachment.objects.get().pk)
    assert path.is_relative_to(Path(settings.DATA_DIR) / "files")
