"""An operator supplies what a caller owes."""

import pytest
from django.urls import reverse

from tasks_app import desk as verbs
from tasks_app import lifecycle
from tasks_app.models import Message, Question
from tests.admin.forms import controls, press, provide_url
from tests.factories import log

pytestmark = pytest.mark.django_db
LIST = reverse("admin:tasks_app_inforequest_changelist")
FIELDS = (
    {"name": "amount", "type": "number", "description": "The total."},
    {"name": "vendor", "schema": {"type": "string", "minLength": 2}},
    {"name": "note", "required": False},
)


def provided(question: Question) -> dict:
    question.refresh_from_db()
    return question.provided


def test_it_lists_what_is_missing(desk, enter, staff, ask_info) -> None:
    question = ask_info("colour", "size")
    page = enter(staff("provide_info")).get(LIST).content.decode()
    assert "colour, size" in page
    assert provide_url(question) in page
    assert desk.get(LIST).status_code == 403


def test_it_supplies_the_facts_with_their_types(office, ask_info) -> None:
    question = ask_info(*FIELDS)
    answer = press(
        office, provide_url(question), **{"value-0": "12.50", "value-1": "Quill"}
    )
    assert answer.status_code == 302
    assert provided(question) == {"amount": 12.5, "vendor": "Quill"}
    assert question.closed_by == "desk:boss"
    assert question.answer == question.provided


def test_it_asks_for_the_rest_after_a_part(office, ask_info) -> None:
    question = ask_info(*FIELDS)
    answer = press(office, provide_url(question), **{"value-0": "3"})
    assert answer.headers["location"] == provide_url(question)
    page = office.get(provide_url(question))
    assert "Something is still missing." in page.content.decode()
    assert controls(page)["value-0"] == "3"
    press(office, provide_url(question), page, **{"value-1": "Quill"})
    sent = Message.objects.filter(type="p2p:task_info_provided").order_by("generation")
    assert [one.payload["provided_info"] for one in sent] == [
        {"amount": 3},
        {"vendor": "Quill"},
    ]
    assert not Question.objects.get(pk=question.pk).is_open


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        ({}, "Fill in at least one field"),
        ({"value-0": "much"}, "a number such as"),
        ({"value-1": "Q"}, "must have at least"),
    ],
)
def test_it_shows_the_form_again_for_bad_input(
    office, ask_info, typed, complaint
) -> None:
    question = ask_info(*FIELDS)
    answer = press(office, provide_url(question), **typed)
    assert answer.status_code == 422
    assert complaint in answer.content.decode()
    assert typed.items() <= controls(answer).items()
    assert provided(question) == {}


def test_it_refuses_a_page_that_somebody_else_answered(office, ask_info) -> None:
    question = ask_info("colour")
    page = office.get(provide_url(question))
    by = f"caller:{question.task.caller_id}"
    verbs.provide(question.task_id, {"colour": "red"}, by=by)
    answer = press(office, provide_url(question), page, **{"value-0": "blue"})
    assert answer.status_code == 409
    assert "Answered by the caller at" in answer.content.decode()
    assert provided(question) == {"colour": "red"}


def test_it_refuses_another_version(office, ask_info) -> None:
    question = ask_info("colour")
    answer = press(office, provide_url(question), version="2", **{"value-0": "blue"})
    assert answer.status_code == 409
    assert provided(question) == {}


def test_it_says_that_a_cancelled_task_needs_nothing(office, ask_info) -> None:
    question = ask_info("colour")
    page = office.get(provide_url(question))
    lifecycle.cancel(question.task_id, by=f"caller:{question.task.caller_id}")
    answer = press(office, provide_url(question), page, **{"value-0": "blue"})
    assert answer.status_code == 409
    assert "No longer needed" in answer.content.decode()


def test_it_refuses_who_may_only_look(enter, staff, ask_info) -> None:
    question = ask_info("colour")
    client = enter(staff("view_inforequest"))
    page = client.get(provide_url(question))
    assert "value-0" not in controls(page)
    answer = client.post(provide_url(question), {"version": 1, "value-0": "blue"})
    assert answer.status_code == 403
    assert provided(question) == {}


def test_it_shows_settled_requests_in_their_box(office, ask_info) -> None:
    first, second = ask_info("colour"), ask_info("size")
    press(office, provide_url(first), **{"value-0": "red"})
    opened = office.get(LIST).context["cl"].result_list
    settled = office.get(LIST, {"box": "closed"}).context["cl"].result_list
    assert [row.pk for row in opened] == [second.pk]
    assert [row.pk for row in settled] == [first.pk]


def test_it_puts_the_task_back_in_line(office, ask_info) -> None:
    question = ask_info("colour")
    press(office, provide_url(question), **{"value-0": "red"})
    question.refresh_from_db()
    assert question.task.state == "info_provided"
    assert log(lifecycle.ledger.load(question.task_id))[-1] == "task_info_provided"
