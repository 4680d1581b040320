"""GET a2a/files/{id}: whoever holds a link that we signed, and nobody else."""

import uuid

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from tasks_app import filelinks, storage
from tasks_app.models import Attachment
from tests.api.conftest import Program, error_of
from tests.factories import submitted

HOST = "http://127.0.0.1:8000"


@pytest.fixture(autouse=True)
def _public(settings: Settings) -> None:
    settings.SYNAPSE_PUBLIC_URL = HOST


@pytest.fixture
def file(caller) -> Attachment:
    """A stored result file."""
    task = submitted(caller)
    found = Attachment.objects.create(
        task_id=task.id, kind="result", name="a.html", content_type="text/html",
        size=5, sha256="0" * 64, created_at=timezone.now(),
    )  # fmt: skip
    storage.keep_bytes(found.pk, b"hello")
    return found


def _get(url: str):
    return Client().get(url.removeprefix(HOST))


def test_it_hands_out_the_bytes_as_a_download(file: Attachment) -> None:
    response = _get(filelinks.link(file.pk, timezone.now()))
    assert b"".join(response.streaming_content) == b"hello"
    assert response.headers["Content-Disposition"].startswith("attachment")
    assert "sandbox" in response.headers["Content-Security-Policy"]
    assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("query", ["", "?expires=1&signature=x", "?expires=a"])
def test_it_answers_a_wrong_link_with_a_nack(file: Attachment, query: str) -> None:
    response = _get(f"/api/v1/synapse/a2a/files/{file.pk}{query}")
    body = response.json()
    assert (response.status_code, body["type"]) == (403, "p2p:nack")
    assert body["payload"]["error"]["code"] == 5004


def test_it_lets_no_link_open_another_file(file: Attachment) -> None:
    link = filelinks.link(file.pk, timezone.now())
    other = link.replace(str(file.pk), str(uuid.uuid4()))
    assert _get(other).status_code == 403


def test_it_says_when_a_file_is_gone(file: Attachment) -> None:
    link = filelinks.link(file.pk, timezone.now())
    file.delete()
    assert _get(link).status_code == 404


def test_it_tells_a_caller_to_wait_for_a_file_of_a_peer(
    program: Program, file: Attachment
) -> None:
    Attachment.objects.update(source_url="http://x/", fetch_at=timezone.now())
    response = program.get(f"/task/{file.task_id}/files/{file.pk}")
    assert error_of(response, 404)["code"] == 2021
    assert error_of(response, 404)["retry_after"] == 5


def test_it_tells_a_caller_that_a_file_will_not_come(
    program: Program, file: Attachment
) -> None:
    storage.discard([file.pk])
    Attachment.objects.update(source_url="http://x/", fetch_at=None)
    response = program.get(f"/task/{file.task_id}/files/{file.pk}")
    assert error_of(response, 404)["code"] == 2018
