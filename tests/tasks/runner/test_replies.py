"""Answers in the log name the message that they answer (design §3)."""

from agents_app.protocol.payloads import Action, Decision
from tasks_app import desk, lifecycle, runner
from tasks_app.desk import Shown
from tasks_app.models import Message, Question
from tests.factories import submitted


def answered_by(task_id, kind):
    """The type of the message that one of this type answers."""
    one = Message.objects.get(task_id=task_id, type=kind)
    return Message.objects.get(task_id=task_id, message_id=one.in_reply_to).type


def test_it_acknowledges_a_result(caller):
    task = submitted(caller)
    runner.drain("default")
    assert answered_by(task.id, "p2p:task_ack") == "p2p:task_complete"


def test_it_acknowledges_a_cancel(caller):
    task = submitted(caller)
    lifecycle.cancel(task.id, by="caller:x")
    assert answered_by(task.id, "p2p:task_ack") == "p2p:task_cancel"


def test_it_decides_the_question_that_was_asked(caller, olga):
    task = submitted(caller, "probe_need_human")
    runner.drain("default")
    question = Question.objects.get()
    shown = Shown(question_id=question.pk, version=question.version)
    desk.decide(shown, Decision(action=Action.APPROVE), olga)
    assert answered_by(task.id, "p2p:human_decision") == "p2p:task_need_human"


def test_it_provides_what_was_asked_for(caller):
    task = submitted(caller, "probe_need_info")
    runner.drain("default")
    desk.provide(task.id, {"colour": "blue"}, by="caller:x")
    assert answered_by(task.id, "p2p:task_info_provided") == "p2p:task_need_info"
