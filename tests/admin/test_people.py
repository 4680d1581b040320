"""Only a superuser hands out rights."""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Group, Permission, User
from django.urls import reverse

from tests.admin.forms import controls

pytestmark = pytest.mark.django_db


def change(user: User) -> str:
    return reverse("admin:auth_user_change", args=[user.pk])


def test_it_lets_a_superuser_hand_out_rights(office) -> None:
    user = User.objects.create_user("nora")
    right = Permission.objects.get(codename="decide_level_1")
    form = controls(office.get(change(user)))
    form |= {"is_superuser": "on", "user_permissions": right.pk}
    assert office.post(change(user), form).status_code == 302
    user.refresh_from_db()
    assert user.is_superuser
    assert user.user_permissions.get() == right


def test_it_lets_nobody_else_raise_themselves(enter, staff) -> None:
    user = staff("change_user", "view_user", "view_group")
    client = enter(user)
    form = controls(client.get(change(user)))
    right = Permission.objects.get(codename="decide_level_3").pk
    form |= {"is_superuser": "on", "user_permissions": right, "first_name": "Stan"}
    assert client.post(change(user), form).status_code == 302
    user.refresh_from_db()
    assert (user.first_name, user.is_superuser) == ("Stan", False)
    assert not user.user_permissions.filter(pk=right).exists()


@pytest.mark.parametrize("page", ["change", "delete", "password_change"])
def test_it_keeps_superusers_from_lesser_hands(enter, staff, boss, page) -> None:
    client = enter(staff("change_user", "delete_user"))
    names = {"password_change": "auth_user_password_change"}
    name = names.get(page, f"auth_user_{page}")
    url = reverse(f"admin:{name}", args=[boss.pk])
    data = {"post": "yes", "password1": "pass-word-9", "password2": "pass-word-9"}
    assert client.post(url, data | {"username": "boss"}).status_code == 403
    assert User.objects.get(pk=boss.pk).password == boss.password


@pytest.fixture
def approver(staff) -> User:
    return staff("decide_level_3", name="anna")


PASSWORD = {
    "password1": "Taken-12345678",
    "password2": "Taken-12345678",
    "usable_password": "true",
    "set-password": "1",
}


@pytest.mark.parametrize("active", [True, False])
@pytest.mark.parametrize("by_group", [True, False])
@pytest.mark.parametrize("page", ["change", "delete", "password_change"])
def test_it_keeps_those_with_more_rights_from_lesser_hands_g43(
    enter, staff, approver, page, by_group, active
) -> None:
    """Whoever sets a password or an e-mail address may all that its owner may."""
    if by_group:
        group = Group.objects.create(name="deciders")
        group.permissions.set(approver.user_permissions.all())
        approver.user_permissions.clear()
        approver.groups.add(group)
    User.objects.filter(pk=approver.pk).update(is_active=active)
    clerk = staff("change_user", "delete_user", "decide_level_1", name="clerk")
    url = reverse(f"admin:auth_user_{page}", args=[approver.pk])
    data = PASSWORD | {"post": "yes", "username": "anna", "email": "clerk@example.com"}
    assert enter(clerk).post(url, data).status_code == 403
    kept = User.objects.get(pk=approver.pk)
    assert (kept.password, kept.email) == (approver.password, "")
    entry = LogEntry.objects.get()
    assert (entry.user, entry.object_id) == (clerk, str(approver.pk))
    assert entry.change_message.startswith("Refused: no right to ")


def test_it_deletes_nobody_with_more_rights_in_bulk(enter, staff, approver) -> None:
    client = enter(staff("change_user", "delete_user", "view_user", name="clerk"))
    chosen = {"action": "delete_selected", "_selected_action": str(approver.pk)}
    client.post(reverse("admin:auth_user_changelist"), chosen | {"post": "yes"})
    assert User.objects.filter(pk=approver.pk).exists()


def test_it_lets_others_help_those_with_no_more_rights(enter, staff) -> None:
    colleague = staff("decide_level_1", name="cora")
    client = enter(staff("change_user", "decide_level_1", name="clerk"))
    url = reverse("admin:auth_user_password_change", args=[colleague.pk])
    assert client.post(url, PASSWORD).status_code == 302
    assert User.objects.get(pk=colleague.pk).check_password("Taken-12345678")


def test_it_lets_nobody_else_rename_people_or_let_them_in(enter, staff) -> None:
    """A decision on record names its user."""
    user = User.objects.create_user("nora")
    client = enter(staff("change_user", "view_user", name="clerk"))
    form = controls(client.get(change(user))) | {"username": "boss", "is_staff": "on"}
    client.post(change(user), form | {"is_active": "on"})
    kept = User.objects.get(pk=user.pk)
    assert (kept.username, kept.is_staff) == ("nora", False)


def test_it_lets_nobody_else_delete_groups(enter, staff) -> None:
    group = Group.objects.create(name="operators")
    client = enter(staff("delete_group", "view_group"))
    url = reverse("admin:auth_group_delete", args=[group.pk])
    assert client.post(url, {"post": "yes"}).status_code == 403


def test_it_lets_nobody_else_change_groups(enter, staff) -> None:
    group = Group.objects.create(name="operators")
    client = enter(staff("change_group", "add_group", "view_group"))
    url = reverse("admin:auth_group_change", args=[group.pk])
    assert client.get(url).status_code == 200
    assert client.post(url, {"name": "owners"}).status_code == 403
    assert (
        client.post(reverse("admin:auth_group_add"), {"name": "x"}).status_code == 403
    )


@pytest.mark.parametrize("page", ["auth_user_add", "auth_group_add", "password_change"])
def test_it_opens_the_pages_of_people(office, page) -> None:
    assert office.get(reverse(f"admin:{page}")).status_code == 200
