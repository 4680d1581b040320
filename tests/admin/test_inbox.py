"""The inbox shows what waits, most urgent first, and who holds it."""

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from tasks_app import desk as verbs
from tasks_app.desk import Shown
from tasks_app.models import Question
from tests.admin.forms import decide_url
from tests.admin.things import dead_letter, ended
from tests.factories import operator

pytestmark = pytest.mark.django_db
INBOX = reverse("admin:tasks_app_humanrequest_changelist")


def rows(page) -> list[str]:
    return [str(row.pk) for row in page.context["cl"].result_list]


def claim(question: Question, user) -> None:
    verbs.claim(Shown(question_id=question.pk, version=question.version), user)


def decide(client, question: Question) -> None:
    data = {"question": question.pk, "version": question.version, "action": "approve"}
    assert client.post(decide_url(question), data).status_code == 302


def test_it_shows_the_summary_and_links_to_the_decide_page(desk, ask) -> None:
    question = ask(reason={"summary": "Pay 12 EUR?"}, level=2)
    page = desk.get(INBOX).content.decode()
    assert "Pay 12 EUR?" in page
    assert "2 supervisor" in page
    assert decide_url(question) in page


def test_it_shows_the_first_plain_value_of_a_reason_without_summary(desk, ask) -> None:
    ask(reason={"items": [1], "invoice_amount": 12.5})
    assert "Invoice amount: 12.5" in desk.get(INBOX).content.decode()


def test_it_shows_only_open_requests_at_first(desk, ask) -> None:
    first, second = ask(), ask()
    decide(desk, first)
    assert rows(desk.get(INBOX)) == [str(second.pk)]


def test_it_shows_decided_requests_in_their_box(desk, ask) -> None:
    first, _ = ask(), ask()
    decide(desk, first)
    assert rows(desk.get(INBOX, {"box": "decided"})) == [str(first.pk)]


def test_it_shows_my_requests_in_their_box(desk, ask, olga) -> None:
    _, second = ask(), ask()
    claim(second, olga)
    assert rows(desk.get(INBOX, {"box": "mine"})) == [str(second.pk)]


def test_it_leaves_held_requests_out_of_the_unclaimed(desk, ask, olga) -> None:
    first, second = ask(), ask()
    claim(second, olga)
    assert rows(desk.get(INBOX, {"box": "unclaimed"})) == [str(first.pk)]


def test_it_puts_the_most_urgent_on_top(desk, ask) -> None:
    late, soon = ask(), ask()
    Question.objects.filter(pk=soon.pk).update(due_at=timezone.now())
    assert rows(desk.get(INBOX)) == [str(soon.pk), str(late.pk)]


def test_it_marks_what_is_late(desk, ask) -> None:
    question = ask()
    past = timezone.now() - timedelta(minutes=5)
    Question.objects.filter(pk=question.pk).update(due_at=past)
    assert 'data-mood="late"' in desk.get(INBOX).content.decode()
    assert rows(desk.get(INBOX, {"box": "overdue"})) == [str(question.pk)]


def test_it_offers_to_claim_what_nobody_holds(desk, ask) -> None:
    question = ask()
    page = desk.get(INBOX).content.decode()
    assert f'formaction="{decide_url(question, "claim")}"' in page


def test_it_offers_to_release_what_i_hold(desk, ask, olga) -> None:
    question = ask()
    claim(question, olga)
    page = desk.get(INBOX).content.decode()
    assert f'formaction="{decide_url(question, "release")}"' in page


def test_it_names_who_holds_a_request(desk, ask) -> None:
    claim(ask(), operator("oscar"))
    page = desk.get(INBOX).content.decode()
    assert '<span class="sy-held">oscar</span>' in page
    assert "formaction" not in page


def test_it_offers_nothing_beyond_my_rights(enter, staff, ask) -> None:
    ask(level=2)
    page = enter(staff("decide_level_1")).get(INBOX).content.decode()
    assert "formaction" not in page


@pytest.mark.parametrize("wanted", ["task", "request", "external"])
def test_it_finds_a_request_in_any_state(desk, ask, wanted) -> None:
    ask()
    question = ask(task={"external_task_id": "INV-7"})
    decide(desk, question)
    terms = {"task": question.task_id, "request": question.pk, "external": "INV-7"}
    assert rows(desk.get(INBOX, {"q": str(terms[wanted])})) == [str(question.pk)]


def badges(page) -> list:
    groups = page.context["sidebar_navigation"]
    items = [item for group in groups for item in group["items"]]
    return [one.get("badge") for one in items if one["title"] == "HiL requests"]


def test_it_counts_in_the_sidebar_what_i_may_decide(enter, staff, ask, olga) -> None:
    client = enter(staff("decide_level_1"))
    assert badges(client.get(INBOX)) == [None]
    held = ask()
    ask()
    ask(level=2)
    assert badges(client.get(INBOX)) == [2]
    claim(held, olga)
    assert badges(client.get(INBOX)) == [1]


def test_it_counts_nothing_for_who_may_only_look(enter, staff, ask) -> None:
    ask()
    assert badges(enter(staff("view_humanrequest")).get(INBOX)) == [None]


def test_it_offers_to_release_what_others_hold_by_that_right(
    enter, staff, ask, olga
) -> None:
    question = ask(level=3)
    claim(question, olga)
    page = enter(staff("release_question")).get(INBOX).content.decode()
    assert f'formaction="{decide_url(question, "release")}"' in page
    assert "Claim</button>" not in page


@pytest.mark.parametrize(
    ("typed", "word"),
    [
        ({"action": "approve"}, "approved"),
        ({"action": "reject"}, "rejected"),
        ({"action": "select", "option_id": "left"}, "selected left"),
        ({"action": "modify", "value-0": "2"}, "changed"),
    ],
)
def test_it_says_how_and_when_a_request_ended(desk, ask, typed, word) -> None:
    question = ask(options=["left"], suggested_value={"a": 1})
    data = {"question": question.pk, "version": 1, "value-0": "1"} | typed
    assert desk.post(decide_url(question), data).status_code == 302
    moment = Question.objects.get().closed_at
    page = desk.get(INBOX, {"box": "decided"}).content.decode()
    row = page.partition("<tbody")[2].partition("</tbody>")[0]
    assert re.search(rf">\s*{word}\s*<", row)
    assert f"{moment:%Y-%m-%d %H:%M} UTC" in row
    assert "olga" in row
    assert "column-due" not in page


def test_it_says_that_a_request_expired(desk, ask) -> None:
    verbs.decide_by_timeout(ask())
    page = desk.get(INBOX, {"box": "decided"}).content.decode()
    assert re.search(r">\s*expired\s*<", page)
    assert "system:timeout" in page


def test_it_asks_the_database_no_more_for_more_rows(
    desk, ask, django_assert_num_queries
) -> None:
    ask()
    with django_assert_num_queries(8) as few:
        desk.get(INBOX)
    for _ in range(5):
        ask()
    with django_assert_num_queries(len(few.captured_queries)):
        assert len(rows(desk.get(INBOX))) == 6


@pytest.mark.parametrize(("level", "found"), [("2", 1), ("3", 0), ("x", 0)])
def test_it_filters_by_level(desk, ask, level, found) -> None:
    ask(level=1)
    ask(level=2)
    assert len(rows(desk.get(INBOX, {"level": level}))) == found


@pytest.mark.parametrize("query", ["box=nope", "p=99999", "o=9.-1"])
def test_it_survives_any_query(desk, ask, query) -> None:
    ask()
    assert desk.get(f"{INBOX}?{query}", follow=True).status_code == 200


@pytest.mark.parametrize(
    "model", ["tasks_app/task", "tasks_app/delivery", "tasks_app/caller", "auth/user"]
)
def test_it_writes_moments_of_all_lists_in_utc(office, caller, model) -> None:
    dead_letter(ended(caller))
    page = office.get(f"/admin/{model}/").content.decode()
    cells = page.partition("<tbody")[2].partition("</tbody>")[0]
    assert re.search(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", cells)
    assert not re.search(r"[ap]\.m\.", cells)
