"""From payload to outcome: validation, errors, and what never leaves the house."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from agents_app.context import HandlerError
from agents_app.protocol.errors import CATALOGUE, Code, SynapseError
from agents_app.protocol.payloads import TaskComplete
from agents_app.results import InWords
from tests.agents.play import Anything, play


class Order(BaseModel):
    model_config = ConfigDict(strict=True)

    day: date
    price: Decimal
    count: int = Field(default=1, ge=1)


class Bill(BaseModel):
    total: Decimal
    paid_by: str = Field(default="nobody", alias="paidBy")


def raising(error):
    def handler(ctx):
        raise error

    return handler


def test_it_gives_the_handler_its_validated_input():
    def handler(ctx):
        return {"types": [type(ctx.payload.day).__name__, ctx.payload.count]}

    played = play(handler, {"day": "2024-05-31", "price": "1.5"}, input=Order)
    assert played.result == {"types": ["date", 1]}


def test_it_names_the_fields_of_a_payload_that_does_not_fit():
    payload = {"day": "tomorrow", "price": "1", "count": 0}
    error = play(lambda ctx: {}, payload, input=Order).error
    assert error.code == Code.PAYLOAD_INVALID
    assert set(error.details["fields"]) == {"day", "count"}
    assert "tomorrow" not in str(error.details)


def test_it_returns_the_output_as_its_schema_describes_it():
    played = play(lambda ctx: Bill(total=Decimal("1.50")), output=Bill)
    assert isinstance(played.outcome.payload, TaskComplete)
    assert played.result == {"total": "1.50", "paidBy": "nobody"}


@pytest.mark.parametrize("result", [None, "text", [], {"paidBy": "x"}, object()])
def test_it_refuses_a_result_that_breaks_its_own_schema(result):
    played = play(lambda ctx: result, output=Bill)
    assert played.error.code == Code.RESULT_INVALID
    assert not played.outcome.retryable


class Text(BaseModel):
    value: str | float


@pytest.mark.parametrize("value", ["a\0b", "\ud800", float("inf"), "x" * 1_000_001])
def test_it_refuses_a_result_that_no_row_can_hold(value):
    played = play(lambda ctx: {"value": value}, output=Text)
    assert played.error.code == Code.RESULT_INVALID


class Loose(BaseModel):
    model_config = ConfigDict(extra="allow")

    typed: float = 0.0
    untyped: object = None
    several: list = []


@dataclass
class Point:
    x: float


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
@pytest.mark.parametrize(
    "result",
    [
        lambda number: {"typed": number},
        lambda number: {"untyped": number},
        lambda number: {"extra": number},
        lambda number: {"several": [0, {"deep": (number,)}]},
        lambda number: {"extra": {1.0, number}},
        lambda number: {"extra": [Point(number)]},
        lambda number: {"extra": Loose(more=number)},
    ],
)
def test_it_refuses_a_number_that_json_has_no_word_for(result, number):
    """Not null in its place: the caller would never know."""
    played = play(lambda ctx: result(number), output=Loose)
    assert played.error.code == Code.RESULT_INVALID
    assert not played.outcome.retryable


def test_it_keeps_numbers_that_only_look_odd():
    result = {"typed": 1.7e308, "untyped": -0.0, "extra": [5e-324, None]}
    assert play(lambda ctx: result, output=Loose).result == {**result, "several": []}


def test_it_never_shows_the_text_of_a_foreign_exception():
    outcome = play(raising(RuntimeError("password is hunter2"))).outcome
    told = outcome.payload.to_json()
    assert told["error"]["code"] == Code.HANDLER_FAILED
    assert told["error"]["message"] == CATALOGUE[Code.HANDLER_FAILED].text
    assert "hunter2" not in str(told)
    assert "hunter2" in outcome.trace


def test_it_logs_the_whole_traceback(caplog):
    play(raising(RuntimeError("password is hunter2")))
    assert "hunter2" in caplog.text
    assert "task task-1 attempt 1: raised RuntimeError" in caplog.text


def test_it_may_retry_an_ordinary_exception():
    assert play(raising(OSError("disk"))).outcome.retryable


def test_it_does_not_retry_what_the_handler_declared_hopeless():
    limits = {"non_retryable": (LookupError,)}
    assert not play(raising(KeyError("x")), limits=limits).outcome.retryable
    assert play(raising(OSError("x")), limits=limits).outcome.retryable


@pytest.mark.parametrize("retryable", [True, False])
def test_a_handler_may_fail_in_its_own_words(retryable):
    error = HandlerError("Out of paper.", retryable=retryable, details={"tray": 2})
    played = play(raising(error))
    assert played.error.code == Code.HANDLER_FAILED
    assert (played.error.message, played.error.details) == (
        "Out of paper.",
        {"tray": 2},
    )
    assert played.outcome.retryable is retryable


@pytest.mark.parametrize(
    ("code", "retryable"),
    [(Code.TASK_REJECTED, False), (Code.DATABASE_UNAVAILABLE, True)],
)
def test_it_keeps_the_code_of_a_deliberate_error(code, retryable):
    played = play(raising(SynapseError(code, "As meant.")))
    assert (played.error.code, played.error.message) == (code, "As meant.")
    assert played.outcome.retryable is retryable


@pytest.mark.parametrize("details", [{"x": "a\0b"}, {"x": object()}, {1: 2}])
def test_an_error_that_cannot_be_stored_loses_its_text(details):
    error = play(raising(HandlerError("Odd.", details=details))).error
    assert error.message == CATALOGUE[Code.HANDLER_FAILED].text
    assert error.details == {}


def test_its_trace_is_bounded_and_fits_into_a_row():
    trace = play(
        raising(RuntimeError("\0\ud800" + "x" * 100_000 + "end"))
    ).outcome.trace
    assert len(trace) == 20_000
    assert trace.rstrip().endswith("end")
    short = play(raising(RuntimeError("\0\ud800"))).outcome.trace
    assert "\0" not in short
    assert short.encode()


@pytest.mark.parametrize("code", [0, 1, "bye"])
def test_it_takes_a_request_to_end_the_process_for_a_failure(code):
    played = play(raising(SystemExit(code)))
    assert played.error.code == Code.HANDLER_FAILED
    assert "bye" not in str(played.error)
    assert played.outcome.retryable


def test_an_interrupt_from_the_keyboard_passes_through():
    with pytest.raises(KeyboardInterrupt):
        play(raising(KeyboardInterrupt()))


class Spoken(Anything, InWords):
    def in_words(self):
        return self.model_extra["words"]


def test_the_result_says_itself_in_one_line():
    played = play(lambda ctx: {"words": "Sent to " + "x" * 600}, output=Spoken)
    assert played.outcome.payload.summary == "Sent to " + "x" * 492


def test_a_summary_that_no_row_can_hold_is_an_invalid_result():
    class Unspeakable(Spoken):
        def in_words(self):
            return "\ud800"

    assert play(lambda ctx: {}, output=Unspeakable).error.code == Code.RESULT_INVALID
