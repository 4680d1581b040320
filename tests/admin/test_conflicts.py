"""One decision per request (G40), and only for what was shown (G41)."""

from functools import partial

import pytest
from django.test import Client

from agents_app.protocol.errors import Code, SynapseError
from tasks_app import desk as verbs
from tasks_app import lifecycle, runner
from tasks_app.desk import Shown
from tasks_app.models import HumanRequest, Message, Question, QuestionState
from tests.admin.forms import controls, decide_url, press
from tests.factories import operator
from tests.tasks.racing import race


def decisions(question: Question) -> int:
    sent = Message.objects.filter(task=question.task_id, type="p2p:human_decision")
    return sent.count()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("_", range(3))
def test_it_takes_one_of_two_decisions_at_once_g40(ask, enter, olga, _) -> None:
    question, oscar = ask(), operator("oscar")
    data = {"question": question.pk, "version": 1}
    answers = race(
        partial(enter(olga).post, decide_url(question), data | {"action": "approve"}),
        partial(enter(oscar).post, decide_url(question), data | {"action": "reject"}),
    )
    assert sorted(answer.status_code for answer in answers) == [302, 409]
    assert decisions(question) == 1
    winner = "olga" if answers[0].status_code == 302 else "oscar"
    loser = next(answer for answer in answers if answer.status_code == 409)
    assert f"Answered by {winner} at" in loser.content.decode()


@pytest.mark.django_db
def test_it_refuses_the_second_click_g40(desk, ask) -> None:
    question = ask()
    page = desk.get(decide_url(question))
    press(desk, decide_url(question), page, action="approve")
    again = press(desk, decide_url(question), page, action="reject")
    assert again.status_code == 409
    assert "Answered by you at" in again.content.decode()
    assert decisions(question) == 1


@pytest.mark.django_db
def test_it_refuses_what_somebody_else_holds(desk, ask) -> None:
    question = ask()
    page = desk.get(decide_url(question))
    verbs.claim(Shown(question_id=question.pk, version=1), operator("oscar"))
    answer = press(desk, decide_url(question), page, action="approve")
    assert answer.status_code == 409
    assert "oscar took this request in hand at" in answer.content.decode()
    assert decisions(question) == 0


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["claim", "release"])
def test_it_leaves_what_somebody_else_holds_with_them(desk, ask, page) -> None:
    question, oscar = ask(), operator("oscar")
    verbs.claim(Shown(question_id=question.pk, version=1), oscar)
    answer = desk.post(decide_url(question, page), {"version": 1})
    question.refresh_from_db()
    assert (answer.status_code, question.claimed_by) == (409, oscar)


@pytest.fixture
def two_questions(caller, declare) -> tuple[HumanRequest, HumanRequest]:
    """The first is decided; the second asks for the same thing again."""

    def handler(ctx):
        return {"said": [str(ctx.need_human().action), str(ctx.need_human().action)]}

    declare(handler)
    lifecycle.submit(
        lifecycle.Submission(caller_id=caller.pk, task_type="test_type", payload={})
    )
    runner.drain("default")
    first = HumanRequest.objects.get()
    client = Client()
    client.force_login(operator("otto"))
    press(client, decide_url(first), action="approve")
    runner.drain("default")
    return first, HumanRequest.objects.get(state=QuestionState.OPEN)


@pytest.mark.django_db
def test_it_refuses_a_page_of_the_question_before_g41(desk, two_questions) -> None:
    first, second = two_questions
    data = {"question": first.pk, "version": first.version, "action": "approve"}
    answer = desk.post(decide_url(first), data)
    assert answer.status_code == 409
    assert decide_url(second) in answer.content.decode()
    assert decisions(second) == 1


@pytest.mark.django_db
@pytest.mark.parametrize("stale", ["question", "version"])
def test_it_refuses_an_answer_to_something_else_g41(desk, two_questions, stale) -> None:
    first, second = two_questions
    shown = {"question": second.pk, "version": second.version, "action": "approve"}
    wrong = {"question": first.pk, "version": first.version}
    answer = desk.post(decide_url(second), shown | {stale: wrong[stale]})
    assert answer.status_code == 409
    assert "changed its question" in answer.content.decode()
    assert decisions(second) == 1


@pytest.mark.django_db
@pytest.mark.parametrize("version", ["", "x", "-1", "9" * 40, "2"])
@pytest.mark.parametrize("page", ["decide", "claim", "release"])
def test_it_refuses_a_version_it_never_showed_g41(desk, ask, page, version) -> None:
    question = ask()
    data = controls(desk.get(decide_url(question)))
    data |= {"action": "approve", "version": version}
    assert desk.post(decide_url(question, page), data).status_code == 409
    question.refresh_from_db()
    assert question.is_open


@pytest.mark.django_db
def test_it_says_when_the_task_kept_changing(desk, ask, monkeypatch) -> None:
    question = ask()

    def keeps_losing(*_: object) -> None:
        raise SynapseError(Code.CHANGED_MEANWHILE)

    monkeypatch.setattr(verbs, "decide", keeps_losing)
    answer = press(desk, decide_url(question), action="approve")
    assert answer.status_code == 409
    assert "kept changing while this was applied" in answer.content.decode()
    assert controls(answer)["version"] == "1"


@pytest.mark.django_db
def test_it_says_that_a_cancelled_task_needs_nothing(desk, ask) -> None:
    question = ask()
    page = desk.get(decide_url(question))
    lifecycle.cancel(question.task_id, by=f"caller:{question.task.caller_id}")
    answer = press(desk, decide_url(question), page, action="approve")
    assert answer.status_code == 409
    assert "No longer needed" in answer.content.decode()


@pytest.mark.django_db
def test_it_names_the_timeout_as_who_decided_g42(desk, ask) -> None:
    question = ask()
    page = desk.get(decide_url(question))
    verbs.decide_by_timeout(question)
    answer = press(desk, decide_url(question), page, action="approve")
    assert answer.status_code == 409
    assert "ended by system:timeout at" in answer.content.decode()
