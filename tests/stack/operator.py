"""A person at the admin, over plain HTTP: logs in, reads a form, posts it."""

import re
from urllib.parse import urljoin

import requests

from tests.stack.form import form_with

NAME, PASSWORD = "operator", "let me in"
INBOX = "/admin/tasks_app/humanrequest/"
_LINK = re.compile(rf'"({INBOX}[0-9a-f-]{{36}}/decide/)["?]')


class Operator:
    """One browser session without a browser."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.session = requests.Session()
        page = self.get("/admin/login/")
        who = {"username": NAME, "password": PASSWORD}
        answer = self.send(page, "password", who)
        assert "/admin/login/" not in answer.url, "the login was refused"

    def get(self, path: str) -> requests.Response:
        """A page that must be there."""
        page = self.session.get(f"{self.url}{path}", timeout=10)
        assert page.ok, f"{path}: {page.status_code}"
        return page

    def send(
        self, page: requests.Response, name: str, values: dict[str, str]
    ) -> requests.Response:
        """Post the form that has `name`, with these values put in by name or label."""
        form = form_with(page.text, name)
        filled = {form.labels.get(key, key): value for key, value in values.items()}
        return self.session.post(
            urljoin(page.url, form.action),
            data=form.values | filled,
            timeout=10,
            headers={"Referer": page.url},
        )

    def inbox(self, task_id: str) -> list[str]:
        """Where the open requests of a task are decided."""
        page = self.get(f"{INBOX}?box=open&q={task_id}")
        return sorted(set(_LINK.findall(page.text)))

    def request_of(self, task_id: str) -> requests.Response:
        """The page of the one open request of a task."""
        (path,) = self.inbox(task_id)
        return self.get(path)

    def decide(self, task_id: str, action: str, **values: str) -> requests.Response:
        """Open the request of a task and press a button."""
        page = self.request_of(task_id)
        return self.send(page, "action", {"action": action, **values})

    def claim(self, task_id: str) -> requests.Response:
        """Take the request of a task in hand."""
        page = self.request_of(task_id)
        values = form_with(page.text, "version").values
        url = page.url.removesuffix("decide/") + "claim/"
        return self.session.post(
            url, data=values, timeout=10, headers={"Referer": page.url}
        )
