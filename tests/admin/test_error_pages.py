"""Refusals inside the console are pages of the console, with a way back."""

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db
EVIL = "<script>alert(1)</script>"


def assert_in_the_frame(answer, status: int, words: str) -> None:
    page = answer.content.decode()
    assert answer.status_code == status
    assert words in page
    assert '<a class="sy-button" data-mood="plain" href="/admin/">' in page
    assert "tasks_app/console.css" in page
    assert 'href="/admin/tasks_app/humanrequest/"' in page
    assert EVIL not in page


@pytest.mark.parametrize("path", ["nowhere/", f"{EVIL}/", "tasks_app/task/x/change/"])
def test_it_says_that_there_is_no_such_page_g71(office, path) -> None:
    assert_in_the_frame(office.get(f"/admin/{path}"), 404, "There is no such page")


def test_it_says_that_a_right_is_missing(desk) -> None:
    answer = desk.get("/admin/tasks_app/task/")
    assert_in_the_frame(answer, 403, "You have no right to this.")


def test_it_says_that_a_form_is_stale_g70(olga) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(olga)
    answer = browser.post("/admin/logout/")
    assert_in_the_frame(answer, 403, "Nothing was changed: open the page again")


def test_it_says_so_to_who_is_not_logged_in_g50() -> None:
    answer = Client(enforce_csrf_checks=True).post("/admin/login/")
    assert answer.status_code == 403
    assert "Nothing was changed: open the page again" in answer.content.decode()


@pytest.mark.parametrize("path", ["/nowhere/", "/api/v1/synapse/nowhere"])
def test_it_answers_programs_in_json_as_before(client, path) -> None:
    answer = client.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("application/json")
