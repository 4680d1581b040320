"""G40, G41: one decision for each question, on what was shown."""

import pytest

from agents_app.protocol import ids
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import Action, Decision
from agents_app.protocol.states import TaskState
from agents_app.protocol.times import rfc3339
from tasks_app import desk, lifecycle, runner
from tasks_app.desk import Shown
from tasks_app.models import JournalEntry, Question
from tests.factories import open_question, operator, submitted
from tests.tasks.desk.conftest import APPROVE, REJECT, shown
from tests.tasks.racing import race


def refused(question, decision, user, on=None):
    with pytest.raises(SynapseError) as caught:
        desk.decide(on or shown(question), decision, user)
    return caught.value


@pytest.mark.parametrize(
    ("decision", "state"),
    [(APPROVE, TaskState.HUMAN_APPROVED), (REJECT, TaskState.HUMAN_REJECTED)],
)
def test_it_ends_the_question_and_puts_the_task_into_line(
    ask_human, olga, decision, state
):
    question = ask_human()
    desk.decide(shown(question), decision, olga)
    question.refresh_from_db()
    assert (question.state, question.closed_by) == ("answered", "desk:olga")
    assert question.task.state == state
    assert question.task.queue_key is not None


def test_it_logs_the_decision_as_a_message(ask_human, olga):
    """A2A 6.10: user and role; and which question, in which version."""
    question = ask_human(level=3)
    decision = Decision(action=Action.APPROVE, comment="Fine by me.")
    desk.decide(shown(question), decision, olga)
    said = question.task.messages.get(type="p2p:human_decision")
    assert said.sender == "desk:olga"
    assert said.payload == {
        "task_id": str(question.task_id),
        "request_id": str(question.pk),
        "version": 1,
        "decision": {"action": "approve", "comment": "Fine by me."},
        "decided_by": {"user_id": "olga", "role": "owner"},
    }


def test_it_journals_the_answer_where_the_handler_asked(ask_human, olga):
    question = ask_human()
    desk.decide(shown(question), REJECT, olga)
    entry = JournalEntry.objects.get()
    assert (entry.position, entry.kind, entry.name) == (0, "human", "level")
    assert entry.value["decision"] == {"action": "reject"}
    assert entry.value["decided_by"]["user_id"] == "olga"


def test_it_tells_the_loser_who_decided_and_when(ask_human, olga, oscar):
    question = ask_human()
    desk.decide(shown(question), APPROVE, olga)
    question.refresh_from_db()
    error = refused(question, REJECT, oscar)
    assert error.code is Code.ALREADY_DECIDED
    assert error.details == {
        "state": "answered",
        "by": "desk:olga",
        "at": rfc3339(question.closed_at),
    }


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("_", range(3))
def test_it_takes_one_of_two_decisions_at_once(ask_human, olga, oscar, _):
    """G40."""
    question = ask_human()
    results = race(
        lambda: desk.decide(shown(question), APPROVE, olga),
        lambda: desk.decide(shown(question), REJECT, oscar),
    )
    [loser] = [result for result in results if isinstance(result, SynapseError)]
    assert loser.code is Code.ALREADY_DECIDED
    [said] = question.task.messages.filter(type="p2p:human_decision")
    assert loser.details["by"] == said.sender
    assert JournalEntry.objects.count() == 1


def test_it_lets_the_holder_of_a_claim_decide(ask_human, olga):
    question = ask_human()
    desk.claim(shown(question), olga)
    desk.decide(shown(question), APPROVE, olga)
    question.refresh_from_db()
    assert question.claimed_by == olga
    assert question.task.state == TaskState.HUMAN_APPROVED


def test_it_refuses_a_decision_on_another_version(ask_human, olga):
    """G41: the form was loaded before the question changed."""
    question = ask_human()
    stale = Shown(question_id=question.pk, version=question.version + 1)
    error = refused(question, APPROVE, olga, on=stale)
    assert error.code is Code.QUESTION_CHANGED
    assert error.details == {"version": 1}


def test_it_does_not_take_an_old_page_for_the_next_question(caller, declare, olga):
    """G41: answer request 1 again while request 2 is open."""

    def handler(ctx):
        ctx.need_human(reason={"summary": "First."})
        ctx.need_human(reason={"summary": "Second."})

    declare(handler)
    task = submitted(caller, "test_type")
    runner.drain("default")
    old = shown(open_question(task))
    desk.decide(old, APPROVE, olga)
    runner.drain("default")
    with pytest.raises(SynapseError) as caught:
        desk.decide(old, APPROVE, olga)
    assert caught.value.code is Code.ALREADY_DECIDED
    second = open_question(task)
    assert second.version == 2
    assert second.reason == {"summary": "Second."}


def test_it_refuses_a_decision_after_a_cancel(ask_human, olga):
    """G34."""
    question = ask_human()
    lifecycle.cancel(question.task_id, by="caller:1", reason="Never mind.")
    error = refused(question, APPROVE, olga)
    assert error.code is Code.ALREADY_DECIDED
    assert error.details["state"] == "withdrawn"
    assert error.details["by"] == "caller:1"


def test_it_lets_cancel_or_decision_win_but_not_both(ask_human, olga):
    """The page was read before the cancel, the row after it."""
    question = ask_human()
    lifecycle.cancel(question.task_id, by="caller:1")
    Question.objects.filter(pk=question.pk).update(state="open")
    assert refused(question, APPROVE, olga).code is Code.TASK_ENDED


def test_it_says_that_a_question_is_unknown(db, olga):
    with pytest.raises(SynapseError) as caught:
        desk.claim(Shown(question_id=ids.new_id(), version=1), olga)
    assert caught.value.code is Code.QUESTION_CHANGED


def test_it_names_an_operator_with_the_longest_name(ask_human):
    """A user name has up to 150 characters, a name in a message 128."""
    question = ask_human()
    long_name = operator("o" * 150)
    desk.decide(shown(question), APPROVE, long_name)
    question.refresh_from_db()
    assert question.closed_by == f"desk:{'o' * 150}"
    assert question.answer["decided_by"]["user_id"] == "o" * 128
