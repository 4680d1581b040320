"""Callers and keys: a clear key is on one page, once, and nowhere else."""

import re

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.sessions.models import Session
from django.urls import reverse

from tasks_app import callers
from tasks_app.models import Caller, CallerKey

pytestmark = pytest.mark.django_db
ADD = reverse("admin:tasks_app_caller_add")


def url(name: str, caller: Caller, *parts: object) -> str:
    return reverse(f"admin:tasks_app_caller_{name}", args=[caller.pk, *parts])


def secrets_on(page) -> list[str]:
    text = page.content.decode()
    return re.findall(r'class="sy-code sy-secret"[^>]*>([^<]+)</pre>', text)


def kept() -> str:
    """All that is stored of the visit, sessions opened."""
    sessions = [str(one.get_decoded()) for one in Session.objects.all()]
    entries = LogEntry.objects.values_list("change_message", "object_repr")
    return f"{sessions} {list(entries)}"


def test_it_creates_a_caller_and_shows_its_key_and_secret(office) -> None:
    page = office.post(ADD, {"name": "billing"})
    key, secret = secrets_on(page)
    caller = Caller.objects.get()
    assert CallerKey.objects.get_from_key(key).caller == caller
    assert secret == callers.callback_secret(caller)
    assert "no-store" in page.headers["cache-control"]


@pytest.mark.parametrize("name", ["", " ", "x" * 101, "acme"])
def test_it_refuses_a_name_that_will_not_do(office, caller, name) -> None:
    answer = office.post(ADD, {"name": name})
    assert answer.status_code == 422
    assert Caller.objects.count() == 1


def test_it_shows_a_new_key_once(office, caller) -> None:
    page = office.post(url("create_key", caller), {"key_name": "laptop"})
    [key] = secrets_on(page)
    assert CallerKey.objects.get_from_key(key).name == "laptop"
    for place in ("change", "history"):
        assert key not in office.get(url(place, caller)).content.decode()
    assert key not in office.get("/admin/").content.decode()


def test_it_keeps_no_key_or_secret_anywhere(office, caller) -> None:
    pages = [
        office.post(ADD, {"name": "billing"}),
        office.post(url("create_key", caller), {"key_name": "laptop"}),
        office.post(url("rotate_secret", caller)),
    ]
    shown = [secret for page in pages for secret in secrets_on(page)]
    cookies = " ".join(morsel.value for morsel in office.cookies.values())
    assert len(shown) == 4
    assert not [secret for secret in shown if secret in kept() + cookies]


def test_it_never_shows_the_hash_of_a_key(office, caller, api_key) -> None:
    key = CallerKey.objects.get()
    page = office.get(url("change", caller)).content.decode()
    assert key.prefix in page
    assert key.hashed_key not in page


@pytest.mark.parametrize("name", ["", "x" * 51])
def test_it_wants_a_name_for_a_key(office, caller, name) -> None:
    answer = office.post(url("create_key", caller), {"key_name": name}, follow=True)
    assert "Give the new key a name" in answer.content.decode()
    assert not CallerKey.objects.exists()


def test_it_revokes_a_key(office, caller, api_key, boss) -> None:
    key = CallerKey.objects.get()
    answer = office.post(url("revoke_key", caller, key.prefix), follow=True)
    assert "is revoked" in answer.content.decode()
    assert not CallerKey.objects.is_valid(api_key)
    assert key.prefix in LogEntry.objects.get(user=boss).change_message


def test_it_revokes_only_keys_of_the_caller_on_the_page(
    office, caller, stranger_key
) -> None:
    key = CallerKey.objects.get()
    assert office.post(url("revoke_key", caller, key.prefix)).status_code == 404
    assert CallerKey.objects.is_valid(stranger_key)


def test_it_rotates_the_callback_secret(office, caller) -> None:
    before = callers.callback_secret(caller)
    [secret] = secrets_on(office.post(url("rotate_secret", caller)))
    caller.refresh_from_db()
    assert callers.callback_secret(caller) == secret != before


def test_it_switches_a_caller_off(office, caller) -> None:
    office.post(url("change", caller), {"name": caller.name})
    caller.refresh_from_db()
    assert caller.enabled is False


def test_it_shows_no_buttons_to_who_may_only_look(
    enter, staff, caller, api_key
) -> None:
    page = enter(staff("view_caller")).get(url("change", caller)).content.decode()
    assert CallerKey.objects.get().prefix in page
    for text in ("Revoke", "Create key", "Make a new secret", 'name="_save"'):
        assert text not in page


@pytest.mark.parametrize(
    "address", ["nonsense", "01a22eb4-0000-7000-8000-000000000000"]
)
def test_it_knows_no_page_for_an_unknown_caller(office, address) -> None:
    answer = office.get(f"/admin/tasks_app/caller/{address}/change/")
    assert answer.status_code in (302, 404)


def test_it_counts_live_keys_in_one_query(office, caller, api_key) -> None:
    key, _ = CallerKey.objects.create_key(name="old", caller=caller)
    callers.revoke_key(key)
    page = office.get(reverse("admin:tasks_app_caller_changelist"))
    assert [one.live for one in page.context["cl"].result_list] == [1]
