"""The ladder at the desk, in a real browser: votes, escalating, a page left behind."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from playwright.sync_api import Page, expect

from tasks_app.models import HumanRequest, RungPolicy
from tests.admin.forms import decide_url
from tests.admin.test_policies import away
from tests.factories import operator

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
Open = Callable[..., Page]
Ask = Callable[..., HumanRequest]
HOUR = timedelta(hours=1)


def at(page: Page, question: HumanRequest) -> Page:
    page.goto(decide_url(question))
    return page


def hand_on(page: Page) -> None:
    """Opens what is folded away, by keyboard."""
    page.locator(".sy-handing summary").press("Enter")


def test_it_takes_two_operators_to_approve(open_browser: Open, ask: Ask) -> None:
    RungPolicy.objects.create(level=1, approvals=2)
    question = ask()
    first = at(open_browser(operator("olga")), question)
    second = at(open_browser(operator("oscar")), question)
    first.click("button:has-text('Approve')")
    expect(first.locator("#main")).to_contain_text("1 of 2 approvals")
    question.refresh_from_db()
    assert question.is_open
    second.reload()
    expect(second.locator(".sy-votes")).to_contain_text("olga Approve")
    second.click("button:has-text('Approve')")
    expect(second.locator("#main")).to_contain_text("Approved. The agent goes on.")
    question.refresh_from_db()
    votes = question.answer["votes"]
    assert [one["decided_by"]["user_id"] for one in votes] == ["olga", "oscar"]


def test_it_takes_back_a_vote(open_browser: Open, ask: Ask) -> None:
    RungPolicy.objects.create(level=1, approvals=2)
    question = ask()
    page = at(open_browser(operator("olga")), question)
    page.click("button:has-text('Approve')")
    page.wait_for_url("**/humanrequest/")
    at(page, question).click("button:has-text('Withdraw my vote')")
    expect(page.locator("#main")).to_contain_text("Your vote is withdrawn.")
    expect(page.locator("button:has-text('Approve')")).to_be_enabled()
    assert question.votes.get().withdrawn_at is not None


def test_it_refuses_the_page_of_the_level_before_g41(
    open_browser: Open, ask: Ask
) -> None:
    question = ask()
    low = at(open_browser(operator("stan", levels=(1,))), question)
    high = at(open_browser(operator("olga")), question)
    hand_on(high)
    high.get_by_label("Why", exact=True).fill("Above our limit.")
    high.click("button:has-text('Escalate to level 2')")
    expect(high.locator("#main")).to_contain_text("Given to level 2.")
    low.click("button:has-text('Approve')")
    said = low.get_by_role("alert")
    expect(said).to_contain_text("olga gave it to level 2 at")
    expect(said).to_contain_text("“Above our limit.”")
    low.click("text=Open this request as it stands now")
    expect(low.locator(".sy-badges")).to_contain_text("Level 2")
    expect(low.locator("#main")).to_contain_text("you need the right for level 2")
    question.refresh_from_db()
    assert question.is_open


def test_it_delegates_to_a_person(open_browser: Open, ask: Ask) -> None:
    question, oscar = ask(), operator("oscar")
    page = at(open_browser(operator("olga")), question)
    hand_on(page)
    page.get_by_label("Person").select_option(label="oscar")
    page.click("button:has-text('Delegate to this person')")
    expect(page.locator("#main")).to_contain_text("Given to oscar.")
    theirs = at(open_browser(oscar), question)
    expect(theirs.locator(".sy-badges")).to_contain_text("You hold this")
    theirs.click("button:has-text('Approve')")
    theirs.wait_for_url("**/humanrequest/")
    question.refresh_from_db()
    assert question.answer["decided_by"]["via"] == "delegation"


def test_it_shows_where_a_comment_is_missing(open_browser: Open, ask: Ask) -> None:
    question = ask()
    page = at(open_browser(operator("olga")), question)
    page.get_by_label("Comment").fill("Half a thought.")
    hand_on(page)
    page.click("button:has-text('Escalate to level 2')")
    why = page.get_by_label("Why", exact=True)
    expect(why).to_be_visible()
    expect(why).to_have_attribute("aria-invalid", "true")
    expect(why).to_have_accessible_description(re.compile("Say why"))
    assert page.get_by_label("Comment").input_value() == "Half a thought."


def test_it_goes_through_by_keyboard_in_the_order_of_the_page(
    open_browser: Open, ask: Ask
) -> None:
    operator("oscar")
    page = at(open_browser(operator("olga")), ask())
    hand_on(page)
    page.get_by_label("Comment").focus()
    expected = (
        page.locator(".sy-handing summary"),
        page.get_by_label("Why", exact=True),
        page.get_by_label("Person"),
        page.get_by_role("button", name="Delegate to this person"),
        page.get_by_role("button", name="Escalate to level 2"),
        page.get_by_role("button", name="Approve"),
        page.get_by_role("button", name="Reject"),
    )
    for control in expected:
        page.keyboard.press("Tab")
        expect(control).to_be_focused()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_with_all_of_it(
    open_browser: Open, ask: Ask, scheme: str
) -> None:
    RungPolicy.objects.create(
        level=1, then="climb", reminders=1, approvals=2, answer_within=HOUR
    )
    olga, oscar = operator("olga"), operator("oscar" * 20)
    away(oscar, olga)
    question = ask(suggested_value={"amount": 12}, options=["left" * 30])
    size = {"width": 360, "height": 740}
    page = at(open_browser(olga, viewport=size, color_scheme=scheme), question)
    hand_on(page)
    expect(page.locator(".sy-foretold")).to_contain_text("level 2")
    expect(page.get_by_label("Decide")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.click("button:has-text('Approve')")
    page.wait_for_url("**/humanrequest/")
    at(page, question)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
