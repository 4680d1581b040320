"""Two callers cannot see each other (G52)."""

import uuid

import pytest

from tests.stack import Client, Stack

pytestmark = pytest.mark.journey

DOORS = (
    ("GET", "/task/{}"),
    ("GET", "/task/{}/status"),
    ("POST", "/task/{}/cancel"),
    ("POST", "/task/{}/info"),
)


def test_it_answers_as_if_the_task_did_not_exist(stack: Stack, client: Client) -> None:
    task_id = client.submit("probe_need_info", external_task_id="ours")
    client.wait_for(task_id, "info_needed")
    stranger = stack.client("stranger")
    unknown = str(uuid.uuid4())
    body = {"provided_info": {"colour": "blue"}}
    for method, path in DOORS:
        content = {"json": body} if method == "POST" else {}
        theirs = stranger.request(method, path.format(task_id), **content)
        nobodys = stranger.request(method, path.format(unknown), **content)
        assert theirs.status_code == nobodys.status_code == 404
        assert theirs.text.replace(task_id, unknown) == nobodys.text
    assert client.cancel(task_id).status_code == 200


def test_it_lists_only_ones_own(stack: Stack, client: Client) -> None:
    mine = client.submit("probe_echo", external_task_id="same name")
    theirs = stack.client("stranger").submit("probe_echo", external_task_id="same name")
    listed = client.call("GET", "/tasks?external_task_id=same%20name")["tasks"]
    ids = {task["id"] for task in listed}
    assert mine in ids
    assert theirs not in ids
