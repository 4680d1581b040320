"""An attempt beyond somebody's rights is refused and stays on record (G43)."""

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client

from tests.admin.test_posting import NEEDED, decide, request_row

__all__ = ["request_row"]

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("action", NEEDED)
def test_it_records_every_refused_attempt_g43(enter, staff, request, action) -> None:
    address, data = action(request.getfixturevalue)
    intruder = staff("view_agent")
    assert enter(intruder).post(address, data).status_code == 403
    entry = LogEntry.objects.get()
    assert entry.user == intruder
    assert entry.change_message.startswith("Refused: no right to ")


def test_it_records_what_was_tried_on_what_g43(enter, staff, ask, office) -> None:
    question = ask()
    address, data = decide(lambda _: question)
    enter(staff("view_task")).post(address, data)
    entry = LogEntry.objects.get()
    assert entry.object_id == str(question.pk)
    assert entry.change_message == "Refused: no right to decide."
    history = address.replace("decide", "history")
    assert "Refused: no right to decide." in office.get(history).content.decode()


def test_it_records_a_decision_above_ones_level_g43(enter, staff, ask) -> None:
    address, data = decide(lambda _: ask(level=3))
    assert enter(staff("decide_level_1")).post(address, data).status_code == 403
    assert LogEntry.objects.get().change_message.startswith("Refused: ")


def test_it_takes_a_look_for_no_attempt(enter, staff, ask) -> None:
    address, _ = decide(lambda _: ask())
    assert enter(staff("view_task")).get(address).status_code == 403
    assert not LogEntry.objects.exists()


def test_it_records_nothing_of_a_form_without_a_token(boss, ask) -> None:
    address, data = decide(lambda _: ask())
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(boss)
    assert browser.post(address, data).status_code == 403
    assert not LogEntry.objects.exists()
