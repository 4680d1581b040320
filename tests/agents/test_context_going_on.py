"""Progress, files, the log, and noticing that the attempt should end."""

import logging
from datetime import UTC, datetime

import pytest

from agents_app.context import AttemptStopped, StopReason
from agents_app.protocol.errors import Code
from agents_app.testing import MemoryHost, task_file
from tests.agents.play import play

CALLS = {
    "progress": lambda ctx: ctx.progress(1),
    "step": lambda ctx: ctx.step("a", lambda: 1),
    "need_info": lambda ctx: ctx.need_info(["a"], "b"),
    "need_human": lambda ctx: ctx.need_human(),
    "attach": lambda ctx: ctx.attach("a", b"", "text/plain"),
    "check": lambda ctx: ctx.check(),
}


def test_it_reports_progress():
    eta = datetime(2030, 1, 1, tzinfo=UTC)

    def handler(ctx):
        ctx.progress(0)
        ctx.progress(100, "Done", eta=eta)
        return {}

    reports = play(handler).host.reports
    assert [(report.progress, report.message) for report in reports] == [
        (0, ""),
        (100, "Done"),
    ]
    assert reports[1].eta == eta


@pytest.mark.parametrize("percent", [-1, 101, True, 50.0, "50", None])
def test_it_refuses_progress_that_is_no_whole_percentage(percent):
    played = play(lambda ctx: ctx.progress(percent))
    assert played.error.code == Code.PROGRESS_INVALID
    assert played.host.reports == []


def test_it_refuses_an_eta_without_a_time_zone():
    naive = datetime(2030, 1, 1)  # noqa: DTZ001 - The mistake under test.
    played = play(lambda ctx: ctx.progress(1, eta=naive))
    assert "needs a time zone" in played.outcome.trace


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_every_call_ends_a_stopped_attempt(call):
    host = MemoryHost(stop=StopReason.CANCELLED)
    with pytest.raises(AttemptStopped) as stopped:
        play(call, host=host)
    assert stopped.value.reason is StopReason.CANCELLED
    assert (host.reports, host.steps, host.attached) == ([], [], [])


def test_a_handler_cannot_swallow_a_stop_by_catching_exceptions():
    def handler(ctx):
        try:
            ctx.progress(1)
        except Exception:  # noqa: BLE001 - The mistake under test.
            return {}

    with pytest.raises(AttemptStopped):
        play(handler, host=MemoryHost(stop=StopReason.FENCED))


def test_a_step_whose_record_comes_too_late_ends_the_attempt():
    host = MemoryHost(stop_after=1)

    def handler(ctx):
        ctx.progress(1)
        ctx.step("late", lambda: 1)

    with pytest.raises(AttemptStopped):
        play(handler, host=host)
    assert host.steps == []


def test_a_handler_can_look_without_ending():
    host = MemoryHost()

    def handler(ctx):
        before = ctx.cancelled
        host.stop = StopReason.CANCELLED
        return {"seen": [before, ctx.cancelled]}

    assert play(handler, host=host).result == {"seen": [False, True]}


def test_it_hands_over_the_files(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"hello")

    def handler(ctx):
        (file,) = ctx.files
        with file.open() as opened:
            head = opened.read(2).decode()
        return {"head": head, "all": file.read().decode(), "type": file.content_type}

    files = [task_file(tmp_path / "a.txt")]
    played = play(handler, files=files, limits={"accepts_files": True})
    assert played.result == {"head": "he", "all": "hello", "type": "text/plain"}


def test_its_log_lines_name_task_and_attempt(caplog):
    def handler(ctx):
        ctx.log.warning("odd %s", "thing", extra={"colour": "red"})
        return {}

    play(handler)
    (record,) = [line for line in caplog.records if line.levelno == logging.WARNING]
    assert record.getMessage() == "task task-1 attempt 1: odd thing"
    assert (record.task_id, record.attempt, record.colour) == ("task-1", 1, "red")


@pytest.mark.parametrize("bad", ["a\ud800b", "a\x00b", "x" * 1_100_000])
@pytest.mark.parametrize(
    "say",
    [
        lambda ctx, text: ctx.progress(10, text),
        lambda ctx, text: ctx.attach(text, b"", "text/plain"),
        lambda ctx, text: ctx.attach("a.txt", b"", text),
        lambda ctx, text: ctx.step(text, dict),
    ],
)
def test_it_refuses_words_that_no_row_can_hold(say, bad):
    played = play(lambda ctx: say(ctx, bad))
    assert played.error.code == Code.RESULT_INVALID
