"""What people say: facts, claims, decisions (A2A 6.8, 6.10)."""

import pytest

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import (
    Action,
    DecidedBy,
    Decision,
    HumanDecision,
    TaskInfoProvided,
)
from agents_app.protocol.states import LIVE, TaskState
from tasks_app.policy import queue_key
from tasks_app.transition import desk
from tests.factories import POLICY, TASK_ID, after, snapshot, waiting
from tests.tasks.transition.saying import generations, routes, said

ASKING = (TaskState.NEED_HUMAN, TaskState.HUMAN_DECIDING)


def provide(task, complete=True):
    words = TaskInfoProvided(task_id=str(TASK_ID), provided_info={"colour": "red"})
    return desk.provide(
        task,
        words,
        complete=complete,
        together={"colour": "red", "size": 4},
        by="caller:1",
        now=after(2),
        policy=POLICY,
    )


def decide(task, action=Action.APPROVE):
    words = HumanDecision(
        task_id=str(TASK_ID),
        decision=Decision(action=action, option_id="a", value={"a": 1}),
        decided_by=DecidedBy(user_id="olga", role="operator"),
    )
    return desk.decide(task, words, by="desk:olga", now=after(2), policy=POLICY)


def claim(task):
    return desk.claim(task, user_id=7, by="desk:olga", now=after(2), policy=POLICY)


def release(task):
    return desk.release(
        task, by="desk:oscar", held_by="desk:olga", now=after(2), policy=POLICY
    )


def test_it_puts_a_task_with_all_its_facts_back_into_line():
    change = provide(waiting(TaskState.INFO_NEEDED))
    assert said(change) == ["task_info_provided"]
    assert change.after.state is TaskState.INFO_PROVIDED
    assert change.after.ready_at == after(2)
    assert change.after.queue_key == queue_key(after(2), "normal")
    assert change.after.due_at == after(602)


def test_it_answers_with_all_that_was_provided_so_far():
    change = provide(waiting(TaskState.INFO_NEEDED))
    assert change.closed is not None
    assert (change.closed.state, change.closed.by) == ("answered", "caller:1")
    assert change.closed.answer == change.answered == {"colour": "red", "size": 4}


def test_it_keeps_a_partial_answer_and_goes_on_waiting():
    before = waiting(TaskState.INFO_NEEDED)
    change = provide(before, complete=False)
    assert change.after.state is TaskState.INFO_NEEDED
    assert (change.after.ready_at, change.after.due_at) == (None, before.due_at)
    assert (change.closed, change.answered) == (None, None)
    assert change.provided == {"colour": "red", "size": 4}


@pytest.mark.parametrize("state", ASKING)
@pytest.mark.parametrize(
    ("action", "leads_to"),
    [
        (Action.APPROVE, TaskState.HUMAN_APPROVED),
        (Action.SELECT, TaskState.HUMAN_APPROVED),
        (Action.MODIFY, TaskState.HUMAN_APPROVED),
        (Action.REJECT, TaskState.HUMAN_REJECTED),
    ],
)
def test_it_lets_the_handler_go_on_with_the_decision(state, action, leads_to):
    """Decisions 19: a rejection is an answer too."""
    change = decide(waiting(state), action)
    assert said(change) == ["human_decision"]
    assert routes(change) == [("desk:olga", "agent:synapse")]
    assert change.after.state is leads_to
    assert change.after.ready_at == after(2)


def test_it_keeps_who_decided_what():
    change = decide(waiting(TaskState.NEED_HUMAN))
    assert change.answered == {
        "decision": {"action": "approve", "option_id": "a", "value": {"a": 1}},
        "decided_by": {"user_id": "olga", "role": "operator"},
    }
    assert change.after.status_message == "Approved by olga."


def test_it_says_who_holds_a_claimed_question():
    """Decisions 14: no seed message runs that way, so the note is internal."""
    change = claim(waiting(TaskState.NEED_HUMAN))
    assert said(change) == ["desk:claim"]
    assert change.after.state is TaskState.HUMAN_DECIDING
    assert change.held is not None
    assert (change.held.user_id, change.held.at) == (7, after(2))
    assert change.closed is None


def test_it_gives_a_released_question_back():
    change = release(waiting(TaskState.HUMAN_DECIDING))
    assert said(change) == ["desk:release"]
    assert change.after.state is TaskState.NEED_HUMAN
    assert change.held is not None
    assert change.held.user_id is None


def test_it_says_who_released_a_question_and_who_held_it():
    [logged] = release(waiting(TaskState.HUMAN_DECIDING)).messages
    assert logged.sender == "desk:oscar"
    assert logged.payload["held_by"] == "desk:olga"


@pytest.mark.parametrize("plan", [provide, decide, claim, release])
def test_it_numbers_the_message_after_the_last_one(plan):
    states = {provide: TaskState.INFO_NEEDED, release: TaskState.HUMAN_DECIDING}
    change = plan(waiting(states.get(plan, TaskState.NEED_HUMAN), generation=9))
    assert generations(change) == [10]
    assert change.after.generation == 10


@pytest.mark.parametrize(
    ("plan", "fitting"),
    [
        (provide, {TaskState.INFO_NEEDED}),
        (decide, set(ASKING)),
        (claim, {TaskState.NEED_HUMAN}),
        (release, {TaskState.HUMAN_DECIDING}),
    ],
)
def test_it_refuses_an_answer_that_nobody_waits_for(plan, fitting):
    """G04, G34: every live state but the fitting ones."""
    for state in LIVE - fitting:
        with pytest.raises(SynapseError) as refused:
            plan(snapshot(state=state))
        assert refused.value.code is Code.ILLEGAL_TRANSITION


@pytest.mark.parametrize("plan", [provide, decide, claim, release])
def test_it_refuses_an_answer_after_the_end(plan):
    """G34: decision after cancel."""
    with pytest.raises(SynapseError) as refused:
        plan(snapshot(state=TaskState.CANCELLED))
    assert refused.value.code is Code.TASK_ENDED
