"""Somebody without rights of their own stands in for somebody who is away."""

import pytest

from tests.admin.forms import decide_url, press
from tests.admin.test_policies import away, url
from tests.factories import operator

pytestmark = pytest.mark.django_db


@pytest.fixture
def deputy(enter, olga):
    """The browser of Olga's deputy."""
    dora = operator("dora", levels=())
    away(olga, dora)
    return enter(dora)


def test_it_opens_the_inbox_and_decides(deputy, ask) -> None:
    question = ask()
    assert deputy.get(url("humanrequest")).status_code == 200
    answer = press(deputy, decide_url(question), action="approve")
    assert answer.status_code == 302
    question.refresh_from_db()
    assert question.answer["decided_by"]["on_behalf_of"] == "olga"


def test_it_opens_nothing_without_an_absence(enter, ask) -> None:
    client = enter(operator("dora", levels=()))
    assert client.get(url("humanrequest")).status_code == 403
    assert client.get(decide_url(ask())).status_code == 403


def test_it_lends_nothing_that_was_lent(deputy) -> None:
    """Their form for being away is closed."""
    assert deputy.get(url("absence")).status_code == 200
    assert deputy.get(url("absence", "add")).status_code == 403
