"""A question ends the attempt and waits without a worker (A2A 6.7, 6.9, G17)."""

import pytest

from agents_app.protocol.payloads import (
    MissingField,
    Option,
    TaskNeedHuman,
    TaskNeedInfo,
)
from agents_app.protocol.states import TaskState
from tasks_app.transition import attempts
from tests.factories import POLICY, TASK_ID, after, running, snapshot, waiting
from tests.tasks.transition.saying import said

INFO = TaskNeedInfo(
    task_id=str(TASK_ID),
    missing_fields=(MissingField(name="colour", type="string"),),
    reason="Which colour?",
)
HUMAN = TaskNeedHuman(
    task_id=str(TASK_ID),
    escalation_level=2,
    reason={"summary": "Too expensive."},
    options=(Option(id="half", label="Half of it"),),
    suggested_value={"amount": 5},
    decision_schema={"type": "object"},
)


def ask(task, question=INFO, position=3):
    return attempts.ask(task, question, position=position, now=after(2), policy=POLICY)


@pytest.mark.parametrize(
    ("question", "kind", "state"),
    [
        (INFO, "task_need_info", TaskState.INFO_NEEDED),
        (HUMAN, "task_need_human", TaskState.NEED_HUMAN),
    ],
)
def test_it_parks_the_task(question, kind, state):
    change = ask(running(failures=2), question)
    assert said(change) == [kind]
    assert change.after.state is state
    assert (change.after.leased_until, change.after.ready_at) == (None, None)
    assert change.ended is not None
    assert change.ended.outcome == "parked"
    assert change.after.failures == 0


def test_it_stops_the_clock_of_the_task():
    """Decisions 42: what is due now is the answer, not the run."""
    change = ask(running(), INFO)
    assert change.after.spent_ms == 2000
    assert change.after.due_at == after(3602)
    resumed = snapshot(
        state=TaskState.INFO_PROVIDED, spent_ms=change.after.spent_ms, attempt=1
    )
    begun = attempts.begin(resumed, worker="w", now=after(9000), policy=POLICY)
    assert begun.after.due_at == after(9000 + 100 - 2)


def test_it_waits_as_long_as_the_handler_said():
    patient = INFO.model_copy(update={"answer_within_s": 7})
    assert ask(running(), patient).after.due_at == after(9)


@pytest.mark.parametrize("seconds", [10**10, 10**30])
def test_it_waits_no_longer_than_there_are_dates(seconds):
    """An agent may say any number; its neighbours in a batch must not suffer."""
    endless = INFO.model_copy(update={"answer_within_s": seconds})
    assert ask(running(), endless).after.due_at.year == 2034


def test_it_opens_the_info_question():
    opened = ask(running(), INFO).opened
    assert opened is not None
    assert (opened.kind, opened.position, opened.due_at) == ("info", 3, after(3602))
    assert opened.missing_fields == (
        {"name": "colour", "type": "string", "required": True},
    )
    assert opened.reason == {"summary": "Which colour?"}


def test_it_opens_the_human_question():
    opened = ask(running(), HUMAN).opened
    assert opened is not None
    assert (opened.kind, opened.level) == ("human", 2)
    assert opened.options == ({"id": "half", "label": "Half of it"},)
    assert opened.suggested_value == {"amount": 5}
    assert opened.decision_schema == {"type": "object"}
    assert opened.asked_by == "agent:synapse"


def test_it_names_the_question_in_the_message():
    """Decisions 18: an answer says which question it is for."""
    change = ask(running(), HUMAN)
    assert change.opened is not None
    assert change.messages[0].payload["request_id"] == str(change.opened.id)


@pytest.mark.parametrize(
    ("question", "text"), [(INFO, "Which colour?"), (HUMAN, "Too expensive.")]
)
def test_it_shows_what_the_task_waits_for(question, text):
    assert ask(running(), question).after.status_message == text


def test_it_replaces_a_question_that_was_open():
    """G41: the old one closes, and with it every page that shows it."""
    change = ask(waiting(TaskState.INFO_NEEDED), HUMAN)
    assert change.closed is not None
    assert change.closed.state == "withdrawn"
    assert change.opened is not None


def test_it_confirms_a_task_that_asks_at_once():
    """A2A 5.2 skips the confirm."""
    assert said(ask(snapshot())) == ["task_confirm", "task_need_info"]
