"""A real Chromium against a live server; the work between two clicks runs here."""

import os
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.admin.conftest import ask, declare, fresh_pace, quiet_keeper
from tests.services import require_or_skip

__all__ = ["ask", "declare", "fresh_pace", "quiet_keeper"]

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PASSWORD = "a-long-pass-word"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser per module: its event loop must not outlive the tests that expect it.

    While it runs, Django takes this thread for an async one and would refuse queries.
    """
    program = require_or_skip("chromium")
    with pytest.MonkeyPatch.context() as patch, sync_playwright() as playwright:
        patch.setitem(os.environ, "DJANGO_ALLOW_ASYNC_UNSAFE", "1")
        browser = playwright.chromium.launch(
            executable_path=program, args=list(ARGUMENTS)
        )
        yield browser
        browser.close()


@pytest.fixture
def open_browser(chromium: Browser, live_server) -> Iterator[Callable[..., Page]]:
    """Opens a window of its own in which this user has logged in."""
    contexts = []
    troubles: list[str] = []

    def log_in(user, **options) -> Page:
        user.set_password(PASSWORD)
        user.save()
        options.setdefault("viewport", {"width": 1440, "height": 900})
        context = chromium.new_context(base_url=live_server.url, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.goto("/admin/login/")
        page.fill("[name=username]", user.get_username())
        page.fill("[name=password]", PASSWORD)
        page.click("button[type=submit]")
        page.wait_for_url("**/admin/")
        return page

    yield log_in
    for context in contexts:
        context.close()
    assert troubles == []
