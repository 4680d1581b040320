"""PDFs that take more than they should: they fail, and nobody else does."""

import sys

import pytest

import agents_app.agents  # noqa: F401 - Declares the handlers.
from agents_app.protocol.errors import Code
from agents_app.reading import calling
from agents_app.reading.calling import Limits
from agents_app.testing import run_handler, task_file
from tests.agents import hostile_papers
from tests.agents.papers import pdf

TOO_MUCH = "a.pdf cannot be read: it takes too much memory or crashes the reader."
ON_LINUX = pytest.mark.skipif(sys.platform != "linux", reason="needs a memory limit")


@pytest.fixture
def play(tmp_path):
    def play(task_type, data, *more):
        uploads = []
        for name, content in zip("ab", (data, *more), strict=False):
            path = tmp_path / f"{name}.pdf"
            path.write_bytes(content)
            uploads.append(task_file(path))
        return run_handler(task_type, {}, files=uploads)

    return play


@ON_LINUX
@pytest.mark.parametrize("task_type", ["document_text", "invoice_approval"])
@pytest.mark.parametrize(
    "made",
    [
        pytest.param(lambda: hostile_papers.busy_page(8_000), id="busy_page"),
        hostile_papers.blank_gigabyte,
        hostile_papers.forms_within_forms,
    ],
)
def test_it_fails_what_takes_too_much_memory(play, task_type, made):
    played = play(task_type, made())
    assert (played.error.code, played.error.message) == (Code.HANDLER_FAILED, TOO_MUCH)
    assert not played.outcome.retryable


@ON_LINUX
def test_it_reads_the_others(play):
    first, second = play(
        "document_text", hostile_papers.forms_within_forms(), pdf("Hello")
    ).result["documents"]
    assert (first["text"], first["pages"], first["truncated"]) == ("", 1, True)
    assert second["text"] == "Hello"


def test_it_survives_a_deep_tree_of_pages(play):
    played = play("document_text", hostile_papers.deep_tree(50_000))
    assert "has no text" in played.error.message


@pytest.mark.parametrize("task_type", ["document_text", "invoice_approval"])
def test_it_fails_a_page_that_takes_too_long(play, task_type, monkeypatch):
    monkeypatch.setattr(calling, "LIMITS", Limits(seconds=1.0))
    played = play(task_type, hostile_papers.slow_page())
    assert played.error.message == "a.pdf took too long to read."
    assert not played.outcome.retryable


def test_it_keeps_the_pages_before_the_time_was_over(play, monkeypatch):
    monkeypatch.setattr(calling, "LIMITS", Limits(seconds=2.0))
    data = hostile_papers.busy_page(50, pages=5_000)
    (document,) = play("document_text", data).result["documents"]
    assert document["text"].startswith("A\nA")
    assert (document["pages"], document["truncated"]) == (5_000, True)
    assert document["note"] == (
        "took too long to read; the text is that of the first pages"
    )
