"""docs/operators.md names the rights that there are."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import Permission

from tests.admin.test_posting import NEEDED

TEXT = (Path(__file__).parents[2] / "docs/operators.md").read_text()
RIGHTS = set(re.findall(r"`([a-z]+_[a-z0-9_]+)`", TEXT.partition("## Rights")[2]))


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
