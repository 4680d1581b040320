"""Every example of docs/integrators.md runs, and answers as it is shown."""

import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import requests
from django.utils import timezone

from agents_app.protocol import signing
from tasks_app import runner
from tasks_app.api.addresses import PREFIX
from tasks_app.models import Task
from tests.api.conftest import Program

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "integrators.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", TEXT, re.DOTALL)
# Values that differ from run to run.
VOLATILE = ("_id", "_at", "since", "timestamp", "description", "sequence")


@dataclass
class Reader:
    """Somebody who pastes one command after the other into a shell."""

    environ: dict[str, str]
    folder: Path

    def paste(self, command: str) -> str:
        done = subprocess.run(
            ["sh", "-ec", command],
            env=os.environ | self.environ,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=30,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def reader(
    transactional_db: None,
    live_server: Any,
    api_key: str,
    tmp_path: Path,
) -> Reader:
    if not shutil.which("curl"):
        pytest.skip("curl is not installed")
    for name in ("examples", "README.md"):
        (tmp_path / name).symlink_to(ROOT / name)
    known = {"SYNAPSE_URL": live_server.url, "SYNAPSE_API_KEY": api_key}
    return Reader(known | {"API": live_server.url + PREFIX}, tmp_path)


def _commands() -> list[str]:
    return [text for kind, text in BLOCKS if kind == "sh" and "curl" in text]


def _command(part: str) -> str:
    """The one command that contains this text."""
    (found,) = [text for text in _commands() if part in text]
    return found


def _shown_after(part: str) -> Any:
    """The JSON that follows the command."""
    place = next(n for n, (_, text) in enumerate(BLOCKS) if part in text)
    return next(json.loads(text) for kind, text in BLOCKS[place:] if kind == "json")


def _like(shown: object, real: object, name: str = "") -> None:
    """The same keys, and the same values where they can be the same."""
    if isinstance(shown, dict):
        assert isinstance(real, dict), name
        assert sorted(shown) == sorted(real), name
        for key in shown:
            _like(shown[key], real[key], key)
    elif isinstance(shown, list):
        for one, other in zip(shown, real, strict=True):
            _like(one, other, name)
    elif not name.endswith(VOLATILE):
        assert shown == real, name


def _run(reader: Reader, part: str) -> Any:
    """The answer to a command, held against what the page shows, if it does."""
    return json.loads(reader.paste(_command(part)))


def test_it_goes_from_start_to_end(reader: Reader) -> None:
    accepted = _run(reader, "order-4711 ")
    _like(_shown_after("order-4711 "), accepted)
    reader.environ["TASK"] = accepted["task_id"]
    runner.drain("default")
    waiting = _run(reader, 'KEY" $API/task/$TASK/status')
    _like(_shown_after('KEY" $API/task/$TASK/status'), waiting)
    answered = _run(reader, "provided_info")
    _like(_shown_after("provided_info"), answered)
    runner.drain("default")
    task = _run(reader, 'KEY" $API/task/$TASK\n')["task"]
    assert task["status"] == "completed"
    assert set(task) <= set(re.findall(r"`(\w+)`", TEXT))


def test_it_submits_files_and_downloads_them(reader: Reader) -> None:
    accepted = _run(reader, "README.md")
    reader.environ["TASK"] = accepted["task_id"]
    task = _run(reader, 'KEY" $API/task/$TASK\n')["task"]
    names = [file["name"] for file in task["files"]]
    assert names == ["invoice.pdf", "README.md"]
    reader.environ["FILE"] = task["files"][0]["file_id"]
    reader.paste(_command("downloaded"))
    original = ROOT / "examples" / "invoices" / "invoice.pdf"
    assert (reader.folder / "downloaded").read_bytes() == original.read_bytes()


def test_it_submits_json(reader: Reader) -> None:
    _run(reader, "callback_events")
    task = Task.objects.get()
    assert (task.priority, task.callback_events) == ("high", ["progress"])


def test_it_submits_again(reader: Reader) -> None:
    first, second = (reader.paste(_command("Idempotency-Key:")) for _ in range(2))
    assert "Idempotency-Replayed" not in first
    assert "Idempotency-Replayed: true" in second
    assert Task.objects.count() == 1


def test_it_polls_for_changes(reader: Reader) -> None:
    reader.environ["TASK"] = _run(reader, "order-4711 ")["task_id"]
    reader.environ["ETAG"] = '"1"'
    assert reader.paste(_command("If-None-Match")) == "304\n"
    runner.drain("default")
    assert reader.paste(_command("If-None-Match")) == "200\n"


def test_it_lists_and_cancels(reader: Reader) -> None:
    _like(_shown_after("status=completed"), _run(reader, "status=completed"))
    reader.environ["TASK"] = _run(reader, "order-4711 ")["task_id"]
    assert _run(reader, "/cancel")["status"] == "cancelled"


def test_it_shows_an_error(reader: Reader) -> None:
    _like(_shown_after("status=done"), _run(reader, "status=done"))


def test_it_has_shown_every_command() -> None:
    assert len(_commands()) == 12


def test_it_shows_a_callback_as_it_is(
    program: Program, drain: Callable[[], None]
) -> None:
    program.submit(
        "probe_need_info", {"fields": ["date"]}, callback_url="http://127.0.0.1:8999/"
    )
    drain()
    task = Task.objects.get()
    bodies = [json.loads(row.body) for row in task.deliveries.order_by("sequence")]
    shown = _shown_with("sequence")
    asked = next(body for body in bodies if body["missing_fields"])
    assert sorted(shown) == sorted(asked)
    assert (shown["sequence"], asked["sequence"]) == (2, 2)


def _shown_with(key: str) -> dict[str, Any]:
    shown = [json.loads(text) for kind, text in BLOCKS if kind == "json"]
    return next(value for value in shown if key in value)


# -- verifying --------------------------------------------------------------------
BODY = b'{"task_id": "1",  "status":"completed"}'


def _signed(secret: str) -> dict[str, str]:
    now = timezone.now()
    return signing.sign(message_id="m", timestamp=now, body=BODY, secrets=[secret])


@pytest.fixture
def verified() -> Callable[..., object]:
    return _shown_code()["verified"]


def _shown_code() -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "shown"}
    for kind, text in BLOCKS:
        if kind == "python":
            exec(text, names)  # noqa: S102 - our own documentation
    return names


def test_it_verifies_in_python(verified: Callable[..., object]) -> None:
    secret = signing.new_secret()
    assert verified(BODY, _signed(secret), secret) == json.loads(BODY)
    assert verified(BODY, _signed(signing.new_secret()), secret) is None
    assert verified(BODY + b" ", _signed(secret), secret) is None


@pytest.mark.parametrize(
    "garbage",
    [
        {"webhook-signature": "v1"},
        {"webhook-signature": "v1,="},
        {"webhook-signature": "\N{SNOWMAN}"},
        {"webhook-timestamp": "soon"},
        {"webhook-timestamp": "nan"},
        {"webhook-id": ""},
    ],
)
def test_it_takes_garbage_for_a_stranger_in_python(
    verified: Callable[..., object], garbage: dict[str, str]
) -> None:
    secret = signing.new_secret()
    assert verified(BODY, _signed(secret) | garbage, secret) is None
    assert verified(b"\xff", _signed(secret), secret) is None


def test_its_receiver_takes_what_is_signed_and_takes_it_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    secret = signing.new_secret()
    monkeypatch.setenv("SYNAPSE_CALLBACK_SECRET", secret)
    shown = _shown_code()
    server = shown["HTTPServer"](("127.0.0.1", 0), shown["Receiver"])
    monkeypatch.setattr(shown["Receiver"], "log_message", lambda *_: None)
    body = b'{"sequence": 1, "status": "completed", "message": "Done."}'
    signed = signing.sign(
        message_id="m", timestamp=timezone.now(), body=body, secrets=[secret]
    )
    with server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/"
        answers = [
            requests.post(url, data=body, headers=headers, timeout=5).status_code
            for headers in (signed, signed, {})
        ]
        server.shutdown()
    assert answers == [204, 204, 401]
    assert capsys.readouterr().out == "1 completed Done.\n"


@pytest.mark.parametrize("own", [True, False])
def test_it_verifies_in_node(own: bool) -> None:
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    (code,) = [text for kind, text in BLOCKS if kind == "js"]
    secret = signing.new_secret()
    headers = _signed(secret if own else signing.new_secret())
    call = f"verified(Buffer.from({json.dumps(BODY.decode())}), {json.dumps(headers)}"
    script = f"{code}\nconsole.log(JSON.stringify({call}, {json.dumps(secret)})))"
    said = subprocess.run(["node", "-e", script], capture_output=True, text=True)
    assert json.loads(said.stdout) == (json.loads(BODY) if own else None), said.stderr
