"""The REST API of a running Synapse, for the command line: HTTP only, no database.

submit, capabilities → Client → the same door that every other caller uses
"""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import requests

API = "/api/v1/synapse"
# Connect and read, in seconds: the server answers a submit within three (G08).
TIMEOUT = (5.0, 30.0)

# Too many requests, a database that restarts, a proxy without its server.
_MAY_PASS = {429, 502, 503, 504}

Json = dict[str, Any]  # Any: whatever the server says, shown and not interpreted.


class Unreachable(Exception):
    """No answer now; the text is for a person. Another try may do better."""


class Refused(Exception):
    """The answer is an error (P2A 9); the text is for a person."""


@dataclass(frozen=True, kw_only=True)
class Client:
    """Calls the API at `url` with `key`; raises Unreachable or Refused."""

    url: str
    key: str
    session: requests.Session = field(default_factory=requests.Session, repr=False)

    def get(self, path: str) -> Json:
        return self._call("GET", path)

    def post(self, path: str, body: Mapping[str, object]) -> Json:
        return self._call("POST", path, json=body)

    def post_files(
        self, path: str, fields: Mapping[str, str], files: Sequence[Path]
    ) -> Json:
        """Multipart, each file under the name `file`."""
        parts = [("file", (file.name, file.read_bytes())) for file in files]
        return self._call("POST", path, data=fields, files=parts)

    def _call(self, method: str, path: str, **content: Any) -> Json:
        headers = {"X-API-Key": self.key} if self.key else {}
        try:
            answer = self.session.request(
                method,
                f"{self.url}{API}{path}",
                headers=headers,
                timeout=TIMEOUT,
                allow_redirects=False,
                **content,
            )
        except (requests.ConnectionError, requests.Timeout) as error:
            raise Unreachable(
                f"Nothing answers at {self.url}. Is Synapse running there? "
                "Another address: --url or SYNAPSE_URL."
            ) from error
        except (requests.RequestException, ValueError) as error:
            raise Refused(
                f"The request to {self.url} cannot be sent: {error}"
            ) from error
        return _read(answer)


def configured(url: str | None, key: str | None) -> Client:
    """The client that options and environment describe; options win."""
    port = os.environ.get("PORT") or "8000"
    address = url or os.environ.get("SYNAPSE_URL") or f"http://127.0.0.1:{port}"
    return Client(
        url=address.rstrip("/"), key=key or os.environ.get("SYNAPSE_API_KEY") or ""
    )


def _read(answer: requests.Response) -> Json:
    try:
        body = answer.json()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise Refused(
            f"{answer.url} answered {answer.status_code} without JSON; "
            "this does not look like a Synapse."
        )
    if not answer.ok:
        failure = Unreachable if answer.status_code in _MAY_PASS else Refused
        raise failure(_refusal(answer.status_code, body.get("error")))
    return body


def in_words(error: Mapping[str, object], http: str = "") -> str:
    """`message (code 4002)` and a line for each detail: which field, which limit."""
    lines = [f"{error.get('message')} (code {error.get('code')}{http})"]
    details = error.get("details")
    if isinstance(details, Mapping):
        fields = details.get("fields")
        rest = {name: value for name, value in details.items() if name != "fields"}
        named = {**rest, **(fields if isinstance(fields, Mapping) else {})}
        lines += [f"  {name}: {_plain(value)}" for name, value in named.items()]
    return "\n".join(lines)


def _plain(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _refusal(status: int, error: object) -> str:
    if not isinstance(error, dict):
        return f"The server answered {status}."
    text = in_words(error, f", HTTP {status}")
    if status == requests.codes.unauthorized:
        text += "\nGive an API key: --key or SYNAPSE_API_KEY."
    return text
