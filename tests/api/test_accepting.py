"""Which Accept headers take JSON (P2A 1: JSON answers), whatever else they say."""

import pytest

from tasks_app.api.accepting import takes_json
from tests.api.conftest import Program, error_of


@pytest.mark.parametrize(
    "accept",
    [
        "",
        " ",
        "*/*",
        "application/json",
        "Application/JSON",
        "application/*",
        "text/html, application/json;q=0.1",
        "text/html;q=1,*/*;q=0.001",
        "application/json; indent=4",
        "*/*;q=0, application/json",
        "application/json;q=0, application/json",
        ",,;;, application/json;q=nan;x*=foo''%ff",
    ],
)
def test_it_takes_json(accept: str) -> None:
    assert takes_json(accept)


@pytest.mark.parametrize(
    "accept",
    [
        "text/html",
        "text/html;x*=foo''%ff",
        "application/json;q=0",
        "application/json; Q = 0.000",
        "*/*;q=0",
        "application/json;q=0, */*",
        "application/*;q=0, */*;q=1",
        "json",
        ";;;,,,/*",
        "\xff\xfe",
    ],
)
def test_it_takes_something_else(accept: str) -> None:
    assert not takes_json(accept)


def test_it_says_what_there_is_instead(program: Program) -> None:
    refused = program.get("/tasks", Accept="text/html;x*=foo''%ff")
    assert error_of(refused, 406)["details"] == {"supported": ["application/json"]}


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "POST"])
@pytest.mark.parametrize("accept", ["text/html;x*=foo''%ff", "application/json", "x"])
def test_it_shows_the_docs_whatever_is_accepted_g50(
    nobody: Program, method: str, accept: str
) -> None:
    answer = nobody.send(method, "/docs", Accept=accept)
    assert answer.status_code == (405 if method == "POST" else 200)
