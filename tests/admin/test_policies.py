"""The rules of the desk: who may edit them, and what they then say."""

from datetime import timedelta
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, User
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from tasks_app import desk as verbs
from tasks_app.models import Absence, CallerStaff, RungPolicy
from tests.admin.forms import controls, decide_url
from tests.factories import operator

migration = import_module("tasks_app.migrations.0009_ladder_rights")
pytestmark = pytest.mark.django_db
RULE = {"task_type": "invoice", "level": "1", "then": "climb", "answer_within": "04:00"}


def url(model: str, page: str = "changelist", *parts: object) -> str:
    return reverse(f"admin:tasks_app_{model}_{page}", args=parts)


def away(user: User, deputy: User) -> Absence:
    now = timezone.now()
    return Absence.objects.create(
        user=user, deputy=deputy, starts_at=now, ends_at=now + timedelta(days=1)
    )


def leave(user: User, deputy: User) -> dict[str, object]:
    """The form of an absence of a week."""
    return {
        "user": user.pk,
        "deputy": deputy.pk,
        "starts_at_0": "2026-07-01",
        "starts_at_1": "08:00:00",
        "ends_at_0": "2026-07-08",
        "ends_at_1": "08:00:00",
        "level_1": "on",
    }


def test_it_makes_a_rule(office) -> None:
    form = controls(office.get(url("rungpolicy", "add"))) | RULE
    form |= {"answer_within": "4:00:00"}
    assert office.post(url("rungpolicy", "add"), form).status_code == 302
    rule = RungPolicy.objects.get()
    assert (rule.task_type, rule.then) == ("invoice", "climb")
    assert rule.answer_within == timedelta(hours=4)


def test_it_refuses_a_rule_that_leads_nowhere_g42(office) -> None:
    form = controls(office.get(url("rungpolicy", "add"))) | RULE | {"level": "3"}
    page = office.post(url("rungpolicy", "add"), form)
    assert page.status_code == 200
    assert "There is no level above 3" in page.content.decode()
    assert not RungPolicy.objects.exists()


def test_it_says_in_words_what_silence_leads_to(office) -> None:
    hour = timedelta(hours=1)
    first = RungPolicy.objects.create(level=1, then="climb", answer_within=hour)
    RungPolicy.objects.create(level=2, answer_within=8 * hour)
    page = office.get(url("rungpolicy", "change", first.pk)).content.decode()
    assert "1 h: level 2 · 9 h: rejected" in page


def test_it_shows_rules_only_to_those_with_the_right(enter, staff) -> None:
    rule = RungPolicy.objects.create(level=1)
    viewer = enter(staff("view_rungpolicy"))
    assert viewer.get(url("rungpolicy")).status_code == 200
    assert viewer.post(url("rungpolicy", "change", rule.pk), {}).status_code == 403
    assert enter(operator("olga")).get(url("rungpolicy")).status_code == 403


def test_it_lets_people_name_their_own_deputy(enter) -> None:
    olga, dora = operator("olga"), operator("dora", levels=())
    client = enter(olga)
    form = controls(client.get(url("absence", "add"))) | leave(olga, dora)
    del form["level_2"], form["level_3"]
    assert client.post(url("absence", "add"), form).status_code == 302
    absence = Absence.objects.get()
    assert (absence.user, absence.deputy, absence.levels) == (olga, dora, (1,))


def test_it_lets_nobody_lend_the_rights_of_others_g43(enter) -> None:
    """Else whoever may name deputies makes themselves the owner's."""
    owner, lars = operator("owner"), operator("lars", levels=(1,))
    client = enter(lars)
    form = controls(client.get(url("absence", "add"))) | leave(owner, lars)
    assert client.post(url("absence", "add"), form).status_code == 200
    assert not Absence.objects.exists()


def test_it_lets_nobody_change_what_others_lend_g43(enter) -> None:
    owner, lars = operator("owner"), operator("lars", levels=(1,))
    theirs = away(owner, lars)
    client = enter(lars)
    for page in ("change", "delete"):
        answer = client.post(url("absence", page, theirs.pk), leave(owner, lars))
        assert answer.status_code == 403
    stranger = away(owner, operator("dora"))
    assert client.post(url("absence", "delete", stranger.pk)).status_code != 200
    assert Absence.objects.count() == 2


def test_it_lets_a_superuser_name_anybodys_deputy(office) -> None:
    olga, dora = operator("olga"), operator("dora", levels=())
    form = controls(office.get(url("absence", "add"))) | leave(olga, dora)
    assert office.post(url("absence", "add"), form).status_code == 302


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"ends_at_0": "2026-06-01"}, "It ends after it starts."),
        ({"deputy": "self"}, "The deputy is another person."),
        ({"level_1": None}, "Choose at least one level."),
    ],
)
def test_it_refuses_an_absence_that_makes_no_sense(enter, change, text) -> None:
    olga, dora = operator("olga"), operator("dora", levels=())
    client = enter(olga)
    form = controls(client.get(url("absence", "add"))) | leave(olga, dora) | change
    form = {name: value for name, value in form.items() if value is not None}
    del form["level_2"], form["level_3"]
    if change.get("deputy"):
        form["deputy"] = olga.pk
    assert text in client.post(url("absence", "add"), form).content.decode()


def test_it_shows_absences_to_those_they_concern(enter) -> None:
    olga, dora = operator("olga"), operator("dora", levels=())
    away(olga, dora)
    away(operator("oscar"), operator("paul"))
    for user in (olga, dora):
        page = enter(user).get(url("absence"))
        assert len(page.context["cl"].result_list) == 1
    assert enter(operator("nora", levels=())).get(url("absence")).status_code == 403


def test_it_lets_nobody_take_themselves_off_the_staff_g43(enter, staff, caller) -> None:
    rights = ("view_callerstaff", "add_callerstaff", "delete_callerstaff")
    stan = staff(*rights)
    client = enter(stan)
    mine = CallerStaff.objects.create(caller=caller, user=stan)
    other = CallerStaff.objects.create(caller=caller, user=operator("olga"))
    for line, status in ((mine, 403), (other, 302)):
        answer = client.post(url("callerstaff", "delete", line.pk), {"post": "yes"})
        assert answer.status_code == status
    chosen = {"action": "delete_selected", "_selected_action": str(mine.pk)}
    client.post(url("callerstaff"), chosen | {"post": "yes"})
    assert CallerStaff.objects.get() == mine


def test_it_adds_staff_and_they_cannot_decide(office, caller, ask) -> None:
    olga = operator("olga")
    RungPolicy.objects.create(level=1, separate=True)
    form = {"caller": caller.pk, "user": olga.pk}
    assert office.post(url("callerstaff", "add"), form).status_code == 302
    assert not verbs.may_decide(olga, ask())


def test_it_has_links_for_those_who_may(office, enter) -> None:
    assert "Own staff" in office.get("/admin/").content.decode()
    page = enter(operator("olga")).get("/admin/").content.decode()
    assert "Out of office" in page
    assert "Own staff" not in page


def test_it_gives_administrators_the_right_to_the_rules() -> None:
    group, _ = Group.objects.get_or_create(name="Administrator")
    group.permissions.clear()
    migration.grant(apps, SimpleNamespace(connection=connection))
    named = set(group.permissions.values_list("codename", flat=True))
    assert named == set(migration.RIGHTS)


def test_it_makes_no_group_of_that_name_again() -> None:
    Group.objects.all().delete()
    migration.grant(apps, SimpleNamespace(connection=connection))
    assert not Group.objects.exists()


def test_it_tells_a_voter_that_others_are_needed(enter, ask, olga) -> None:
    RungPolicy.objects.create(level=1, approvals=2)
    question = ask()
    answer = enter(olga).post(
        decide_url(question),
        {"question": question.pk, "version": 1, "action": "approve"},
        follow=True,
    )
    assert "Your vote counts: 1 of 2 approvals" in answer.content.decode()
