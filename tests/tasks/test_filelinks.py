"""Links to files: ours, unchanged, and not for ever."""

import uuid
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from agents_app.protocol.errors import Code, SynapseError
from tasks_app import filelinks
from tests.factories import NOW

FILE = uuid.UUID("018fce2c-0000-7000-8000-000000000009")


@pytest.fixture(autouse=True)
def _public(settings):
    settings.SYNAPSE_PUBLIC_URL = "https://synapse.example.com/"


def _parts() -> dict[str, str]:
    query = parse_qs(urlsplit(filelinks.link(FILE, NOW)).query)
    return {name: values[0] for name, values in query.items()}


def _check(file_id: object = FILE, days: float = 0, **changed: str) -> None:
    now = NOW + timedelta(days=days)
    filelinks.check(str(file_id), **_parts() | changed, now=now)


def test_it_makes_an_absolute_link():
    start = f"https://synapse.example.com/api/v1/synapse/a2a/files/{FILE}?"
    assert filelinks.link(FILE, NOW).startswith(start)


def test_it_makes_none_without_a_public_address(settings):
    settings.SYNAPSE_PUBLIC_URL = ""
    assert filelinks.link(FILE, NOW) is None


def test_it_takes_a_link_for_seven_days():
    _check()
    _check(days=7)
    with pytest.raises(SynapseError) as refused:
        _check(days=7.001)
    assert refused.value.code is Code.FORBIDDEN


@pytest.mark.parametrize(
    "changed",
    [
        {"file_id": uuid.UUID(int=1)},
        {"expires": "99999999999"},
        {"expires": ""},
        {"expires": "٣"},
        {"signature": ""},
        {"signature": "ä" * 64},
    ],
)
def test_it_refuses_any_other_link(changed):
    with pytest.raises(SynapseError) as refused:
        _check(**changed)
    assert refused.value.code is Code.FORBIDDEN


def test_it_ends_all_links_with_the_key(settings):
    parts = _parts()
    settings.SECRET_KEY = "another one"
    with pytest.raises(SynapseError):
        filelinks.check(str(FILE), **parts, now=NOW)
