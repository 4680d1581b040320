"""Peers name their tasks and files as they like; what was taken can be asked for."""

import hashlib
import json
from urllib.parse import quote

import pytest
from django.test import Client

from agents_app.protocol import ids, tickets
from tasks_app.api.addresses import PREFIX
from tasks_app.models import Attachment
from tests.api.a2a.conftest import request
from tests.api.a2a.speaking import NODE, acked

pytestmark = pytest.mark.django_db
odd = pytest.mark.parametrize("name", ["a/b", "/", "../x", "a\nb", "a b%41é?#"])


@odd
def test_it_tells_the_state_of_a_task(ada, name) -> None:
    assert acked(ada.say("task_request", request(name)))
    response = ada.get(f"/tasks/{quote(name, safe='')}")
    assert response.status_code == 200, response.content
    assert ada.read(response)["task_id"] == name


@odd
def test_it_takes_a_file(ada, name) -> None:
    data = b"bytes"
    file = {"file_id": name, "size": len(data), "sha256": _digest(data)}
    named = file | {"name": "a.txt", "content_type": "text/plain"}
    assert acked(ada.say("task_request", request() | {"attachments": [named]}))
    known = {"sender": ada.address, "recipient": NODE, "task_id": "t-1"}
    ticket = json.dumps(known | file)
    headers = ada.signed(ticket.encode(), ids.new_message_id())
    answer = Client(raise_request_exception=False).generic(
        "POST",
        f"{PREFIX}/a2a/files/{quote(name, safe='')}",
        data,
        tickets.CONTENT_TYPE,
        headers=headers | {tickets.HEADER: ticket},
    )
    assert acked(answer)
    assert Attachment.objects.get().source_url == ""


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
