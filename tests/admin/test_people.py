"""Only a superuser hands out rights."""

import pytest
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
