"""G30: signatures over raw bytes, checked against vectors and the published package."""

import base64
import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given
from standardwebhooks import Webhook

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.signing import check_secret, new_secret, sign, verify

VECTORS = json.loads(Path(__file__).with_name("signature_vectors.json").read_text())
ACCEPTED = [vector for vector in VECTORS if vector["expect"] == "accept"]
AS_WE_SIGN = [
    vector
    for vector in ACCEPTED
    if vector["headers"]["webhook-timestamp"] == str(vector["now"])
    and " " not in vector["headers"]["webhook-signature"]
    and len(vector["secrets"]) == 1
]
REFUSED = [vector for vector in VECTORS if vector["expect"] != "accept"]
NOW = datetime(2025, 10, 9, 8, 53, 20, tzinfo=UTC)
SECRET = VECTORS[0]["secrets"][0]
BODY = b'{"a":1}'


def _name(vector):
    return vector["name"]


def _verify(vector):
    body = base64.b64decode(vector["body_base64"])
    now = datetime.fromtimestamp(vector["now"], UTC)
    return verify(vector["headers"], body, vector["secrets"], now=now)


def _signed(**changes):
    return sign(message_id="m-1", timestamp=NOW, body=BODY, secrets=[SECRET]) | changes


def _code_for(headers, body=BODY, secrets=(SECRET,), now=NOW):
    with pytest.raises(SynapseError) as refused:
        verify(headers, body, secrets, now=now)
    assert refused.value.details == {}
    return refused.value.code


@pytest.mark.parametrize("vector", ACCEPTED, ids=_name)
def test_it_accepts_the_good_vectors(vector):
    assert _verify(vector) == vector["headers"]["webhook-id"]


@pytest.mark.parametrize("vector", REFUSED, ids=_name)
def test_it_refuses_the_bad_vectors(vector):
    with pytest.raises(SynapseError) as refused:
        _verify(vector)
    assert refused.value.code == vector["expect"]


@pytest.mark.parametrize("vector", AS_WE_SIGN, ids=_name)
def test_it_signs_as_the_vectors_do(vector):
    made = sign(
        message_id=vector["headers"]["webhook-id"],
        timestamp=datetime.fromtimestamp(vector["now"], UTC),
        body=base64.b64decode(vector["body_base64"]),
        secrets=vector["secrets"],
    )
    assert made == vector["headers"]


def test_it_is_understood_by_the_published_package():
    secret = new_secret()
    headers = sign(
        message_id="m-1", timestamp=datetime.now(UTC), body=BODY, secrets=[secret]
    )
    assert Webhook(secret).verify(BODY, headers) == {"a": 1}


def test_it_signs_the_instant_whatever_the_zone():
    local = NOW.astimezone(timezone(timedelta(hours=8)))
    made = sign(message_id="m-1", timestamp=local, body=BODY, secrets=[SECRET])
    assert made == _signed()


def test_it_rotates_a_secret_without_downtime():
    old, new = new_secret(), new_secret()
    both = sign(message_id="m-1", timestamp=NOW, body=BODY, secrets=[old, new])
    assert len(both["webhook-signature"].split(" ")) == 2
    for receiver in ([old], [new], [old, new]):
        assert verify(both, BODY, receiver, now=NOW) == "m-1"
    only_old = sign(message_id="m-1", timestamp=NOW, body=BODY, secrets=[old])
    assert _code_for(only_old, secrets=[new]) is Code.SIGNATURE_INVALID


def test_it_reads_header_names_in_any_case():
    headers = {name.title(): value for name, value in _signed().items()}
    assert verify(headers, BODY, [SECRET], now=NOW) == "m-1"


@pytest.mark.parametrize("name", sorted(_signed()))
def test_it_needs_all_three_headers(name):
    headers = _signed()
    del headers[name]
    assert _code_for(headers) is Code.SIGNATURE_INVALID


def test_it_accepts_nothing_while_no_secret_is_known():
    assert _code_for(_signed(), secrets=[]) is Code.SIGNATURE_INVALID


def test_it_refuses_bytes_that_are_no_text():
    assert _code_for(_signed(), body=b"\xff") is Code.SIGNATURE_INVALID


@pytest.mark.parametrize("seconds", [-301, 301])
def test_it_minds_the_clock_in_both_directions(seconds):
    late = NOW + timedelta(seconds=seconds)
    assert _code_for(_signed(), now=late) is Code.TIMESTAMP_SKEW


@pytest.mark.parametrize("name", ["webhook-id", "webhook-timestamp"])
@given(st.text())
def test_it_survives_any_id_and_any_time(name, text):
    headers = _signed(**{name: text + "x"})
    code = _code_for(headers)
    assert code in (Code.SIGNATURE_INVALID, Code.TIMESTAMP_SKEW)


@given(st.text() | st.text("v1,=+/ A").map(str))
def test_it_survives_any_signature(text):
    assert _code_for(_signed(**{"webhook-signature": text})) is Code.SIGNATURE_INVALID


@pytest.mark.parametrize("timestamp", ["-1", "+1", "1e9", " 1", "9" * 15, "9" * 400])
def test_it_survives_odd_numbers(timestamp):
    code = _code_for(_signed(**{"webhook-timestamp": timestamp}))
    assert code in (Code.SIGNATURE_INVALID, Code.TIMESTAMP_SKEW)


def test_it_makes_secrets_it_accepts_itself():
    made = {new_secret() for _ in range(50)}
    assert len(made) == 50
    for secret in made:
        check_secret(secret)


@pytest.mark.parametrize("size", [23, 65])
def test_it_refuses_secrets_of_another_size(size):
    with pytest.raises(SynapseError) as refused:
        check_secret("whsec_" + base64.b64encode(bytes(size)).decode())
    assert set(refused.value.details["fields"]) == {"secret"}


@pytest.mark.parametrize("secret", ["", "whsec_", "hello", "whsec_é", SECRET[6:]])
def test_it_refuses_what_is_no_secret(secret):
    with pytest.raises(SynapseError) as refused:
        check_secret(secret)
    assert refused.value.code is Code.INVALID_FIELD
    assert "hello" not in str(refused.value.to_object())
