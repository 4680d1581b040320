"""A question ends the attempt; its answer starts the next one (design §6)."""

import pytest

from agents_app.context import MissingField
from agents_app.protocol.errors import Code
from agents_app.protocol.payloads import Action, Decision
from agents_app.protocol.states import TaskState
from tasks_app import desk
from tasks_app.models import JournalEntry, Question
from tests.factories import log, open_question, row


def answer_info(task, **provided):
    desk.provide(task.id, provided, by="caller:1")


def approve(task, user):
    question = open_question(task)
    shown = desk.Shown(question_id=question.pk, version=question.version)
    desk.decide(shown, Decision(action=Action.APPROVE, comment="Fine."), user)


def test_it_holds_no_worker_while_it_waits(run):
    """G17."""
    task = row(run("probe_need_info"))
    assert task.state == TaskState.INFO_NEEDED
    assert (task.leased_until, task.worker, task.queue_key) == (None, "", None)


def test_it_hands_the_provided_facts_to_the_handler(run, run_again):
    task = run("probe_need_info", payload={"fields": ["colour", "size"]})
    answer_info(task, colour="red", size=[1])
    run_again()
    assert row(task).result == {"provided": {"colour": "red", "size": [1]}}


def test_it_hands_the_decision_to_the_handler(run, run_again, olga):
    task = run("probe_need_human")
    approve(task, olga)
    run_again()
    result = row(task).result
    assert (result["action"], result["comment"]) == ("approve", "Fine.")
    assert result["decided_by"] == {"user_id": "olga", "role": "operator"}


@pytest.mark.parametrize("question", ["info", "human"])
def test_it_does_not_redo_the_work_before_a_question(
    run, run_again, effects, olga, question
):
    """G46: each effect once, in order."""
    payload = {"file": "notes", "steps": 4, "question": question}
    task = run("probe_ledger", payload=payload)
    assert effects() == ["start", "effect-0", "effect-1"]
    if question == "info":
        answer_info(task, colour="red")
    else:
        approve(task, olga)
    run_again()
    rest = ["start", "effect-2", "effect-3", "end"]
    assert effects() == ["start", "effect-0", "effect-1", *rest]
    assert row(task).result == {"attempt": 2}


def test_it_asks_one_question_after_the_other(run, run_again, declare):
    def handler(ctx):
        first = ctx.need_info(["a"], "A?")
        second = ctx.need_info(["b"], "B?")
        return first | second

    declare(handler)
    task = run()
    answer_info(task, a=1)
    run_again()
    assert open_question(task).version == 2
    answer_info(task, b=2)
    run_again()
    assert row(task).result == {"a": 1, "b": 2}
    assert [entry.position for entry in JournalEntry.objects.all()] == [0, 1]


def test_it_fails_when_the_handler_changed_while_it_waited(run, run_again, declare):
    asked = iter(["colour", "size"])
    declare(lambda ctx: ctx.need_info([next(asked)], "Which?"))
    task = run()
    answer_info(task, colour="red")
    run_again()
    error = row(task).error
    assert error["code"] == Code.JOURNAL_MISMATCH
    assert error["details"]["expected"] == {"kind": "info", "name": "colour"}
    assert [a.outcome for a in row(task).attempts.all()] == ["parked", "failed"]


def test_it_keeps_the_question_with_all_that_the_agent_said(run, declare):
    def handler(ctx):
        ctx.step("look", lambda: 1)
        ctx.need_human(
            level=2,
            reason={"summary": "Too expensive.", "amount": 5},
            options=["yes", "no"],
            suggested_value={"amount": 4},
            decision_schema={"type": "object"},
        )

    declare(handler, answer_within_s=60)
    question = open_question(run())
    assert (question.kind, question.level, question.position) == ("human", 2, 1)
    assert question.reason == {"summary": "Too expensive.", "amount": 5}
    assert [option["id"] for option in question.options] == ["yes", "no"]
    assert question.suggested_value == {"amount": 4}
    assert question.decision_schema == {"type": "object"}
    assert (question.due_at - question.created_at).total_seconds() == 60


def test_it_takes_an_answer_to_many_fields_with_long_names(run, run_again, declare):
    """Their names together are the name of the journal entry."""
    names = [f"{letter * 100}" for letter in "abcdefgh"]
    declare(lambda ctx: ctx.need_info([MissingField(name=n) for n in names], "Which?"))
    task = run()
    answer_info(task, **dict.fromkeys(names, 1))
    run_again()
    assert row(task).result == dict.fromkeys(names, 1)


def test_it_says_each_thing_once_in_the_log(run, run_again):
    """A2A 5.2."""
    task = run("probe_need_info")
    answer_info(task, colour="red")
    run_again()
    assert log(task) == [
        "task_request",
        "task_confirm",
        "task_status_update",
        "task_need_info",
        "task_info_provided",
        "task_status_update",
        "task_complete",
        "task_ack",
    ]
    assert Question.objects.get().state == "answered"
