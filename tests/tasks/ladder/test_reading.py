"""Which rule holds: a type's own before that for all, level by level."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError

from tasks_app.ladder import Then, ladder_for
from tasks_app.models import RungPolicy

pytestmark = pytest.mark.django_db


def rule(task_type: str = "*", level: int = 1, hours: int = 1, **fields) -> RungPolicy:
    return RungPolicy.objects.create(
        task_type=task_type,
        level=level,
        answer_within=timedelta(hours=hours),
        **fields,
    )


def test_it_finds_none_where_nobody_made_one():
    rule("other")
    assert ladder_for("invoice", 60) is None


def test_it_takes_the_rule_of_the_type_before_that_of_all():
    rule("*", 1, hours=1)
    rule("*", 2, hours=2)
    rule("invoice", 1, hours=9)
    found = ladder_for("invoice", 60)
    assert [rung.rule for rung in found.rungs] == ["invoice/1", "*/2", ""]
    assert [rung.answer_s for rung in found.rungs] == [9 * 3600, 2 * 3600, 60]


def test_it_reads_all_that_a_rule_says():
    row = rule(
        reminders=2,
        then="climb",
        approvals=2,
        rejections=3,
        separate=True,
        deputies=False,
    )
    team = Group.objects.create(name="team")
    row.tell.add(team)
    rung = ladder_for("invoice", 60).at(1)
    assert (rung.reminders, rung.then, rung.groups) == (2, Then.CLIMB, (team.pk,))
    assert (rung.approvals, rung.rejections) == (2, 3)
    assert (rung.separate, rung.deputies) == (True, False)


@pytest.mark.parametrize(
    "wrong",
    [
        {"level": 3, "then": "climb"},
        {"level": 4},
        {"approvals": 0},
        {"answer_within": timedelta(seconds=59)},
        {"then": "approve"},
    ],
)
def test_it_refuses_a_rule_that_cannot_hold_g42(wrong):
    with pytest.raises(ValidationError):
        RungPolicy(**{"level": 1} | wrong).full_clean()


def test_it_has_one_rule_for_a_type_and_level():
    rule("invoice", 2)
    with pytest.raises(ValidationError, match="There is a rule"):
        RungPolicy(task_type="invoice", level=2).full_clean()
