"""The in-memory runner that agent authors test with: its own mistakes are loud."""

import pytest

from agents_app.context import AttemptStopped, StopReason
from agents_app.protocol.errors import SynapseError
from agents_app.testing import MemoryHost, approve, run_handler
from tests.agents.play import play


def asks(ctx):
    return ctx.need_info(["colour"], "Which?")


def test_it_stops_at_a_question_without_an_answer():
    played = play(asks)
    assert len(played.questions) == 1
    with pytest.raises(AssertionError, match="no result"):
        _ = played.result


def test_it_refuses_an_answer_of_the_wrong_kind():
    with pytest.raises(ValueError, match="does not answer"):
        play(asks, answers=[approve()])
    with pytest.raises(ValueError, match="does not answer"):
        play(lambda ctx: ctx.need_human(), answers=[{"colour": "red"}])


def test_it_refuses_an_answer_that_nobody_asked_for():
    with pytest.raises(ValueError, match="never asked"):
        play(lambda ctx: {}, answers=[approve()])


def test_it_knows_no_unknown_task_type():
    with pytest.raises(LookupError):
        run_handler("no_such_type", {})


def test_it_shows_the_traceback_when_a_result_was_expected():
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        _ = play(lambda ctx: 1 // 0).result


def test_it_can_stop_an_attempt_later():
    def handler(ctx):
        for percent in range(10):
            ctx.progress(percent)

    host = MemoryHost(stop_after=3)
    with pytest.raises(AttemptStopped) as stopped:
        play(handler, host=host)
    assert [report.progress for report in host.reports] == [0, 1, 2]
    assert stopped.value.reason is StopReason.CANCELLED


def test_it_gives_back_only_what_was_json():
    with pytest.raises(SynapseError, match="not a JSON value"):
        play(asks, answers=[{"colour": object()}])
