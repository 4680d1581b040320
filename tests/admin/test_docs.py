"""docs/operators.md names the rights that there are."""

import re
from importlib import import_module
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission

from tests.admin.test_groups import migration
from tests.admin.test_posting import NEEDED

ladder = import_module("tasks_app.migrations.0009_ladder_rights")
TEXT = (Path(__file__).parents[2] / "docs/operators.md").read_text()
SECTION = TEXT.partition("## Rights")[2]
RIGHTS = set(re.findall(r"`([a-z]+_[a-z0-9_]+)`", SECTION))
# Label, right, what it opens, groups.
ROWS = re.findall(r"^\| ([^|]+) \| `(\w+)` \| [^|]+ \| ([^|]*) \|$", SECTION, re.M)


@pytest.mark.django_db
def test_it_names_only_rights_that_exist() -> None:
    assert RIGHTS
    known = Permission.objects.filter(
        content_type__app_label__in=["tasks_app", "agents_app"]
    )
    assert set(known.values_list("codename", flat=True)) >= RIGHTS


def test_it_names_every_right_of_an_action() -> None:
    assert set(NEEDED.values()) <= RIGHTS


def test_it_names_every_right_that_a_page_asks_for() -> None:
    sources = (Path(__file__).parents[2] / "tasks_app/admin").rglob("*.py")
    asked = re.compile(r'door\.(?:may|require)\(\s*request, "([a-z_]+)"')
    assert {name for path in sources for name in asked.findall(path.read_text())} <= (
        RIGHTS
    )


@pytest.mark.django_db
def test_it_names_rights_by_the_labels_that_the_console_shows() -> None:
    known = Permission.objects.filter(
        content_type__app_label__in=["tasks_app", "agents_app"]
    )
    labels = set(known.values_list("name", "codename"))
    assert len(ROWS) == len(RIGHTS)
    assert {(label, right) for label, right, _ in ROWS} <= labels


def test_it_names_the_groups_that_have_a_right() -> None:
    written = {(right, name) for _, right, names in ROWS for name in names.split(", ")}
    made = {
        (right, name) for name, rights in migration.GROUPS.items() for right in rights
    }
    made |= {(right, ladder.GROUP) for right in ladder.RIGHTS}
    of_accounts = {"add_user", "change_user", "view_user", "view_group"}
    assert written == {pair for pair in made if pair[0] not in of_accounts}
