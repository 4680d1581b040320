"""The main job at the desk, in a real browser: an invoice is decided (G40, G41)."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tasks_app import runner
from tasks_app.changes import Snapshot
from tasks_app.models import Caller
from tests.admin.things import attachment
from tests.factories import open_question, operator, row, submitted

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
INVOICE = Path(__file__).parents[2] / "examples/invoices/invoice.pdf"
Open = Callable[..., Page]


@pytest.fixture
def invoice(caller: Caller) -> Snapshot:
    """Waits for a decision: its amount is above the limit."""
    file = attachment("invoice.pdf", INVOICE.read_bytes())
    task = submitted(
        caller, "invoice_approval", payload={"limit": 100}, attachments=(file,)
    )
    runner.drain("default")
    return task


def open_from_inbox(page: Page) -> None:
    page.click("text=HiL requests")
    page.click("text=Quillfeather Paper Ltd asks for")
    page.wait_for_url("**/decide/")


def outcome(task: Snapshot) -> dict:
    runner.drain("default")
    done = row(task)
    assert done.state == "completed"
    return done.result


def test_it_approves_an_invoice(open_browser: Open, invoice: Snapshot) -> None:
    page = open_browser(operator("olga"))
    open_from_inbox(page)
    page.fill("[name=comment]", "Ordered by me.")
    page.click("button:has-text('Approve and book')")
    expect(page.locator("#main")).to_contain_text("Approved. The agent goes on.")
    result = outcome(invoice)
    assert (result["decision"], result["decided_by"]) == ("approved", "olga")
    assert result["comment"] == "Ordered by me."


def test_it_rejects_an_invoice(open_browser: Open, invoice: Snapshot) -> None:
    page = open_browser(operator("olga"))
    open_from_inbox(page)
    page.click("button:has-text('Reject')")
    expect(page.locator("#main")).to_contain_text("Rejected. The agent goes on.")
    result = outcome(invoice)
    assert (result["decision"], result["approved"]) == ("rejected", False)


def test_it_sends_a_changed_invoice(open_browser: Open, invoice: Snapshot) -> None:
    page = open_browser(operator("olga"))
    open_from_inbox(page)
    page.get_by_label("Amount").fill("1200.25")
    page.get_by_label("Date").fill("2024-06-01")
    page.click("button:has-text('Send changed value')")
    expect(page.locator("#main")).to_contain_text("Your value was sent.")
    result = outcome(invoice)
    assert (result["decision"], result["amount"]) == ("modified", 1200.25)
    assert result["date"] == "2024-06-01"
    assert result["vendor"] == "Quillfeather Paper Ltd"


def test_it_shows_all_decisions_without_scrolling(
    open_browser: Open, invoice: Snapshot
) -> None:
    page = open_browser(operator("olga"))
    open_from_inbox(page)
    for label in ("Approve and book", "Send changed value", "Reject", "Claim"):
        button = page.locator(f".sy-verdict button:has-text('{label}')")
        expect(button).to_be_in_viewport(ratio=1)


def test_it_cannot_approve_while_a_field_is_changed(
    open_browser: Open, invoice: Snapshot
) -> None:
    page = open_browser(operator("olga"))
    open_from_inbox(page)
    approve = page.locator("button:has-text('Approve and book')")
    hint = page.get_by_text("You changed the value.")
    asked = page.get_by_label("Amount").input_value()
    expect(approve).to_be_enabled()
    expect(hint).to_be_hidden()
    page.get_by_label("Amount").fill("1")
    expect(approve).to_be_disabled()
    expect(hint).to_be_visible()
    page.get_by_label("Amount").fill(asked)
    expect(approve).to_be_enabled()


def test_it_knows_the_change_after_the_page_came_back(
    open_browser: Open, invoice: Snapshot
) -> None:
    page = open_browser(operator("olga"))
    open_from_inbox(page)
    page.get_by_label("Amount").fill("a lot")
    page.click("button:has-text('Send changed value')")
    expect(page.locator(".sy-verdict [role=alert]")).to_be_in_viewport(ratio=1)
    expect(page.locator("button:has-text('Approve and book')")).to_be_disabled()


def test_it_refuses_to_lose_a_change_without_our_script(
    open_browser: Open, invoice: Snapshot
) -> None:
    page = open_browser(operator("olga"))
    page.route("**/console.js", lambda route: route.abort())
    open_from_inbox(page)
    page.get_by_label("Amount").fill("1")
    page.click("button:has-text('Approve and book')")
    said = page.locator(".sy-verdict [role=alert]")
    expect(said).to_contain_text("the button you pressed does not send it")
    expect(said).to_be_in_viewport(ratio=1)
    assert open_question(invoice).is_open


def test_it_takes_an_untouched_form_for_no_change(
    open_browser: Open, invoice: Snapshot
) -> None:
    asked = open_question(invoice).suggested_value
    page = open_browser(operator("olga"))
    open_from_inbox(page)
    page.click("button:has-text('Send changed value')")
    page.wait_for_url("**/humanrequest/")
    question = row(invoice).questions.get()
    assert question.answer["decision"]["value"] == asked


def test_it_decides_nothing_by_the_enter_key(
    open_browser: Open, invoice: Snapshot
) -> None:
    page = open_browser(operator("olga"))
    open_from_inbox(page)
    page.get_by_label("Vendor").press("Enter")
    page.get_by_label("Amount").fill("x")
    assert open_question(invoice).is_open
    expect(page).to_have_url(re.compile(r"/decide/$"))


def test_it_claims_in_the_list_and_releases_on_the_page(
    open_browser: Open, invoice: Snapshot
) -> None:
    page = open_browser(operator("olga"))
    page.click("text=HiL requests")
    page.click("button:has-text('Claim')")
    expect(page.locator(".sy-badges")).to_contain_text("You hold this")
    page.click("button:has-text('Release')")
    page.wait_for_url("**/humanrequest/")
    assert open_question(invoice).claimed_by is None


def test_it_tells_the_slower_of_two_operators_g40(
    open_browser: Open, invoice: Snapshot
) -> None:
    first, second = open_browser(operator("olga")), open_browser(operator("oscar"))
    for page in (first, second):
        open_from_inbox(page)
    first.click("button:has-text('Approve and book')")
    first.wait_for_url("**/humanrequest/")
    second.click("button:has-text('Reject')")
    expect(second.get_by_role("alert")).to_contain_text("Answered by olga at")
    assert outcome(invoice)["decision"] == "approved"


def test_it_keeps_what_was_typed_when_it_cannot_be_used(
    open_browser: Open, invoice: Snapshot
) -> None:
    page = open_browser(operator("olga"))
    open_from_inbox(page)
    page.get_by_label("Amount").fill("a lot")
    page.get_by_label("Comment").fill("Hm.")
    page.click("button:has-text('Send changed value')")
    expect(page.locator(".sy-error")).to_contain_text("Write a number")
    assert page.get_by_label("Amount").input_value() == "a lot"
    assert page.get_by_label("Comment").input_value() == "Hm."
    assert open_question(invoice).is_open


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone(open_browser: Open, invoice: Snapshot, scheme: str) -> None:
    size = {"width": 360, "height": 740}
    user = operator("olga")
    page = open_browser(user, viewport=size, color_scheme=scheme)
    page.goto("/admin/tasks_app/humanrequest/")
    for step in ("inbox", "request"):
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 360, step
        if step == "inbox":
            page.click("text=Quillfeather Paper Ltd asks for")
            page.wait_for_url("**/decide/")
    page.click("button:has-text('Approve and book')")
    page.wait_for_url("**/humanrequest/")
    assert outcome(invoice)["decision"] == "approved"
