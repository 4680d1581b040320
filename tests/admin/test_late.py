"""The pages of a request whose deadline has passed (G42)."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tasks_app.models import Question, Task
from tests.admin.forms import decide_url, press, provide_url

pytestmark = pytest.mark.django_db


def expire(question: Question) -> None:
    due_at = timezone.now() - timedelta(seconds=1)
    Question.objects.filter(pk=question.pk).update(due_at=due_at)
    Task.objects.filter(pk=question.task_id).update(due_at=due_at)


def test_it_refuses_a_late_decision_and_says_so_g42(desk, ask) -> None:
    question = ask()
    page = desk.get(decide_url(question))
    expire(question)
    answer = press(desk, decide_url(question), page, action="approve")
    assert answer.status_code == 409
    text = answer.content.decode()
    assert "Nobody answered in time: ended by system:timeout" in text
    assert "Your answer was not used." in text
    question.refresh_from_db()
    assert question.state == "expired"


def test_it_offers_no_decision_after_the_deadline(desk, ask) -> None:
    question = ask()
    expire(question)
    text = desk.get(decide_url(question)).content.decode()
    assert "Its deadline has passed" in text
    assert 'value="approve"' not in text


def test_it_refuses_late_information_and_says_so_g42(office, ask_info) -> None:
    question = ask_info("colour")
    page = office.get(provide_url(question))
    expire(question)
    answer = press(office, provide_url(question), page, **{"value-0": "red"})
    assert answer.status_code == 409
    assert "Nobody answered in time" in answer.content.decode()
    question.task.refresh_from_db()
    assert question.task.error["code"] == 3003


def test_it_asks_for_nothing_after_the_deadline(office, ask_info) -> None:
    question = ask_info("colour")
    expire(question)
    text = office.get(provide_url(question)).content.decode()
    assert "Its deadline has passed" in text
    assert 'name="value-0"' not in text
