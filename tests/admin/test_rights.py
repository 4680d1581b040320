"""Authority is checked when writing, whatever page somebody saw (G43)."""

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.urls import reverse

from tests.admin.forms import controls, decide_url, press

pytestmark = pytest.mark.django_db
PAGES = ("decide", "claim", "release")


@pytest.mark.parametrize("page", PAGES)
def test_it_refuses_a_level_beyond_the_operator_g43(enter, staff, ask, page) -> None:
    question = ask(level=3)
    client = enter(staff("decide_level_1"))
    data = {"question": question.pk, "version": 1, "action": "approve"}
    answer = client.post(decide_url(question, page), data)
    assert answer.status_code == 403
    assert "You may not decide level 3 requests." in answer.content.decode()
    question.refresh_from_db()
    assert question.is_open


@pytest.mark.parametrize("page", PAGES)
def test_it_refuses_who_may_only_look_g43(enter, staff, ask, page) -> None:
    question = ask()
    client = enter(staff("view_humanrequest"))
    assert client.get(decide_url(question)).status_code == 200
    data = {"question": question.pk, "version": 1, "action": "approve"}
    assert client.post(decide_url(question, page), data).status_code == 403


@pytest.mark.parametrize("page", PAGES)
def test_it_hides_requests_from_other_staff(enter, staff, ask, page) -> None:
    question = ask()
    client = enter(staff("view_task"))
    assert client.get(decide_url(question)).status_code == 403
    data = {"question": question.pk, "version": 1, "action": "approve"}
    assert client.post(decide_url(question, page), data).status_code == 403


def test_it_refuses_a_right_lost_after_the_page_was_opened_g43(
    enter, olga, ask
) -> None:
    question = ask()
    client = enter(olga)
    page = client.get(decide_url(question))
    olga.user_permissions.remove(Permission.objects.get(codename="decide_level_1"))
    assert (
        press(client, decide_url(question), page, action="approve").status_code == 403
    )


def test_it_speaks_of_rights_before_it_speaks_of_mistakes_g43(
    enter, staff, ask
) -> None:
    question = ask(level=3)
    data = {"question": question.pk, "version": 1, "action": "nonsense"}
    answer = enter(staff("decide_level_1")).post(decide_url(question), data)
    assert answer.status_code == 403


def test_it_keeps_a_refused_attempt_on_record_g43(enter, staff, ask) -> None:
    question = ask(level=2)
    user = staff("decide_level_1")
    data = {"question": question.pk, "version": 1, "action": "approve"}
    enter(user).post(decide_url(question), data)
    assert LogEntry.objects.get(user=user).change_message.startswith("Refused")


def test_it_shows_no_form_without_the_right(enter, staff, ask) -> None:
    question = ask(level=2, options=["left"], suggested_value={"colour": "blue"})
    answer = enter(staff("decide_level_1")).get(decide_url(question))
    assert "action" not in controls(answer)
    text = answer.content.decode()
    assert 'name="action"' not in text
    assert "blue" in text


@pytest.mark.parametrize("url", ["/admin/", "/admin/tasks_app/humanrequest/"])
def test_it_sends_strangers_to_the_login(client, db, url) -> None:
    answer = client.get(url)
    assert (answer.status_code, answer.headers["location"]) == (
        302,
        f"/admin/login/?next={url}",
    )


def test_it_lets_people_log_in_from_the_bare_login_page(client, db) -> None:
    User.objects.create_user("lena", password="pass-word-1", is_staff=True)
    who = {"username": "lena", "password": "pass-word-1"}
    answer = client.post(reverse("admin:login"), who)
    assert answer.headers["location"] == reverse("admin:index")


MATRIX = {
    "humanrequest": {"view_humanrequest", "decide_level_2", "release_question"},
    "inforequest": {"view_inforequest", "provide_info"},
    "task": {"view_task"},
    "delivery": {"view_delivery"},
    "caller": {"view_caller", "change_caller"},
}


@pytest.mark.parametrize("model", MATRIX)
@pytest.mark.parametrize("right", sorted(set.union(*MATRIX.values())))
def test_it_opens_a_list_to_its_rights_only(enter, staff, model, right) -> None:
    client = enter(staff(right))
    url = reverse(f"admin:tasks_app_{model}_changelist")
    allowed = right in MATRIX[model]
    assert client.get(url).status_code == (200 if allowed else 403)
    index = client.get("/admin/").content.decode()
    assert (f'href="{url}"' in index) is allowed
