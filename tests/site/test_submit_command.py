"""`manage.py submit`, against a server that says what the test wants to see shown.

No test here may use the database, which pytest-django sees to; nor does the command.
"""

import io
import json
from collections.abc import Callable, Iterator

import pytest
from django.core.management import CommandError, call_command
from rich.console import Console

from tasks_app.management import client, watching
from tests.receiver import Receiver, Step, raw, redirect, status

TASK = "/api/v1/synapse/task"
SINCE = "2024-05-31T12:00:00.000Z"

Submit = Callable[..., str]


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    """No surroundings, no waiting."""
    for name in ("SYNAPSE_URL", "SYNAPSE_API_KEY", "PORT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(watching, "POLL_SECONDS", 0)


@pytest.fixture
def server() -> Iterator[Receiver]:
    """Accepts a task t1."""
    accepted = {"success": True, "task_id": "t1", "status": "received"}
    with Receiver(says(accepted, 202)) as receiver:
        yield receiver


@pytest.fixture
def submit(server: Receiver) -> Submit:
    """Runs the command and returns what it wrote to standard output."""

    def run(*words: str) -> str:
        out = io.StringIO()
        where = ["--url", server.url(""), "--key", "the key"]
        call_command("submit", *words, *where, stdout=out)
        return out.getvalue()

    return run


def says(body: object, code: int = 200) -> Step:
    return status(code, {"Content-Type": "application/json"}, json.dumps(body).encode())


def shows(state: str, progress: int = 0, **fields: object) -> Step:
    """The task as a poll sees it."""
    task = {"id": "t1", "status": state, "progress": progress, "message": "", **fields}
    return says({"success": True, "task": task})


def refuses(code: int, http: int, message: str, **details: object) -> Step:
    error = {"code": code, "message": message, "details": details}
    return says({"success": False, "error": error}, http)


def test_it_sends_the_task_and_prints_the_acknowledgement(submit, server):
    said = submit(
        "echo", "--payload", '{"a": 1}', "--priority", "high", "--external-id", "x"
    )
    (request,) = server.requests
    assert request.headers["x-api-key"] == "the key"
    assert request.json() == {
        "task_type": "echo",
        "payload": {"a": 1},
        "priority": "high",
        "external_task_id": "x",
    }
    assert json.loads(said)["task_id"] == "t1"


def test_it_reads_the_payload_from_a_file(submit, server, tmp_path):
    (tmp_path / "in.json").write_text('{"name": "é"}', encoding="utf-8")
    submit("echo", "--payload", f"@{tmp_path / 'in.json'}")
    assert server.requests[0].json()["payload"] == {"name": "é"}


def test_it_sends_files_as_multipart(submit, server, tmp_path):
    names = ["a.pdf", "b.pdf"]
    for name in names:
        (tmp_path / name).write_bytes(name.encode())
    submit("echo", "--file", *(str(tmp_path / name) for name in names))
    (request,) = server.requests
    assert request.path == f"{TASK}/multipart"
    for name in names:
        assert f'name="file"; filename="{name}"'.encode() in request.body


def test_it_takes_url_and_key_from_the_environment(server, monkeypatch):
    monkeypatch.setenv("SYNAPSE_URL", server.url())
    monkeypatch.setenv("SYNAPSE_API_KEY", "from outside")
    call_command("submit", "echo", stdout=io.StringIO())
    assert server.requests[0].headers["x-api-key"] == "from outside"


def test_it_looks_on_the_port_of_make_run(monkeypatch):
    monkeypatch.setenv("PORT", "8123")
    assert client.configured(None, None).url == "http://127.0.0.1:8123"


def test_it_watches_until_the_end_and_prints_the_result(submit, server, capsys):
    asked = [{"name": "date"}, {"name": "amount"}]
    server.on(
        f"{TASK}/t1",
        shows("received"),
        shows("processing", 40, message="Reading"),
        shows(
            "processing",
            40,
            pending_action={
                "kind": "info",
                "missing_fields": asked,
                "since": SINCE,
                "request_id": "q1",
                "reason": "It does not say.",
            },
        ),
        shows(
            "processing",
            50,
            pending_action={
                "kind": "human",
                "level": 2,
                "since": SINCE,
                "request_id": "q2",
                "reason": "Too much?",
            },
        ),
        shows("completed", 100, result={"total": 7}),
    )
    assert json.loads(submit("echo", "--watch")) == {"total": 7}
    lines = capsys.readouterr().err.splitlines()
    assert lines[:2] == ["Task t1", "  0 % received"]
    assert lines[2] == " 40 % processing: Reading"
    assert lines[3] == "Question: It does not say."
    assert lines[4] == f"Answer it: POST {server.url(TASK)}/t1/info"
    assert "waits for information: date, amount since" in lines[5]
    assert lines[6] == "Question: Too much?"
    assert lines[7].endswith("/admin/tasks_app/humanrequest/q2/change/")
    assert "operator of level 2 since" in lines[8]


def test_it_says_each_thing_once(submit, server, capsys):
    server.on(
        f"{TASK}/t1", *[shows("received")] * 5, shows("completed", 100, result={})
    )
    submit("echo", "--watch")
    assert capsys.readouterr().err.count("received") == 1


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (
            shows(
                "failed",
                error={
                    "code": 2006,
                    "message": "No paper.",
                    "details": {"trays": ["A4", "A5"]},
                },
            ),
            "Task t1 failed: No paper. (code 2006)\n  trays: A4, A5\n",
        ),
        (shows("cancelled", error=None, message="Not any more."), "Not any more."),
    ],
)
def test_it_ends_with_1_when_there_is_no_result(submit, server, capsys, end, words):
    server.on(f"{TASK}/t1", end)
    with pytest.raises(SystemExit) as ended:
        submit("echo", "--watch")
    assert ended.value.code == 1
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            refuses(4002, 422, "Not valid.", fields={"a": "too big"}),
            "Not valid. (code 4002, HTTP 422)\n  a: too big",
        ),
        (refuses(5001, 401, "No key."), "Give an API key: --key or SYNAPSE_API_KEY."),
        (refuses(1001, 503, "Later."), "Later. (code 1001, HTTP 503)"),
        (status(200, body=b"<html>"), "does not look like a Synapse"),
        (says([]), "does not look like a Synapse"),
        (redirect("http://127.0.0.1:1/"), "does not look like a Synapse"),
        (raw(b"nonsense\r\n\r\n"), "Nothing answers"),
    ],
)
def test_it_ends_with_2_and_says_why(submit, server, capsys, answer, words):
    server.on(TASK, answer)
    with pytest.raises(SystemExit) as ended:
        submit("echo")
    assert ended.value.code == 2
    assert words in capsys.readouterr().err


def test_it_ends_with_2_when_nobody_is_there(capsys):
    with pytest.raises(SystemExit) as ended:
        call_command("submit", "echo", "--url", "http://127.0.0.1:1")
    assert ended.value.code == 2
    assert "Is Synapse running there" in capsys.readouterr().err


@pytest.mark.parametrize("url", ["nonsense", "ftp://127.0.0.1", "http://"])
def test_it_refuses_an_address_that_is_none(capsys, url):
    with pytest.raises(SystemExit) as ended:
        call_command("submit", "echo", "--url", url)
    assert ended.value.code == 2
    assert "cannot be sent" in capsys.readouterr().err


@pytest.mark.parametrize("payload", ["{", "[1]", "@/no/such/file"])
def test_it_refuses_a_payload_that_is_no_object(submit, server, payload):
    with pytest.raises(CommandError, match="--payload"):
        submit("echo", "--payload", payload)
    assert server.requests == ()


def test_it_refuses_a_file_that_is_not_there(submit, server):
    with pytest.raises(CommandError, match="there is no file /no/such"):
        submit("echo", "--file", "/no/such")
    assert server.requests == ()


def test_it_waits_for_a_server_that_restarts(submit, server, capsys):
    server.on(
        f"{TASK}/t1",
        raw(b""),
        refuses(1001, 503, "The database is away."),
        shows("completed", 100, result={"done": True}),
    )
    assert json.loads(submit("echo", "--watch")) == {"done": True}
    assert "trying again" in capsys.readouterr().err


def test_it_gives_up_on_a_server_that_stays_away(submit, server, capsys, monkeypatch):
    monkeypatch.setattr(watching, "PATIENCE_SECONDS", 0)
    server.on(f"{TASK}/t1", raw(b""))
    with pytest.raises(SystemExit):
        submit("echo", "--watch")
    assert "Nothing answers" in capsys.readouterr().err


def test_it_leaves_the_task_alone_when_interrupted(submit, server, capsys, monkeypatch):
    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(watching.time, "sleep", interrupt)
    server.on(f"{TASK}/t1", shows("processing"))
    with pytest.raises(SystemExit) as stopped:
        submit("echo", "--watch")
    assert stopped.value.code == 130
    assert "t1 goes on" in capsys.readouterr().err


def test_it_draws_a_bar_on_a_terminal(server, monkeypatch):
    screen = io.StringIO()
    terminal = Console(file=screen, force_terminal=True, width=100)
    monkeypatch.setattr(watching, "Console", lambda file: terminal)
    server.on(
        f"{TASK}/t1",
        shows("processing", 40),
        shows("completed", 100, message="Read [the] page", result={}),
    )
    api = client.configured(server.url(), "k")
    assert watching.follow(api, "t1", screen)["status"] == "completed"
    assert "completed: Read [the] page" in screen.getvalue()
    assert "100 %" in screen.getvalue()
