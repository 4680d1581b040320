"""The decide page offers what may be answered and sends what was chosen."""

import re

import pytest
from django.contrib.admin.models import LogEntry

from tasks_app.models import Message, Question
from tests.admin.forms import decide_url, press

pytestmark = pytest.mark.django_db


def decision(question: Question) -> dict:
    question.refresh_from_db()
    return question.answer["decision"]


def test_it_approves(desk, ask, olga) -> None:
    question = ask(suggested_value={"amount": 12})
    answer = press(desk, decide_url(question), action="approve", comment="Fine.")
    assert answer.status_code == 302
    assert decision(question) == {"action": "approve", "comment": "Fine."}
    assert question.closed_by == "desk:olga"


def test_it_rejects_with_a_comment(desk, ask) -> None:
    question = ask()
    press(desk, decide_url(question), action="reject", comment="Line 1\r\nLine 2")
    assert decision(question) == {"action": "reject", "comment": "Line 1\nLine 2"}


def test_it_selects_an_option(desk, ask) -> None:
    question = ask(options=["left", "right"])
    press(desk, decide_url(question), action="select", option_id="right")
    assert decision(question) == {"action": "select", "option_id": "right"}


def test_it_sends_a_changed_value_with_its_types(desk, ask) -> None:
    suggested = {"amount": 12.5, "count": 3, "paid": True, "vendor": "X", "note": None}
    question = ask(suggested_value=suggested)
    press(desk, decide_url(question), action="modify", value={"amount": "99"})
    assert decision(question)["value"] == {**suggested, "amount": 99}


def test_it_leaves_a_box_unticked(desk, ask) -> None:
    question = ask(suggested_value={"paid": True})
    data = {"question": question.pk, "version": 1, "action": "modify"}
    desk.post(decide_url(question), data)
    assert decision(question)["value"] == {"paid": False}


def test_it_takes_nested_values_as_json(desk, ask) -> None:
    question = ask(suggested_value={"lines": [{"sum": 1}], "total": 1})
    changed = {"lines": '[{"sum": 2}]'}
    press(desk, decide_url(question), action="modify", value=changed)
    assert decision(question)["value"] == {"lines": [{"sum": 2}], "total": 1}


def test_it_takes_a_value_that_nobody_suggested_as_json(desk, ask) -> None:
    question = ask(decision_schema={"type": "object"})
    press(desk, decide_url(question), action="modify", **{"value-whole": '{"a": 1}'})
    assert decision(question)["value"] == {"a": 1}


def test_it_approves_beside_an_empty_form(desk, ask) -> None:
    schema = {"properties": {"why": {"type": "string"}}, "required": ["why"]}
    question = ask(decision_schema=schema)
    press(desk, decide_url(question), action="approve")
    assert decision(question) == {"action": "approve"}


def test_it_puts_the_label_of_an_approving_option_on_the_button(desk, ask) -> None:
    question = ask(options=[{"id": "approve", "label": "Approve and book"}, "later"])
    page = desk.get(decide_url(question)).content.decode()
    assert 'value="approve">Approve and book</button>' in page
    assert page.count('type="radio"') == 1
    press(desk, decide_url(question), action="approve")
    assert decision(question) == {"action": "approve", "option_id": "approve"}


@pytest.mark.parametrize(
    ("question", "offered"),
    [
        ({}, True),
        ({"options": ["left"]}, False),
        ({"options": ["left", "approve"]}, True),
        ({"options": ["left"], "suggested_value": {"a": 1}}, True),
        ({"options": ["left"], "decision_schema": {"type": "object"}}, False),
    ],
)
def test_it_offers_approval_where_it_says_something(
    desk, ask, question, offered
) -> None:
    page = desk.get(decide_url(ask(**question))).content.decode()
    assert ('value="approve">' in page) is offered
    assert 'value="reject">' in page


def test_it_puts_every_decision_into_the_bar(desk, ask) -> None:
    question = ask(options=["left"], suggested_value={"a": 1})
    page = desk.get(decide_url(question)).content.decode()
    bar = page.partition("sy-verdict")[2].partition("</section>")[0]
    buttons = re.findall(r'name="action" value="(\w+)"', page)
    assert buttons == ["approve", "select", "modify", "reject"]
    assert re.findall(r'name="action" value="(\w+)"', bar) == buttons


def test_it_says_beside_the_buttons_what_would_be_lost(desk, ask) -> None:
    question = ask(suggested_value={"a": "x"})
    answer = press(desk, decide_url(question), action="approve", value={"a": "y"})
    bar = answer.content.decode().partition("sy-verdict")[2]
    assert answer.status_code == 422
    assert "the button you pressed does not send it" in bar
    question.refresh_from_db()
    assert question.is_open


def test_it_shows_the_reason_as_a_tree(desk, ask) -> None:
    question = ask(reason={"summary": "Pay?", "unit_price": 4.5, "who": {"name": "N"}})
    page = desk.get(decide_url(question)).content.decode()
    assert '<dt title="unit_price">Unit price</dt>' in page
    assert '<dt title="name">Name</dt>' in page


def test_it_says_what_silence_means(desk, ask) -> None:
    page = desk.get(decide_url(ask())).content.decode()
    assert "rejected by <b>system:timeout</b>" in page


def test_it_claims_and_shows_the_page(desk, ask, olga) -> None:
    question = ask()
    answer = desk.post(decide_url(question, "claim"), {"version": question.version})
    assert answer.headers["location"] == decide_url(question)
    question.refresh_from_db()
    assert question.claimed_by == olga
    assert "You hold this" in desk.get(decide_url(question)).content.decode()


def test_it_releases(desk, ask) -> None:
    question = ask()
    desk.post(decide_url(question, "claim"), {"version": question.version})
    desk.post(decide_url(question, "release"), {"version": question.version})
    question.refresh_from_db()
    assert question.claimed_by is None


def test_it_releases_what_others_hold_by_that_right(desk, enter, ask, staff) -> None:
    question = ask(level=2)
    desk.post(decide_url(question, "claim"), {"version": question.version})
    nora = staff("release_question", name="nora")
    page = enter(nora).get(decide_url(question)).content.decode()
    assert "Release for others" in page
    data = {"version": question.version}
    answer = enter(nora).post(decide_url(question, "release"), data)
    question.refresh_from_db()
    assert (answer.status_code, question.claimed_by) == (302, None)
    assert LogEntry.objects.get(user=nora).change_message == "Released what olga held."


def test_it_offers_nobody_else_to_release_it(desk, enter, ask, staff) -> None:
    question = ask()
    desk.post(decide_url(question, "claim"), {"version": question.version})
    page = enter(staff("decide_level_1")).get(decide_url(question)).content.decode()
    assert "<b>olga</b> took this request in hand" in page
    assert "Release for" not in page


def test_it_shows_a_closed_request_as_a_record(desk, ask) -> None:
    question = ask(suggested_value={"colour": "blue", "size": 3})
    typed = {"action": "modify", "comment": "Sold out."}
    press(desk, decide_url(question), value={"colour": "green"}, **typed)
    page = desk.get(decide_url(question)).content.decode()
    for text in ("Answered by you", "Sold out.", "olga as operator", "blue", "green"):
        assert text in page
    assert page.count('class="sy-changed"') == 1
    assert "<textarea" not in page


def test_it_logs_one_decision_and_an_admin_entry(desk, ask, olga) -> None:
    question = ask()
    press(desk, decide_url(question), action="approve")
    sent = Message.objects.get(task=question.task_id, type="p2p:human_decision")
    assert sent.payload["decided_by"] == {"user_id": "olga", "role": "operator"}
    entry = LogEntry.objects.get(user=olga)
    assert entry.change_message == "Decided: approve."
    assert entry.object_repr == "HiL request: A decision is needed."


def test_it_leads_from_the_plain_address_of_a_row_to_the_page(desk, ask) -> None:
    question = ask()
    answer = desk.get(f"/admin/tasks_app/humanrequest/{question.pk}/change/")
    assert answer.headers["location"] == decide_url(question)


def test_it_names_no_request_by_its_id(desk, ask) -> None:
    question = ask(reason={"summary": "Pay?"})
    page = desk.get(decide_url(question)).content.decode()
    assert f"equest of {question.task_id}" not in page


@pytest.mark.parametrize("page", ["decide", "change"])
@pytest.mark.parametrize("pk", ["01a22eb4-0000-7000-8000-000000000000", "nonsense"])
def test_it_knows_no_page_for_an_unknown_request(desk, page, pk) -> None:
    url = f"/admin/tasks_app/humanrequest/{pk}/{page}/"
    assert desk.get(url, follow=True).status_code == 404
