"""A caller: uses the REST API as any program would, and keeps what it was told."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import requests

from tests.stack.waiting import eventually, patience

API = "/api/v1/synapse"
ENDS = ("completed", "failed", "cancelled")

Json = dict[str, Any]  # Any: bodies are compared, not interpreted.


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One answer, as the history checker wants it. Times are of this machine."""

    asked_at: datetime
    answered_at: datetime
    method: str
    path: str
    code: int
    task_id: str | None
    status: str | None


@dataclass
class Client:
    """Calls with one API key. Clients of several threads may share `replies`."""

    url: str
    key: str
    replies: list[Reply] = field(default_factory=list)
    session: requests.Session = field(default_factory=requests.Session)

    def request(
        self, method: str, path: str, timeout: float = 10, **content: Any
    ) -> requests.Response:
        """Any answer there is, below the API's prefix."""
        asked_at = datetime.now(UTC)
        answer = self.session.request(
            method,
            f"{self.url}{API}{path}",
            headers={"X-API-Key": self.key},
            timeout=timeout * patience(),
            **content,
        )
        self.replies.append(_reply(asked_at, answer, method, path))
        return answer

    def call(self, method: str, path: str, **content: Any) -> Json:
        """The body of an answer that must be a good one."""
        answer = self.request(method, path, **content)
        assert answer.ok, f"{method} {path}: {answer.status_code} {answer.text}"
        body: Json = answer.json()
        return body

    def submit(
        self, task_type: str, payload: Json | None = None, **fields: object
    ) -> str:
        """The id of a new task."""
        body = {"task_type": task_type, "payload": payload or {}, **fields}
        task_id: str = self.call("POST", "/task", json=body)["task_id"]
        return task_id

    def submit_file(
        self, task_type: str, file: Path, payload: str = "{}", **fields: str
    ) -> str:
        """The id of a new task that brings a file."""
        fields |= {"task_type": task_type, "payload": payload}
        part = (file.name, file.read_bytes(), "application/pdf")
        body = self.call("POST", "/task/multipart", data=fields, files={"file": part})
        task_id: str = body["task_id"]
        return task_id

    def task(self, task_id: str) -> Json:
        """P2A 7.3."""
        task: Json = self.call("GET", f"/task/{task_id}")["task"]
        return task

    def wait_for(self, task_id: str, wanted: str, timeout: float = 20) -> Json:
        """The task once its status or A2A state is `wanted`; an other end fails."""
        seen: Json = {}

        def there() -> bool:
            seen.update(self.task(task_id))
            if wanted in (seen["status"], seen["a2a_state"]):
                return True
            assert seen["status"] not in ENDS, f"{wanted} was expected: {seen}"
            return False

        eventually(there, timeout, lambda: f"{wanted}: {seen}")
        return seen

    def result(self, task_id: str, timeout: float = 20) -> Json:
        """What a task comes to that must complete."""
        result: Json = self.wait_for(task_id, "completed", timeout)["result"]
        return result

    def end(self, task_id: str, timeout: float = 20) -> Json:
        """The task once it ended, in whatever way."""
        seen: Json = {}

        def there() -> bool:
            seen.update(self.task(task_id))
            return seen["status"] in ENDS

        eventually(there, timeout, lambda: f"an end: {seen}")
        return seen

    def info(self, task_id: str, **provided: object) -> Json:
        body = {"provided_info": provided}
        return self.call("POST", f"/task/{task_id}/info", json=body)

    def cancel(self, task_id: str) -> requests.Response:
        return self.request("POST", f"/task/{task_id}/cancel")

    def download(self, task_id: str, file_id: str) -> bytes:
        answer = self.request("GET", f"/task/{task_id}/files/{file_id}")
        assert answer.ok, answer.text
        return answer.content


def _reply(
    asked_at: datetime, answer: requests.Response, method: str, path: str
) -> Reply:
    body: Any = {}
    if answer.headers.get("Content-Type", "").startswith("application/json"):
        body = answer.json()
    told = body.get("task") or body if isinstance(body, dict) else {}
    return Reply(
        asked_at=asked_at,
        answered_at=datetime.now(UTC),
        method=method,
        path=path,
        code=answer.status_code,
        task_id=told.get("id") or told.get("task_id"),
        status=told.get("status"),
    )
