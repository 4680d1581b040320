"""Callbacks at submit: where they may go (G25), which token they may carry (G27)."""

import socket

import pytest
from pytest_django.fixtures import Settings

from agents_app import outbound
from tasks_app import delivery, runner
from tasks_app.models import Delivery, Task
from tasks_app.secrets import vault
from tests.api.conftest import Program, error_of, invalid_fields


def _submit(program: Program, **fields: object):
    body = {"task_type": "probe_echo", "payload": {}} | fields
    return program.post("/task", body)


@pytest.fixture
def closed(settings: Settings) -> None:
    settings.SYNAPSE_ALLOWED_PRIVATE_NETWORKS = ()


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data",
        "http://100.64.0.1/",
        "http://[::]/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[2002:7f00:1::]/",
        "http://[64:ff9b::7f00:1]/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://0177.0.0.1/",
        "http://localhost./",
    ],
)
def test_it_calls_no_private_address_g25(
    program: Program, closed: None, url: str
) -> None:
    response = _submit(program, callback_url=url)
    assert response.status_code in (400, 422)
    error_of(response, response.status_code)
    assert not Task.objects.exists()


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/",
        "file:///etc/passwd",
        "gopher://example.com/",
        "http://user:secret@example.com/",
        "http://example.com:22/",
        "http://exa mple.com/",
        "http://example.com/\r\nX: y",
        "//example.com/",
        "example.com",
        "",
        "http://example.com/" + "x" * 2048,
    ],
)
def test_it_refuses_what_is_no_web_address_g25(program: Program, url: str) -> None:
    response = _submit(program, callback_url=url)
    assert list(invalid_fields(response)) == ["callback_url"]
    assert b"secret" not in response.content


def test_it_waits_for_no_name_server_at_submit(
    program: Program, closed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(socket, "getaddrinfo", lambda *name, **_: asked.append(name))
    response = _submit(program, callback_url="https://slow.example/")
    assert (response.status_code, asked) == (202, [])


def test_it_gives_a_callback_up_whose_name_leads_inside_g25(
    program: Program, closed: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.1.2.3", 443))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *a, **k: found)
    _submit(program, callback_url="https://inside.example/")
    runner.drain("default")
    delivery.deliver_due()
    row = Delivery.objects.get(terminal=True)
    assert (row.state, row.attempts.get().error) == ("dead", "refused_address")


def test_it_calls_networks_that_are_allowed(program: Program) -> None:
    assert _submit(program, callback_url="http://127.0.0.1:8999/").status_code == 202
    assert Task.objects.get().callback_url == "http://127.0.0.1:8999/"


@pytest.mark.parametrize(
    "token", ["a\r\nX: y", "a\nb", "a\0b", "x" * 5000, "日本", "é", "", " a", "a\x7f"]
)
def test_it_refuses_a_token_that_fits_no_header_g27(
    program: Program, token: str
) -> None:
    response = _submit(program, callback_token=token)
    error = error_of(response, 400)
    assert error["code"] in (5006, 1018)
    assert len(response.content) < 1000
    assert not Task.objects.exists()


def test_it_seals_the_token_g27(program: Program) -> None:
    token = "t0ken with spaces!"
    assert outbound.fits_header(token)
    _submit(program, callback_token=token, callback_url="http://127.0.0.1:8999/")
    sealed = Task.objects.get().callback_token
    assert token not in sealed
    assert vault().open(sealed) == token


def test_it_keeps_each_event_once(program: Program) -> None:
    events = ["progress", "action_required", "progress"]
    _submit(program, callback_events=events)
    assert Task.objects.get().callback_events == ["progress", "action_required"]
