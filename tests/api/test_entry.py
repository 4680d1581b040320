"""What reaches Django of a Content-Type (G50)."""

import pytest

from tasks_app.api.entry import guarded


def _seen(content_type: str | None) -> str | None:
    """What an application behind the guard finds."""
    found = []
    application = guarded(lambda environ, start: found.append(environ) or [])
    application({"CONTENT_TYPE": content_type}, lambda *_: None)
    return found[0]["CONTENT_TYPE"]


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "",
        "application/json",
        "application/json; charset=utf-8",
        'application/json;charset="UTF-8"',
        "multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW",
        'multipart/form-data; boundary="a b:c"',
        "multipart/form-data; boundary='()+_,-./:=?",
        "application/vnd.oai.openapi+json",
    ],
)
def test_it_passes_on_what_is_plain(content_type: str | None) -> None:
    assert _seen(content_type) == content_type


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json; charset=rot13",
        "application/json; charset=utf-8; charset=hex",
        "application/json; CHARSET=utf-16",
        "multipart/form-data; boundary*=foo''x",
        "multipart/form-data; boundary*0=a; boundary*1=b",
        "application/json; charset=\x00",
        "json",
        "a/b; c",
        "a/b;" + " " * 100_000,
        "a/b" + ("; c=d" * 1000),
        "\xe9/\xe9",
    ],
)
def test_it_drops_what_django_cannot_read(content_type: str) -> None:
    assert _seen(content_type) == ""
