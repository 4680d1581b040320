"""No address of the console ends in a 500 (G50), whoever is logged in."""

import re
from collections.abc import Iterator
from itertools import cycle, islice
from urllib.parse import quote_from_bytes

import pytest
from django.contrib import admin
from django.db import DataError, transaction
from django.test import Client
from django.urls import URLPattern, URLResolver
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agents_app.models import Agent
from tasks_app import runner
from tests.admin.things import dead_letter, ended
from tests.factories import submitted

pytestmark = pytest.mark.django_db
BIG = "9" * 40
# As parts of a query string, percent-encoded where HTTP needs it.
VALUES = {
    "nul": "a%00b",
    "surrogate": "%ED%A0%80",
    "invalid": "%FF%FE",
    "nothing": "",
    "word": "abc",
    "negative": "-1",
    "bigint": str(2**63),
    "huge": BIG,
    "float": "1e999",
    "nan": "nan",
    "digits": "%D9%A3",
    "quotes": "%27%22%3B--",
    "percent": "%25s%25(x)s%25",
    "brackets": "((((a%2B)%2B)%2B%24",
    "date": "0000-13-99",
    "year": "99999-01-01",
    "uuid": "00000000-0000-0000-0000-000000000000",
    "comma": "1,2,x,,",
    "long": "x" * 5000,
    "json": "%7B%22a%22:1%7D",
    "braces": "%7B%7Bx%7D%7D",
    "slash": "../..",
    "underscores": "_5F_00_2F__",
}
# Django's own parameters and those of our filters.
OFFERED = ("p", "o", "s", "page", "term", "_to_field", "level")
# Lookups that nobody offers, at least on some lists.
LOOKUPS = (
    "id__in",
    "pk",
    "state__exact",
    "caller__id__exact",
    "caller__isnull",
    "state__regex",
    "created_at__year",
    "due_at__date",
    "generation__lt",
    "payload__a",
    "task__requester__regex",
    "caller__keys__hashed_key__startswith",
    "claimed_by__password__startswith",
    "nonsense__exact",
    "__",
    "a__b__c",
    "is_staff__exact",
    "groups__id__exact",
    "password__startswith",
    "date_joined__year",
)
IDS = [
    "abc",
    "a%00b",
    "%ED%A0%80",
    "-1",
    str(2**63),
    BIG,
    "_5F_00",
    "%D9%A3",
    "x" * 3000,
    "00000000-0000-0000-0000-000000000000",
]


def walk(patterns: list[URLPattern | URLResolver], above: str = "") -> Iterator[str]:
    """Every route below, with its converters still in it."""
    for one in patterns:
        route = above + str(one.pattern)
        if isinstance(one, URLResolver):
            yield from walk(one.url_patterns, route)
        else:
            yield route


ROUTES = sorted({f"/admin/{route}" for route in walk(admin.site.get_urls())})
LISTS = [
    f"/admin/{model._meta.app_label}/{model._meta.model_name}/?"
    for model in admin.site._registry
]
OTHERS = [
    "/admin/?",
    "/admin/tasks_app/?",
    "/admin/login/?",
    "/admin/search/?s=task&",
    "/admin/search/?s=task&extended=1&",
    "/admin/autocomplete/?",
    "/admin/autocomplete/?app_label=auth&model_name=user&field_name=groups&",
    "/admin/auth/user/add/?",
    "/admin/tasks_app/caller/add/?",
]


@pytest.fixture
def foreseen(caplog) -> Iterator[None]:
    """Something answered before the last net had to: that one hides our mistakes."""
    yield
    assert "An address was not understood." not in caplog.text


@pytest.fixture
def rows(caller) -> None:
    """Without rows, some databases do not even look at a condition."""
    for task_type in ("probe_need_human", "probe_need_info"):
        submitted(caller, task_type)
    runner.drain("default")
    dead_letter(ended(caller))
    Agent.objects.create(id="north", name="North")


def status(browser: Client, address: str, **data: str) -> int:
    """Whatever the page did to the transaction of the test is undone."""
    with transaction.atomic():
        answer = browser.post(address, data) if data else browser.get(address)
        transaction.set_rollback(True)
    return answer.status_code


def queries() -> Iterator[str]:
    yield from (f"q={value}" for value in VALUES.values())
    values = cycle(VALUES.values())
    for name in OFFERED:
        yield from (f"{name}={next(values)}" for _ in range(4))
    for name in LOOKUPS:
        yield f"{name}={next(values)}"


@pytest.mark.usefixtures("foreseen")
@pytest.mark.parametrize("page", [*LISTS, *OTHERS])
def test_it_answers_any_query_g50(office, rows, page) -> None:
    bad = [one for one in queries() if status(office, page + one) >= 500]
    assert bad == []


@pytest.mark.usefixtures("foreseen")
@pytest.mark.parametrize("page", [*LISTS, *OTHERS])
def test_it_answers_any_query_of_an_operator_g50(desk, rows, page) -> None:
    few = islice(queries(), 0, None, 9)
    assert [one for one in few if status(desk, page + one) >= 500] == []


@pytest.mark.usefixtures("foreseen")
@pytest.mark.parametrize("route", [route for route in ROUTES if "<" in route])
def test_it_answers_any_id_g50(office, desk, rows, route) -> None:
    odd = [re.sub("<[^>]+>", odd, route) for odd in IDS]
    assert [one for one in odd if status(office, one) >= 500] == []
    for browser in (office, desk):
        posted = [one for one in odd[1:4] if status(browser, one, version="1") >= 500]
        assert posted == []


@pytest.mark.usefixtures("foreseen")
@pytest.mark.parametrize("name", ["action", "index", "_selected_action", "version"])
@pytest.mark.parametrize("page", LISTS)
def test_it_answers_any_action_g50(office, rows, page, name) -> None:
    for value in ("x", "-1", BIG, "a\0b", "\ud800", ""):
        action = {"action": "replay_selected", "_selected_action": "x", "index": "0"}
        data = action | {"select_across": "1", name: value}
        text = {key: one.encode(errors="surrogatepass") for key, one in data.items()}
        assert status(office, page, **text) < 500


@pytest.mark.usefixtures("foreseen")
@pytest.mark.parametrize("action", ["delete_selected", "replay_selected"])
@pytest.mark.parametrize("page", LISTS)
@pytest.mark.parametrize("chosen", ["x", BIG, "a\0b"])
def test_it_answers_any_selection_g50(office, rows, page, action, chosen) -> None:
    data = {"action": action, "_selected_action": chosen, "post": "yes"}
    assert status(office, page, **data) < 500


@pytest.mark.usefixtures("foreseen")
@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(name=st.binary(max_size=30), value=st.binary(max_size=60), place=st.integers(0))
def test_it_answers_whatever_comes_to_mind_g50(office, name, value, place) -> None:
    pages = [*LISTS, *OTHERS]
    query = f"{quote_from_bytes(name)}={quote_from_bytes(value)}&q={place}"
    assert status(office, pages[place % len(pages)] + query) < 500


def test_it_offers_no_lookup_that_a_list_does_not_show_g50(office, rows) -> None:
    """Nobody finds out a secret by asking for its first letters."""
    page = "/admin/tasks_app/task/?"
    for lookup in ("callback_token__startswith", "payload__regex", "created_at__year"):
        assert office.get(f"{page}{lookup}=1").status_code == 400
    assert office.get(f"{page}state__exact=failed").status_code == 200


def test_it_says_in_the_frame_that_it_did_not_understand(office) -> None:
    answer = office.get("/admin/tasks_app/task/?q=%00")
    assert answer.status_code == 400
    page = answer.content.decode()
    assert "The address says something that this page cannot use." in page
    assert '<a class="sy-button" data-mood="plain" href="/admin/">' in page


def test_it_catches_what_no_check_foresaw(office, monkeypatch, caplog) -> None:
    """The last net: a database that makes nothing of a value, deep in a page."""

    def fail(*args: object) -> None:
        raise DataError("what nobody foresaw")

    monkeypatch.setattr("tasks_app.admin.listing.finding.by_task", fail)
    monkeypatch.setattr("tasks_app.admin.task.listing.finding.by_task", fail)
    assert office.get("/admin/tasks_app/task/?q=x").status_code == 400
    assert "An address was not understood." in caplog.text


def test_it_does_not_say_of_a_change_that_it_was_none(office, monkeypatch) -> None:
    """What failed in the middle of a POST may have changed something before."""

    def fail(*args: object, **kwargs: object) -> None:
        raise DataError("after the first of two writes")

    monkeypatch.setattr("tasks_app.admin.agent.pages.peers.register", fail)
    office.raise_request_exception = False
    answer = office.post("/admin/agents_app/agent/add/?x=1", {"id": "east"})
    assert answer.status_code == 500
    assert "Nothing was changed" not in answer.content.decode()


def test_it_keeps_mistakes_of_its_own_a_500(office, monkeypatch) -> None:
    def fail(*args: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("tasks_app.admin.task.listing.finding.by_task", fail)
    office.raise_request_exception = False
    assert office.get("/admin/tasks_app/task/?q=x").status_code == 500
