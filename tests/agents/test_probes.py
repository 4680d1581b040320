"""The probes do what the stress tests rely on, and only behind their flag."""

import json
import signal
import subprocess
import sys

import pytest

import agents_app.agents  # noqa: F401 - Declares the handlers.
from agents_app import registry
from agents_app.context import AttemptStopped, StopReason
from agents_app.dispatch import Assignment, run
from agents_app.host import TaskFile
from agents_app.protocol.errors import Code
from agents_app.testing import MemoryHost, reject, run_handler

NAMES = {
    "probe_copy",
    "probe_crash",
    "probe_echo",
    "probe_fail",
    "probe_flaky",
    "probe_ledger",
    "probe_limited",
    "probe_need_human",
    "probe_need_info",
    "probe_other_lane",
    "probe_progress",
    "probe_secret_error",
    "probe_sleep",
}


@pytest.fixture(autouse=True)
def _switched_on(monkeypatch, tmp_path):
    monkeypatch.setenv("SYNAPSE_PROBES", "1")
    monkeypatch.setenv("SYNAPSE_PROBE_DIR", str(tmp_path))


def probes():
    return {
        spec.task_type
        for spec in registry.enabled_specs()
        if spec.task_type.startswith("probe_")
    }


def test_they_are_all_there():
    assert probes() == NAMES


@pytest.mark.parametrize("value", ["", "0", "true", None])
def test_they_are_hidden_without_the_flag(monkeypatch, value):
    if value is None:
        monkeypatch.delenv("SYNAPSE_PROBES")
    else:
        monkeypatch.setenv("SYNAPSE_PROBES", value)
    assert probes() == set()


def test_two_of_them_have_limits():
    assert registry.get("probe_limited").max_concurrent == 1
    assert registry.get("probe_other_lane").lane == "gpu"
    assert run_handler("probe_other_lane", {}).result == {"lane": "gpu"}


def test_echo_returns_the_payload():
    result = run_handler("probe_echo", {"a": [1, {"b": None}]}).result
    assert result == {"payload": {"a": [1, {"b": None}]}, "files": []}


def test_copy_attaches_what_came(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"\x00a")
    kind = "application/octet-stream"
    came = TaskFile(
        id="f", name="a.bin", content_type=kind, size=2, sha256="", path=path
    )
    host = MemoryHost()
    result = run_handler("probe_copy", {}, files=[came], host=host).result
    (copied,) = host.attached
    assert (copied.name, copied.data, copied.content_type) == ("a.bin", b"\x00a", kind)
    assert result == {"file_ids": [copied.id]}


@pytest.mark.parametrize("hard", [True, False])
@pytest.mark.parametrize("name", ["probe_sleep", "probe_limited"])
def test_sleep_ends(name, hard):
    assert run_handler(name, {"seconds": 0.01, "hard": hard}).result == {"slept": 0.01}


def test_sleep_notices_a_cancel():
    with pytest.raises(AttemptStopped):
        run_handler(
            "probe_sleep",
            {"seconds": 3600},
            host=MemoryHost(stop=StopReason.CANCELLED),
        )


def test_progress_reports_also_what_is_wrong():
    played = run_handler("probe_progress", {"percents": [70, 30]})
    assert [report.progress for report in played.host.reports] == [70, 30]
    wrong = run_handler("probe_progress", {"percents": [101]})
    assert wrong.error.code == Code.PROGRESS_INVALID


@pytest.mark.parametrize("retryable", [True, False])
def test_fail_fails_as_asked(retryable):
    played = run_handler("probe_fail", {"message": "Oh.", "retryable": retryable})
    assert played.error.message == "Oh."
    assert played.outcome.retryable is retryable


def test_secret_error_is_kept_inside():
    outcome = run_handler("probe_secret_error", {"secret": "s3cret"}).outcome
    assert "s3cret" not in str(outcome.payload.to_json())
    assert "s3cret" in outcome.trace


def test_crash_kills_its_process():
    code = (
        "import agents_app.agents, agents_app.testing as testing;"
        "testing.run_handler('probe_crash', {})"
    )
    ended = subprocess.run([sys.executable, "-c", code], check=False)
    assert ended.returncode == -signal.SIGKILL


def test_flaky_fails_as_often_as_asked():
    payload = {"file": "count", "failures": 2}
    played = [run_handler("probe_flaky", payload) for _ in range(3)]
    assert [one.outcome.retryable for one in played[:2]] == [True, True]
    assert played[2].result == {"tries": 3}


def test_need_info_returns_the_answer():
    played = run_handler("probe_need_info", {"fields": ["a"]}, answers=[{"a": 1}])
    assert played.result == {"provided": {"a": 1}}


def test_need_human_returns_the_decision():
    played = run_handler("probe_need_human", {"level": 3}, answers=[reject("No.")])
    assert played.questions[0].escalation_level == 3
    assert played.result["action"] == "reject"
    assert played.result["decided_by"] == {"user_id": "tester", "role": "operator"}


@pytest.mark.parametrize(
    ("question", "answer"), [("info", {"colour": "red"}), ("human", reject())]
)
def test_ledger_writes_each_effect_once(tmp_path, question, answer):
    payload = {"file": "ledger", "steps": 4, "question": question}
    run_handler("probe_ledger", payload, answers=[answer])
    lines = [json.loads(x) for x in (tmp_path / "ledger").read_text().splitlines()]
    assert [(line["attempt"], line["event"]) for line in lines] == [
        (1, "start"),
        (1, "effect-0"),
        (1, "effect-1"),
        (2, "start"),
        (2, "effect-2"),
        (2, "effect-3"),
        (2, "end"),
    ]
    assert {line["task"] for line in lines} == {"task-1"}


@pytest.mark.parametrize("file", ["../up", "/etc/passwd", "", "a b"])
def test_files_have_plain_names(file):
    assert (
        run_handler("probe_ledger", {"file": file}).error.code == Code.PAYLOAD_INVALID
    )


def test_ledger_names_its_attempt(tmp_path):
    assignment = Assignment(task_id="t-9", attempt=7, payload={"file": "ledger"})
    outcome = run(registry.get("probe_ledger"), assignment, MemoryHost())
    assert outcome.payload.result == {"attempt": 7}
