"""Timestamps: one way to write, RFC 3339 and nothing else to read."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from agents_app.protocol.times import parse_rfc3339, rfc3339

MOMENT = datetime(2025, 10, 9, 8, 53, 20, 123000, UTC)


def test_it_writes_utc_milliseconds_and_z():
    assert rfc3339(MOMENT) == "2025-10-09T08:53:20.123Z"


def test_it_writes_zero_milliseconds_too():
    assert rfc3339(MOMENT.replace(microsecond=0)) == "2025-10-09T08:53:20.000Z"


def test_it_turns_other_zones_into_utc():
    local = MOMENT.astimezone(timezone(timedelta(hours=8)))
    assert rfc3339(local) == "2025-10-09T08:53:20.123Z"


def test_it_cuts_instead_of_rounding_into_the_future():
    late = MOMENT.replace(microsecond=999999)
    assert rfc3339(late) == "2025-10-09T08:53:20.999Z"


def test_it_refuses_to_guess_a_zone():
    with pytest.raises(ValueError, match="time zone"):
        rfc3339(MOMENT.replace(tzinfo=None))


@pytest.mark.parametrize(
    "text",
    [
        "2025-10-09T08:53:20.123Z",
        "2025-10-09T16:53:20.123+08:00",
        "2025-10-09t08:53:20.123z",
    ],
)
def test_it_reads_what_rfc_3339_allows(text):
    assert parse_rfc3339(text) == MOMENT


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "2025-10-09",
        "2025-10-09T08:53:20",
        "20251009T085320Z",
        "2025-W41-4T08:53:20Z",
        "2025-13-09T08:53:20Z",
        "2025-10-09T08:53:20+0800",
        "2025-10-09T08:53:20Z\n",
        "٢٠٢٥-10-09T08:53:20Z",
        "0001-01-01T00:00:00+01:00",
        "2025-10-09T08:53:20+99:99",
    ],
)
def test_it_refuses_everything_else_the_same_way(text):
    with pytest.raises(ValueError):  # noqa: PT011 - the type is the contract.
        parse_rfc3339(text)
