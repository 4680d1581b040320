"""People at the console, and something on their desk."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client

from agents_app.protocol.payloads import MissingField
from tasks_app import runner
from tasks_app.changes import Snapshot
from tasks_app.models import Caller, HumanRequest, InfoRequest
from tests.factories import operator, submitted
from tests.tasks.conftest import declare, fresh_pace, quiet_keeper

__all__ = ["declare", "fresh_pace", "quiet_keeper"]

Enter = Callable[[User], Client]
Ask = Callable[..., HumanRequest]
AskInfo = Callable[..., InfoRequest]


@pytest.fixture
def enter() -> Enter:
    """A browser in which this user is logged in."""

    def logged_in(user: User) -> Client:
        client = Client()
        client.force_login(user)
        return client

    return logged_in


@pytest.fixture
def olga(db: None) -> User:
    """An operator who may decide everything."""
    return operator("olga")


@pytest.fixture
def boss(db: None) -> User:
    """A superuser."""
    return User.objects.create_superuser("boss")


@pytest.fixture
def desk(enter: Enter, olga: User) -> Client:
    """Olga's browser."""
    return enter(olga)


@pytest.fixture
def office(enter: Enter, boss: User) -> Client:
    """The superuser's browser."""
    return enter(boss)


@pytest.fixture
def staff(db: None) -> Callable[..., User]:
    """Somebody with just these permissions."""

    def hire(*permissions: str, name: str = "stan") -> User:
        user = User.objects.create_user(name, is_staff=True)
        found = Permission.objects.filter(codename__in=permissions)
        assert found.count() == len(permissions)
        user.user_permissions.set(found)
        return user

    return hire


@pytest.fixture
def ask(caller: Caller, declare: Callable[..., None]) -> Ask:
    """Parks a task on `ctx.need_human(**question)`; gives the request."""
    asked: list[dict[str, Any]] = []

    def handler(ctx: Any) -> dict[str, str]:
        question = asked[ctx.payload.place]
        return {"decision": str(ctx.need_human(**question).action)}

    declare(handler, accepts_files=True)

    def park(task: dict[str, Any] | None = None, **question: Any) -> HumanRequest:
        fields = {"payload": {}} | (task or {})
        fields["payload"] = fields["payload"] | {"place": len(asked)}
        asked.append(question)
        return HumanRequest.objects.get(task=parked(caller, **fields).id)

    return park


@pytest.fixture
def ask_info(caller: Caller, declare: Callable[..., None]) -> AskInfo:
    """Parks a task on `ctx.need_info(fields)`; gives the request."""
    asked: list[Any] = []

    def handler(ctx: Any) -> dict[str, Any]:
        fields = [MissingField.model_validate(f) for f in asked[ctx.payload.place]]
        return {"got": ctx.need_info(fields, "Something is missing.")}

    declare(handler)

    def park(*fields: Any) -> InfoRequest:
        asked.append(fields)
        payload = {"place": len(asked) - 1}
        return InfoRequest.objects.get(task=parked(caller, payload=payload).id)

    return park


def parked(caller: Caller, **fields: Any) -> Snapshot:
    task = submitted(caller, "test_type", **fields)
    runner.drain("default")
    return task
