"""Nobody edits state by hand (G73): not by form, not by list, not by delete."""

import pytest
from django.urls import reverse

from tasks_app.models import Caller, Delivery, Question, Task
from tests.admin.things import dead_letter, ended

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows(caller: Caller, ask, ask_info_row) -> dict[str, object]:
    question = ask()
    task = ended(caller, task_type="test_type")
    return {
        "humanrequest": question,
        "inforequest": ask_info_row,
        "task": Task.objects.get(pk=task.id),
        "delivery": dead_letter(task),
    }


@pytest.fixture
def ask_info_row(ask) -> Question:
    """An info request, made from a decision: one handler is declared per test."""
    question = ask()
    Question.objects.filter(pk=question.pk).update(kind="info")
    return Question.objects.get(pk=question.pk)


MODELS = ("humanrequest", "inforequest", "task", "delivery")


@pytest.mark.parametrize("model", MODELS)
def test_it_has_no_add_page_g73(office, model) -> None:
    url = reverse(f"admin:tasks_app_{model}_add")
    assert office.get(url).status_code == 403
    assert office.post(url, {"state": "open"}).status_code == 403


@pytest.mark.parametrize("model", MODELS)
def test_it_deletes_nothing_g73(office, rows, model) -> None:
    url = reverse(f"admin:tasks_app_{model}_delete", args=[rows[model].pk])
    assert office.post(url, {"post": "yes"}).status_code == 403
    assert type(rows[model]).objects.filter(pk=rows[model].pk).exists()


@pytest.mark.parametrize("model", MODELS)
def test_it_takes_no_edit_by_its_form_g73(office, rows, model) -> None:
    row = rows[model]
    before = type(row).objects.filter(pk=row.pk).values().get()
    url = reverse(f"admin:tasks_app_{model}_change", args=[row.pk])
    office.post(url, {"state": "completed", "status_message": "x", "_save": "1"})
    assert type(row).objects.filter(pk=row.pk).values().get() == before


@pytest.mark.parametrize("model", MODELS)
def test_it_takes_no_edit_or_delete_by_its_list_g73(office, rows, model) -> None:
    row = rows[model]
    before = type(row).objects.filter(pk=row.pk).values().get()
    url = reverse(f"admin:tasks_app_{model}_changelist")
    form = {
        "form-TOTAL_FORMS": "1",
        "form-INITIAL_FORMS": "1",
        "form-0-id": str(row.pk),
        "form-0-state": "completed",
        "_save": "Save",
    }
    office.post(url, form)
    chosen = {"action": "delete_selected", "_selected_action": str(row.pk), "post": "y"}
    office.post(url, chosen)
    assert type(row).objects.filter(pk=row.pk).values().get() == before


def test_it_deletes_no_caller(office, caller) -> None:
    url = reverse("admin:tasks_app_caller_delete", args=[caller.pk])
    assert office.post(url, {"post": "yes"}).status_code == 403


def test_it_does_not_offer_the_key_table_of_the_library(office) -> None:
    assert office.get("/admin/rest_framework_api_key/apikey/").status_code == 404


def test_it_keeps_ledger_rows_that_have_no_page_out_of_reach(office) -> None:
    assert Delivery.objects.count() == 0
    for model in ("message", "attempt", "journalentry", "attachment", "question"):
        assert office.get(f"/admin/tasks_app/{model}/").status_code == 404
