"""What the edge is told of our addresses, and what Django does with bodies there."""

import json
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django.fixtures import Settings

from synapse_site.refusals import allowed, refusal
from tasks_app.api.addresses import PREFIX


@pytest.fixture(autouse=True)
def limits(settings: Settings) -> None:
    settings.SYNAPSE_MAX_BODY_SIZE = 1000
    settings.SYNAPSE_MAX_UPLOAD_SIZE = 1_000_000
    settings.SYNAPSE_MAX_FILE_SIZE = 500_000


@pytest.mark.parametrize("path", ["/", "/admin/login/", "/static/x", "/api"])
def test_it_lets_pages_bring_as_much_as_a_json_body_g59(path: str) -> None:
    assert (allowed(path).bytes, allowed(path).says_itself) == (1000, False)


@pytest.mark.parametrize("path", ["/task", "/a2a/messages", "/nowhere"])
def test_it_leaves_exact_limits_to_the_api_g59(path: str) -> None:
    """Some room, but not that of an upload."""
    most = allowed(PREFIX + path)
    assert 1000 < most.bytes < 100_000
    assert most.says_itself


def test_it_lets_uploads_be_large() -> None:
    assert allowed(f"{PREFIX}/task/multipart").bytes > 1_000_000


def test_it_lets_peers_bring_files() -> None:
    most = allowed(f"{PREFIX}/a2a/files/01900000-0000-7000-8000-000000000001").bytes
    assert 500_000 < most < 600_000


@pytest.mark.parametrize(("status", "code"), [(408, 1019), (413, 1016)])
def test_it_refuses_in_the_shape_of_the_api_g51(status: int, code: int) -> None:
    said, headers, body = refusal(status, f"{PREFIX}/task")
    assert (said, json.loads(body)["error"]["code"]) == (status, code)
    assert ("Content-Type", "application/json") in headers
    assert ("Connection", "close") in headers


@pytest.mark.parametrize("status", [408, 413])
def test_it_refuses_in_words_elsewhere(status: int) -> None:
    said, headers, body = refusal(status, "/admin/login/")
    assert (said, dict(headers)["Content-Type"]) == (status, "text/plain")
    assert body.startswith(b"Too ")


@pytest.mark.django_db
@pytest.mark.parametrize("size", [10, 900_000])
def test_it_writes_no_file_for_a_form_of_the_admin_g59(
    settings: Settings, tmp_path: Path, size: int
) -> None:
    """It could not: the folder for them does not exist."""
    settings.FILE_UPLOAD_TEMP_DIR = str(tmp_path / "nowhere")
    file = SimpleUploadedFile("a.bin", b"x" * size)
    answer = Client().post("/admin/login/", {"username": "a", "file": file})
    assert answer.status_code == 200
