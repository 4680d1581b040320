"""Callers do not see each other (G52)."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from tests.api.conftest import Program, error_of

UNKNOWN = "01900000-0000-7000-8000-000000000000"
MALFORMED = [
    "x",
    "1",
    "%00",
    "%ff",
    "..",
    "' OR 1=1 --",
    UNKNOWN.replace("-", ""),
    f"{{{UNKNOWN}}}",
    f"urn:uuid:{UNKNOWN}",
    f"{UNKNOWN} ",
    "\N{FULLWIDTH DIGIT ZERO}" + UNKNOWN[1:],
    "9" * 5000,
]
ACTIONS = [
    ("GET", "/task/{}"),
    ("GET", "/task/{}/status"),
    ("POST", "/task/{}/cancel"),
    ("POST", "/task/{}/info"),
    ("GET", "/task/{}/files/" + UNKNOWN),
]


@pytest.mark.parametrize(("method", "path"), ACTIONS)
def test_it_answers_for_a_strangers_task_as_for_none_g52(
    program: Program, stranger: Program, method: str, path: str
) -> None:
    task_id = program.submit()
    foreign = stranger.send(method, path.format(task_id), "{}")
    unknown = stranger.send(method, path.format(UNKNOWN), "{}")
    assert error_of(foreign, 404)["code"] == 2001
    assert foreign.content == unknown.content
    assert sorted(foreign.items()) == sorted(unknown.items())
    assert program.task(task_id)["status"] == "received"


@pytest.mark.parametrize("task_id", MALFORMED)
def test_it_answers_for_a_malformed_id_as_for_none_g52(
    program: Program, task_id: str
) -> None:
    unknown = program.get(f"/task/{UNKNOWN}")
    assert program.get(f"/task/{task_id}").content == unknown.content


@pytest.mark.parametrize("file_id", MALFORMED)
def test_it_answers_for_a_malformed_file_as_for_none_g52(
    program: Program, file_id: str
) -> None:
    path = f"/task/{program.submit()}/files/"
    unknown = program.get(path + UNKNOWN)
    assert error_of(unknown, 404)["code"] == 2018
    assert program.get(path + file_id).content == unknown.content


def test_it_gives_no_file_of_a_stranger_g52(
    program: Program, stranger: Program
) -> None:
    upload = SimpleUploadedFile("a.txt", b"private", "text/plain")
    parts = {"task_type": "probe_echo", "payload": "{}", "file": upload}
    theirs = program.form(parts).json()["task_id"]
    (file,) = program.task(theirs)["files"]
    error_of(stranger.get(f"/task/{theirs}/files/{file['file_id']}"), 404)
    own = stranger.submit()
    error = error_of(stranger.get(f"/task/{own}/files/{file['file_id']}"), 404)
    assert error["code"] == 2018


def test_it_lists_own_tasks_only_g52(program: Program, stranger: Program) -> None:
    mine = program.submit(external_task_id="same")
    theirs = stranger.submit(external_task_id="same")
    for somebody, task_id in ((program, mine), (stranger, theirs)):
        body = somebody.get("/tasks?external_task_id=same").json()
        assert ([task["id"] for task in body["tasks"]], body["total"]) == ([task_id], 1)


def test_it_gives_nothing_away_about_ids_it_gave_others_g52(
    program: Program, stranger: Program
) -> None:
    cursor_source = [program.submit() for _ in range(2)]
    cursor = program.get("/tasks?limit=1").json()["next_cursor"]
    assert cursor_source
    assert stranger.get(f"/tasks?cursor={cursor}").json()["tasks"] == []
