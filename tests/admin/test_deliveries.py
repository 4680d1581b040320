"""Callbacks: dead letters, attempts, sending again."""

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse
from django.utils import timezone

from tasks_app.models import Delivery, DeliveryState
from tests.admin.things import dead_letter, ended

pytestmark = pytest.mark.django_db
LIST = reverse("admin:tasks_app_delivery_changelist")


def url(name: str, row: Delivery) -> str:
    return reverse(f"admin:tasks_app_delivery_{name}", args=[row.pk])


@pytest.fixture
def dead(caller) -> Delivery:
    return dead_letter(ended(caller))


def listed(client, **query: str) -> list:
    return [one.pk for one in client.get(LIST, query).context["cl"].result_list]


def test_it_lists_dead_letters_in_their_box(office, caller, dead) -> None:
    alive = dead_letter(ended(caller), state=DeliveryState.DELIVERED)
    assert listed(office) == [alive.pk, dead.pk]
    assert listed(office, box="dead") == [dead.pk]


def test_it_finds_by_task_and_by_webhook_id(office, caller, dead) -> None:
    dead_letter(ended(caller))
    assert listed(office, q=str(dead.task_id)) == [dead.pk]
    assert listed(office, q=str(dead.pk)) == [dead.pk]


def test_it_shows_every_attempt(office, dead) -> None:
    page = office.get(url("change", dead)).content.decode()
    for text in ("500", "503", "answer 1", "answer 2", "https://example.test/hook"):
        assert text in page
    assert 'href="https://example.test' not in page


def test_it_shows_at_most_four_kilobytes_of_a_response(office, dead) -> None:
    dead.attempts.update(response="y" * 5000)
    page = office.get(url("change", dead)).content.decode()
    assert "y" * 4096 in page
    assert "y" * 4097 not in page


def test_it_sends_again(office, dead, boss) -> None:
    answer = office.post(url("replay", dead))
    dead.refresh_from_db()
    assert answer.headers["location"] == url("change", dead)
    assert (dead.state, dead.schedule_from) == (DeliveryState.WAITING, 2)
    assert LogEntry.objects.get(user=boss).change_message == "Sent again."


def test_it_sends_the_selected_ones_again(office, caller, dead) -> None:
    other = dead_letter(ended(caller))
    chosen = [str(dead.pk), str(other.pk)]
    data = {"action": "replay_selected", "_selected_action": chosen}
    page = office.post(LIST, data, follow=True).content.decode()
    assert "Being sent again: 2." in page
    assert set(Delivery.objects.values_list("state", flat=True)) == {"waiting"}


def test_it_leaves_alone_what_is_just_being_sent(office, dead) -> None:
    later = timezone.now() + timedelta(minutes=1)
    Delivery.objects.update(state="waiting", leased_until=later)
    answer = office.post(url("replay", dead))
    assert answer.status_code == 409
    assert "The callback is being sent." in answer.content.decode()
    data = {"action": "replay_selected", "_selected_action": [str(dead.pk)]}
    page = office.post(LIST, data, follow=True).content.decode()
    assert "Just being sent, so left alone: 1." in page


def test_it_asks_the_database_no_more_for_more_rows(
    office, caller, dead, django_assert_num_queries
) -> None:
    with django_assert_num_queries(6) as few:
        office.get(LIST)
    for _ in range(5):
        dead_letter(ended(caller))
    with django_assert_num_queries(len(few.captured_queries)):
        assert len(listed(office)) == 6


@pytest.mark.parametrize(
    "address", ["nonsense", "01a22eb4-0000-7000-8000-000000000000"]
)
def test_it_knows_no_page_for_an_unknown_callback(office, address) -> None:
    assert office.get(f"/admin/tasks_app/delivery/{address}/change/").status_code == 404
