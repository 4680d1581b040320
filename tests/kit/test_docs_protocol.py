"""The worked example of docs/protocol.md is true, byte for byte."""

import json
import re
from datetime import UTC, datetime
from pathlib import Path

from agents_app.protocol import signing
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.messages import MESSAGES

TEXT = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text("utf-8")
SECTION = TEXT.split("A worked example.")[1].split("**Vectors.**")[0]
SECRET = re.search(r"`(whsec_\S+)`", SECTION)[1]
AT = datetime.fromtimestamp(1760000000, UTC)


def sign(message_id: str, body: bytes) -> str:
    signed = signing.sign(
        message_id=message_id, timestamp=AT, body=body, secrets=[SECRET]
    )
    return signed["webhook-signature"]


def test_its_signatures_are_right() -> None:
    body = re.search(r"```json\n(.*)\n```", SECTION)[1].encode()
    assert f"these {len(body)} bytes" in SECTION
    assert Envelope.from_bytes(body).content().agent_id == "ada"
    assert f"webhook-signature: {sign('m-1', body)}\n" in SECTION
    assert f"`{sign('m-2', b'')}`" in SECTION
    assert f"webhook-signature: {sign('m-2', b'')}\n" in TEXT


def test_its_json_is_json() -> None:
    blocks = re.findall(r"```json\n(.*?)```", TEXT, re.DOTALL)
    assert len(blocks) >= 5
    assert all(isinstance(json.loads(block), dict) for block in blocks)


def test_its_whole_task_is_made_of_messages_that_there_are() -> None:
    lines = re.findall(r"^\w+ → \w+ +p2p:(\w+) +(\{.*\})$", TEXT, re.MULTILINE)
    assert len(lines) == 7
    for kind, payload in lines:
        MESSAGES[f"p2p:{kind}"].payload.parse(json.loads(payload))


def test_it_says_for_every_message_what_follows() -> None:
    table = TEXT.split("## Who says what")[1].split("\n\n**")[0]
    missing = [kind for kind in MESSAGES if f"`{kind[4:]}`" not in table]
    assert missing == []
