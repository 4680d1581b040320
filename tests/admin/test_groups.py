"""The groups out of the box, and what people in them can do."""

from importlib import import_module
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.urls import reverse

from tasks_app import desk as verbs
from tasks_app.desk import Shown
from tests.admin.forms import decide_url, press
from tests.admin.test_posting import NEEDED

migration = import_module("tasks_app.migrations.0002_groups")
pytestmark = pytest.mark.django_db


def migrate() -> None:
    """As on a new database: with the apps as the migration sees them."""
    before = [("tasks_app", "0001_initial"), *migration.Migration.dependencies]
    state = MigrationLoader(connection).project_state(before)
    migration.create(state.apps, SimpleNamespace(connection=connection))


def rights_of(name: str) -> set[str]:
    rights = Group.objects.get(name=name).permissions
    return set(rights.values_list("codename", flat=True))


@pytest.fixture
def join(db, enter):
    """The browser of somebody who is in this group."""
    Group.objects.all().delete()
    migrate()

    def joined(name: str):
        user = User.objects.create_user(name.lower(), is_staff=True)
        user.groups.set([Group.objects.get(name=name)])
        return enter(user)

    return joined


def test_it_makes_the_groups_before_there_are_rights() -> None:
    Group.objects.all().delete()
    Permission.objects.all().delete()
    migrate()
    made = {group.name: rights_of(group.name) for group in Group.objects.all()}
    assert made == {name: set(names) for name, names in migration.GROUPS.items()}


def test_it_leaves_a_group_as_somebody_made_it() -> None:
    Group.objects.all().delete()
    Group.objects.create(name="Operator")
    migrate()
    assert rights_of("Operator") == set()


@pytest.mark.parametrize(
    ("name", "level", "status"),
    [
        ("Operator", 1, 302),
        ("Operator", 2, 403),
        ("Supervisor", 2, 302),
        ("Supervisor", 3, 403),
        ("Owner", 3, 302),
        ("Support", 1, 403),
        ("Administrator", 1, 403),
    ],
)
def test_it_lets_a_group_decide_its_levels_g43(join, ask, name, level, status) -> None:
    question = ask(level=level)
    data = {"question": question.pk, "version": 1}
    url = decide_url(question)
    assert press(join(name), url, action="approve", **data).status_code == status


@pytest.mark.parametrize(("name", "status"), [("Operator", 409), ("Supervisor", 302)])
def test_it_lets_supervisors_release_what_others_hold(
    join, ask, olga, name, status
) -> None:
    question = ask()
    verbs.claim(Shown(question_id=question.pk, version=1), olga)
    answer = join(name).post(decide_url(question, "release"), {"version": 1})
    assert answer.status_code == status


def test_it_lets_support_look_at_everything_and_do_nothing(join) -> None:
    client = join("Support")
    for model in ("humanrequest", "inforequest", "task", "delivery", "caller"):
        url = reverse(f"admin:tasks_app_{model}_changelist")
        assert client.get(url).status_code == 200
    assert rights_of("Support").isdisjoint(NEEDED.values())
