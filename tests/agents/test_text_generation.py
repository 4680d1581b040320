"""text_generation against a real HTTP endpoint, and when it is offered at all."""

import socket
import sys

import pytest

import agents_app.agents  # noqa: F401 - Declares the handlers.
from agents_app import registry
from agents_app.protocol.errors import Code
from agents_app.testing import run_handler
from tests.agents.llm_stub import serving

pytest.importorskip("openai", reason="the optional package openai is not installed")


@pytest.fixture
def endpoint(monkeypatch):
    with serving() as stub:
        monkeypatch.setenv("SYNAPSE_LLM_BASE_URL", stub.url)
        monkeypatch.setenv("SYNAPSE_LLM_MODEL", "parrot")
        monkeypatch.setenv("SYNAPSE_LLM_API_KEY", "sk-hunter2")
        yield stub


def ask(**payload):
    return run_handler("text_generation", {"prompt": "Say something."} | payload)


def test_it_returns_what_the_model_says(endpoint):
    assert ask().result == {
        "text": "Polly wants a cracker.",
        "model": "parrot-1",
        "finish_reason": "stop",
        "prompt_tokens": 3,
        "completion_tokens": 5,
    }


def test_it_sends_the_key_the_configured_model_and_the_prompt(endpoint):
    ask()
    ((path, headers, body),) = endpoint.requests
    assert path == "/v1/chat/completions"
    assert headers["authorization"] == "Bearer sk-hunter2"
    assert body == {
        "model": "parrot",
        "messages": [{"role": "user", "content": "Say something."}],
        "max_tokens": 1024,
    }


def test_it_passes_on_what_the_caller_chose(endpoint):
    ask(system="Be brief.", model="owl", max_tokens=7, temperature=0)
    ((_, _, body),) = endpoint.requests
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    assert (body["model"], body["max_tokens"], body["temperature"]) == ("owl", 7, 0)


@pytest.mark.parametrize(
    ("status", "retryable"),
    [(400, False), (401, False), (404, False), (408, True), (429, True), (503, True)],
)
def test_it_asks_once_and_says_if_another_attempt_may_help(endpoint, status, retryable):
    endpoint.answer(status, {"error": {"message": "key sk-hunter2 is bad"}})
    played = ask()
    assert len(endpoint.requests) == 1
    assert played.error.code == Code.HANDLER_FAILED
    assert played.error.details == {"status": status}
    assert played.outcome.retryable is retryable
    assert "hunter2" not in str(played.outcome.payload.to_json())


@pytest.mark.parametrize(
    "body",
    [{}, [], None, "text", {"choices": []}, {"choices": [{"message": {}}]}],
)
def test_it_fails_clearly_when_the_answer_is_no_completion(endpoint, body):
    endpoint.answer(200, body)
    played = ask()
    assert played.error.message == "The language model gave no text."
    assert not played.outcome.retryable


def test_it_may_retry_when_the_connection_breaks(endpoint):
    endpoint.hang_up = True
    assert ask().outcome.retryable


def test_it_may_retry_when_nobody_listens(endpoint, monkeypatch):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        monkeypatch.setenv("SYNAPSE_LLM_BASE_URL", f"http://127.0.0.1:{port}/v1")
        played = ask()
    assert played.error.message == "The language model cannot be reached."
    assert played.outcome.retryable


@pytest.mark.parametrize(
    "payload", [{"prompt": ""}, {"max_tokens": 0}, {"temperature": 3}, {"top_p": 1}]
)
def test_it_refuses_a_prompt_that_makes_no_sense(endpoint, payload):
    assert ask(**payload).error.code == Code.PAYLOAD_INVALID


def test_it_needs_no_key(endpoint, monkeypatch):
    monkeypatch.delenv("SYNAPSE_LLM_API_KEY")
    assert ask().result["text"]


@pytest.mark.parametrize("name", ["SYNAPSE_LLM_BASE_URL", "SYNAPSE_LLM_MODEL"])
def test_it_is_not_offered_without_its_settings(endpoint, monkeypatch, name):
    assert registry.get("text_generation")
    monkeypatch.delenv(name)
    assert registry.get("text_generation") is None


def test_it_is_not_offered_without_the_package(endpoint, monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    assert registry.get("text_generation") is None
