"""State changes need POST and a token (G70): every action of the console."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.core.serializers import serialize
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from agents_app.protocol.states import TaskState
from tasks_app.models import (
    Caller,
    CallerKey,
    Delivery,
    HumanRequest,
    InfoRequest,
    Message,
    Question,
    Task,
)
from tests.admin.things import dead_letter, ended
from tests.factories import submitted

pytestmark = pytest.mark.django_db
Action = tuple[str, list[Any], dict[str, str]]


def url(name: str, *parts: object) -> str:
    return reverse(f"admin:tasks_app_{name}", args=parts)


@pytest.fixture
def request_row(ask) -> HumanRequest:
    return ask()


def decide(make: Callable[..., Any]) -> tuple[str, dict[str, Any]]:
    question = make("request_row")
    data = {"question": question.pk, "version": 1, "action": "approve"}
    return url("humanrequest_decide", question.pk), data


def claim(make: Callable[..., Any]) -> tuple[str, dict[str, Any]]:
    return url("humanrequest_claim", make("request_row").pk), {"version": 1}


def release(make: Callable[..., Any]) -> tuple[str, dict[str, Any]]:
    return url("humanrequest_release", make("request_row").pk), {"version": 1}


def free(make: Callable[..., Any]) -> tuple[str, dict[str, Any]]:
    question, holder = make("request_row"), User.objects.create_user("holly")
    now = timezone.now()
    Question.objects.filter(pk=question.pk).update(claimed_by=holder, claimed_at=now)
    Task.objects.filter(pk=question.task_id).update(state=TaskState.HUMAN_DECIDING)
    return url("humanrequest_release", question.pk), {"version": 1}


def provide(make: Callable[..., Any]) -> tuple[str, dict[str, Any]]:
    question = make("ask_info")("colour")
    return url("inforequest_provide", question.pk), {"version": 1, "value-0": "red"}


def cancel(make: Callable[..., Any]) -> tuple[str, dict[str, Any]]:
    return url("task_cancel", submitted(make("caller")).id), {"reason": "no"}


def retry(make: Callable[..., Any]) -> tuple[str, dict[str, Any]]:
    return url("task_retry", ended(make("caller")).id), {}


def replay(make: Callable[..., Any]) -> tuple[str, dict[str, Any]]:
    return url("delivery_replay", dead_letter(ended(make("caller"))).pk), {}


def replay_selected(make: Callable[..., Any]) -> tuple[str, dict[str, Any]]:
    row = dead_letter(ended(make("caller")))
    chosen = {"action": "replay_selected", "_selected_action": str(row.pk)}
    return url("delivery_changelist"), chosen


def new_caller(make: Callable[..., Any]) -> tuple[str, dict[str, Any]]:
    return url("caller_add"), {"name": "new"}


def rename(make: Callable[..., Any]) -> tuple[str, dict[str, Any]]:
    return url("caller_change", make("caller").pk), {"name": "renamed"}


def create_key(make: Callable[..., Any]) -> tuple[str, dict[str, Any]]:
    return url("caller_create_key", make("caller").pk), {"key_name": "laptop"}


def revoke_key(make: Callable[..., Any]) -> tuple[str, dict[str, Any]]:
    key, _ = CallerKey.objects.create_key(name="old", caller=make("caller"))
    return url("caller_revoke_key", key.caller_id, key.prefix), {}


def rotate_secret(make: Callable[..., Any]) -> tuple[str, dict[str, Any]]:
    return url("caller_rotate_secret", make("caller").pk), {}


ACTIONS = [
    decide,
    claim,
    free,
    provide,
    cancel,
    retry,
    replay,
    replay_selected,
    new_caller,
    rename,
    create_key,
    revoke_key,
    rotate_secret,
]


def everything() -> list[str]:
    models = (Task, Message, HumanRequest, InfoRequest, Delivery, Caller, CallerKey)
    return [serialize("json", model._default_manager.all()) for model in models]


@pytest.mark.parametrize("action", [*ACTIONS, release])
def test_it_changes_nothing_by_get_g70(office, request, action) -> None:
    address, data = action(request.getfixturevalue)
    before = everything()
    answer = office.get(address, data)
    assert answer.status_code in (200, 302, 400, 405)
    assert everything() == before
    assert not LogEntry.objects.exists()


@pytest.mark.parametrize("action", [*ACTIONS, release])
def test_it_changes_nothing_without_a_token_g70(boss, request, action) -> None:
    address, data = action(request.getfixturevalue)
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(boss)
    before = everything()
    assert browser.post(address, data).status_code == 403
    assert everything() == before


@pytest.mark.parametrize("action", ACTIONS)
def test_it_changes_something_by_post(office, request, action) -> None:
    address, data = action(request.getfixturevalue)
    before = everything()
    assert office.post(address, data).status_code in (200, 302)
    assert everything() != before


NEEDED = {
    decide: "decide_level_1",
    claim: "decide_level_1",
    provide: "provide_info",
    cancel: "cancel_task",
    retry: "retry_task",
    replay: "replay_delivery",
    new_caller: "add_caller",
    rename: "change_caller",
    create_key: "add_callerkey",
    revoke_key: "change_callerkey",
    rotate_secret: "change_caller",
}
VIEWS = (
    "view_humanrequest",
    "view_inforequest",
    "view_task",
    "view_delivery",
    "view_caller",
    "view_callerkey",
)


@pytest.mark.parametrize("action", NEEDED)
def test_it_needs_the_right_of_the_action_g43(enter, staff, request, action) -> None:
    address, data = action(request.getfixturevalue)
    others = sorted({*NEEDED.values(), *VIEWS} - {NEEDED[action]})
    before = everything()
    assert enter(staff(*others)).post(address, data).status_code == 403
    assert everything() == before


@pytest.mark.parametrize("action", NEEDED)
def test_it_needs_no_other_right(enter, staff, request, action) -> None:
    address, data = action(request.getfixturevalue)
    assert enter(staff(NEEDED[action])).post(address, data).status_code in (200, 302)


def test_it_hides_the_bulk_action_without_its_right(enter, staff, request) -> None:
    address, data = replay_selected(request.getfixturevalue)
    client = enter(staff("view_delivery"))
    assert "replay_selected" not in client.get(address).content.decode()
    client.post(address, data)
    assert Delivery.objects.get().state == "dead"


def test_it_turns_people_away_who_are_not_staff(enter, db, request) -> None:
    address, data = decide(request.getfixturevalue)
    client = enter(User.objects.create_user("visitor"))
    assert client.post(address, data).headers["location"].startswith("/admin/login/")
    assert HumanRequest.objects.get().is_open
