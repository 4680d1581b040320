"""Nothing that strangers wrote runs in an operator's browser (G71)."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from tests.admin.forms import decide_url

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
RUN = "window.ran = true"
EVIL = (
    f"</textarea></title><script>{RUN}</script><img src=x onerror='{RUN}'>"
    f'<div x-data x-init="{RUN}" hx-get="/" @click="{RUN}">{{{{7*7}}}}</div>'
    f'"\' x-init="{RUN}" onfocus="{RUN}" autofocus='
)


def test_it_runs_nothing_of_a_hostile_request_g71(open_browser, ask) -> None:
    question = ask(
        task={"payload": {EVIL: EVIL}, "external_task_id": EVIL[:255]},
        reason={"summary": EVIL, EVIL: [EVIL]},
        options=[{"id": EVIL[:128], "label": EVIL, "description": EVIL}],
        suggested_value={EVIL: EVIL, "size": EVIL[:20], "deep": {EVIL: EVIL}},
        decision_schema={"properties": {"size": {"enum": [EVIL], "title": EVIL}}},
    )
    page = open_browser(User.objects.create_superuser("boss"))
    task = f"/admin/tasks_app/task/{question.task_id}"
    for url in (
        "/admin/tasks_app/humanrequest/",
        decide_url(question),
        f"{task}/change/",
        f"{task}/cancel/",
    ):
        page.goto(url)
        expect(page.locator("#main")).to_be_visible()
        for summary in page.locator("summary").all():
            summary.click()
        assert page.evaluate("window.ran") is None, url
