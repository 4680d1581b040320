"""Steps run once: what the journal keeps and what comes back from it."""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import partial

import pytest
from pydantic import BaseModel

from agents_app.context import JournalEntry, JournalKind
from agents_app.dispatch import Assignment, run
from agents_app.protocol.errors import Code
from agents_app.testing import MemoryHost, approve
from tests.agents.play import play, spec_of


class Price(BaseModel):
    amount: Decimal
    on: date


@dataclass
class Point:
    x: int
    y: int


def price() -> Price:
    return Price(amount=Decimal("12.50"), on=date(2024, 5, 31))


def point() -> Point:
    return Point(1, 2)


def decimals() -> list[Decimal]:
    return [Decimal("0.1"), Decimal("2")]


def pair() -> tuple[int, str]:
    return (1, "a")


def nothing() -> None:
    return None


def test_it_runs_a_step_once_however_often_the_task_is_interrupted():
    effects = []

    def handler(ctx):
        ctx.step("first", effects.append, "first")
        ctx.need_info(["colour"], "Which?")
        ctx.step("second", effects.append, "second")
        ctx.need_human(reason={})
        ctx.step("third", effects.append, "third")
        return {}

    played = play(handler, answers=[{"colour": "red"}, approve()])
    assert played.attempts == 3
    assert effects == ["first", "second", "third"]


@pytest.mark.parametrize("function", [price, point, decimals, pair, nothing])
def test_it_gives_a_resumed_run_the_type_the_first_run_had(function):
    seen = []

    def handler(ctx):
        seen.append(ctx.step("make", function))
        ctx.need_info(["colour"], "Which?")
        return {}

    play(handler, answers=[{"colour": "red"}]).result  # noqa: B018
    assert seen == [function(), function()]
    assert type(seen[0]) is type(seen[1]) is type(function())


def test_it_reads_the_annotation_of_bound_methods_and_partials():
    class Shop:
        def price_of(self, amount: str) -> Decimal:
            return Decimal(amount)

    def handler(ctx):
        whole = ctx.step("method", Shop().price_of, "1.10")
        part = ctx.step("partial", partial(Shop().price_of, "2.20"))
        return {"types": [type(whole).__name__, type(part).__name__]}

    assert play(handler).result == {"types": ["Decimal", "Decimal"]}


def test_it_shows_a_lossy_type_in_the_first_run_already():
    def handler(ctx):
        return {"type": type(ctx.step("no annotation", lambda: (1, 2))).__name__}

    assert play(handler).result == {"type": "list"}


def test_it_passes_arguments_on():
    def joined(*parts: str, by: str) -> str:
        return by.join(parts)

    def handler(ctx):
        return {"joined": ctx.step("join", joined, "a", "b", by="-")}

    assert play(handler).result == {"joined": "a-b"}


@pytest.mark.parametrize("value", ["a\0b", float("nan"), "\ud800", 10**400])
def test_it_refuses_a_step_value_that_no_row_can_hold(value):
    def handler(ctx):
        ctx.step("odd", lambda: value)

    played = play(handler)
    assert played.error.code == Code.RESULT_INVALID
    assert played.host.steps == []


def test_it_refuses_a_step_value_over_one_megabyte():
    def handler(ctx):
        ctx.step("big", lambda: "x" * 1_000_001)

    assert play(handler).error.code == Code.RESULT_INVALID


def test_it_refuses_a_value_that_is_not_what_the_annotation_says():
    def wrong() -> int:
        return "seven"

    played = play(lambda ctx: ctx.step("wrong", wrong))
    assert played.error.code == Code.HANDLER_FAILED
    assert "Expected `int`" in played.outcome.trace


def test_it_does_not_remember_a_step_that_failed():
    def handler(ctx):
        ctx.step("divide", lambda: 1 // 0)

    played = play(handler)
    assert played.host.steps == []
    assert played.outcome.retryable


def test_it_refuses_a_step_inside_a_step():
    def handler(ctx):
        ctx.step("outer", lambda: ctx.step("inner", lambda: 1))

    assert "cannot contain another step" in play(handler).outcome.trace


def test_it_allows_a_step_after_one_that_failed_and_was_caught():
    def handler(ctx):
        try:
            ctx.step("divide", lambda: 1 // 0)
        except ZeroDivisionError:
            return {"value": ctx.step("instead", lambda: 0)}

    assert play(handler).result == {"value": 0}


def test_it_notices_that_the_return_type_of_a_step_has_changed():
    entry = JournalEntry(
        position=0, kind=JournalKind.STEP, name="make", value="no price"
    )
    played = run(
        spec_of(lambda ctx: ctx.step("make", price)),
        Assignment(task_id="t", attempt=2, payload={}, journal=(entry,)),
        MemoryHost(),
    )
    assert played.payload.error.code == Code.JOURNAL_MISMATCH


def test_it_attaches_a_file_once_however_often_the_task_is_interrupted():
    def handler(ctx):
        file_id = ctx.attach("a.txt", b"hello", "text/plain")
        ctx.need_info(["colour"], "Which?")
        return {"file": file_id}

    played = play(handler, answers=[{"colour": "red"}])
    assert [file.data for file in played.host.attached] == [b"hello"]
    assert played.result == {"file": played.host.attached[0].id}


def test_it_attaches_inside_a_step_without_a_number_of_its_own():
    def handler(ctx):
        return {"file": ctx.step("book", ctx.attach, "a.txt", b"hello", "text/plain")}

    played = play(handler)
    assert [entry.name for entry in played.host.steps] == ["book"]
    assert played.result == {"file": "file-1"}
