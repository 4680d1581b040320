"""The first page shows what waits for this person, and nothing beyond their rights."""

import pytest
from django.utils import timezone

from tasks_app import desk as verbs
from tasks_app.desk import Shown
from tasks_app.models import Question
from tests.admin.things import dead_letter

pytestmark = pytest.mark.django_db


def counters(client) -> dict[str, int]:
    found = client.get("/admin/").context["counters"]
    return {counter.title: counter.count for counter in found}


def test_it_counts_what_i_may_decide_and_what_i_hold(enter, staff, ask) -> None:
    user = staff("decide_level_1")
    mine, late, _, _ = ask(), ask(), ask(), ask(level=2)
    verbs.claim(Shown(question_id=mine.pk, version=1), user)
    Question.objects.filter(pk=late.pk).update(due_at=timezone.now())
    assert counters(enter(user)) == {
        "Waiting for a decision of yours": 3,
        "Held by you": 1,
        "Overdue": 1,
    }


def test_it_leads_to_the_boxes(enter, staff, ask) -> None:
    ask()
    page = enter(staff("decide_level_1")).get("/admin/").content.decode()
    for query in ("", "?box=mine", "?box=overdue"):
        link = f'class="sy-counter" href="/admin/tasks_app/humanrequest/{query}"'
        assert link in page


def test_it_counts_facts_and_dead_letters_for_who_has_the_right(
    enter, staff, ask_info, caller
) -> None:
    ask_info("colour")
    task = Question.objects.get().task
    dead_letter(task, sequence=7)
    client = enter(staff("provide_info", "view_delivery"))
    assert counters(client) == {"Missing information": 1, "Dead letters": 1}


def test_it_counts_nothing_for_others(enter, staff, ask) -> None:
    ask()
    assert counters(enter(staff("view_humanrequest", "view_task"))) == {}
