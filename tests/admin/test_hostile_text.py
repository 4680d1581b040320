"""What strangers wrote is text, on every page that shows it (G71)."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tasks_app.models import Attachment, Attempt, Caller, Question, Task
from tests.admin.forms import decide_url, press, provide_url
from tests.admin.things import attachment, dead_letter
from tests.factories import set_row, submitted

pytestmark = pytest.mark.django_db
EVIL = "</textarea></title></script><script>alert(1)</script>\"'><img src=x onerror=y>"
TEMPLATE = "{{7*7}}{% now 'Y' %}"
LINK = "javascript:alert(1)"


def assert_harmless(client: Client, url: str) -> str:
    """The page shows it, and not one character of it is markup."""
    answer = client.get(url)
    assert answer.status_code == 200, url
    page = answer.content.decode()
    assert "<script>alert(1)" not in page
    assert "<img src=x" not in page
    assert not re.search(r"""href=["']?\s*javascript:""", page)
    return page


@pytest.fixture
def evil(caller: Caller) -> Caller:
    Caller.objects.filter(pk=caller.pk).update(name=EVIL)
    caller.refresh_from_db()
    return caller


def test_it_shows_a_hostile_request_as_text_g71(evil, office, ask) -> None:
    question = ask(
        task={"payload": {EVIL: [EVIL, TEMPLATE]}, "external_task_id": EVIL},
        reason={"summary": EVIL, EVIL: {EVIL: TEMPLATE}},
        options=[{"id": EVIL, "label": EVIL, "description": EVIL}],
        suggested_value={EVIL: EVIL, "b": {EVIL: EVIL}, "c": f"{EVIL}\n{TEMPLATE}"},
        decision_schema={
            "properties": {
                EVIL: {"title": EVIL, "description": EVIL},
                "d": {"enum": [EVIL]},
            }
        },
    )
    Question.objects.update(asked_by=EVIL)
    page = assert_harmless(office, decide_url(question))
    assert "&lt;script&gt;alert(1)" in page
    assert "{{7*7}}" in page
    assert_harmless(office, reverse("admin:tasks_app_humanrequest_changelist"))


def test_it_shows_a_hostile_decision_as_text_g71(office, ask) -> None:
    question = ask(suggested_value={EVIL: "x"}, options=[EVIL])
    typed = {"value-0": EVIL, "comment": EVIL}
    press(office, decide_url(question), action="modify", **typed)
    page = assert_harmless(office, decide_url(question))
    assert page.count("&lt;script&gt;alert(1)") >= 3


def test_it_shows_a_hostile_outcome_as_text_g71(office, ask) -> None:
    question = ask(options=[EVIL], reason={"summary": EVIL})
    press(office, decide_url(question), action="select", option_id=EVIL)
    inbox = reverse("admin:tasks_app_humanrequest_changelist")
    page = assert_harmless(office, f"{inbox}?box=decided")
    assert "selected &lt;/textarea&gt;" in page
    assert_harmless(office, f"{inbox}?q={question.pk}")
    assert_harmless(office, decide_url(question))
    assert_harmless(office, reverse("admin:index"))


def test_it_shows_a_hostile_holder_as_text_g71(office, ask) -> None:
    question, holder = ask(), User.objects.create_user(EVIL, is_staff=True)
    Question.objects.update(claimed_by=holder, claimed_at=timezone.now())
    assert "Release for others" in assert_harmless(office, decide_url(question))
    assert_harmless(office, reverse("admin:tasks_app_humanrequest_changelist"))
    assert_harmless(office, reverse("admin:auth_user_changelist"))


def test_it_shows_hostile_typing_as_text_g71(office, ask) -> None:
    question = ask(suggested_value={"amount": 1}, options=["left"])
    typed = {"value-0": EVIL, "comment": EVIL, "option_id": EVIL}
    answer = press(office, decide_url(question), action="modify", **typed)
    assert answer.status_code == 422
    assert "<script>alert(1)" not in answer.content.decode()


def test_it_shows_hostile_missing_fields_as_text_g71(evil, office, ask_info) -> None:
    name = EVIL[:100]
    question = ask_info({"name": name, "description": EVIL, "schema": {"title": EVIL}})
    assert_harmless(office, provide_url(question))
    assert_harmless(office, reverse("admin:tasks_app_inforequest_changelist"))


@pytest.fixture
def hostile_task(evil) -> Task:
    file = attachment(name=f"{EVIL}.pdf")
    task = submitted(
        evil, payload={EVIL: TEMPLATE}, external_task_id=EVIL, attachments=(file,)
    )
    Attachment.objects.update(content_type=EVIL)
    set_row(
        task,
        callback_url=LINK,
        status_message=EVIL,
        worker=EVIL,
        result={EVIL: LINK},
        error={"message": EVIL},
    )
    row = Task.objects.get(pk=task.id)
    moment = row.created_at
    Attempt.objects.create(
        task=row,
        number=1,
        worker=EVIL,
        started_at=moment,
        ended_at=moment,
        outcome="failed",
        trace=EVIL,
    )
    return row


def test_it_shows_a_hostile_task_as_text_g71(office, hostile_task) -> None:
    page = assert_harmless(
        office, reverse("admin:tasks_app_task_change", args=[hostile_task.pk])
    )
    assert "javascript:alert(1)" in page
    assert_harmless(office, reverse("admin:tasks_app_task_changelist"))
    for action in ("cancel", "history"):
        url = reverse(f"admin:tasks_app_task_{action}", args=[hostile_task.pk])
        assert_harmless(office, url)


def test_it_shows_a_hostile_callback_as_text_g71(office, hostile_task) -> None:
    row = dead_letter(hostile_task, url=LINK, endpoint=EVIL[:80], body=EVIL, event="x")
    row.attempts.update(response=EVIL, error="<b>")
    assert_harmless(office, reverse("admin:tasks_app_delivery_change", args=[row.pk]))
    assert_harmless(office, reverse("admin:tasks_app_delivery_changelist"))


def test_it_shows_a_hostile_caller_as_text_g71(office, evil) -> None:
    change = reverse("admin:tasks_app_caller_change", args=[evil.pk])
    office.post(f"{change.removesuffix('change/')}keys/", {"key_name": EVIL[:50]})
    for url in (
        change,
        reverse("admin:tasks_app_caller_changelist"),
        reverse("admin:tasks_app_caller_history", args=[evil.pk]),
        reverse("admin:index"),
    ):
        assert_harmless(office, url)


def test_it_shows_a_hostile_search_as_text_g71(office, ask) -> None:
    ask()
    for model in ("humanrequest", "inforequest", "task", "delivery", "caller"):
        url = reverse(f"admin:tasks_app_{model}_changelist")
        page = office.get(url, {"q": EVIL}).content.decode()
        assert "<script>alert(1)" not in page


def test_it_brings_no_script_of_its_own(office, ask) -> None:
    page = office.get(decide_url(ask(options=["a"], suggested_value={"b": 1})))
    shown = page.content.decode().partition('<div class="sy-page">')[2]
    shown = shown.partition('id="modal')[0]
    assert not re.search(
        r"<script|\son\w+=|\sx-|\sstyle=", shown.partition("</aside>")[0]
    )
