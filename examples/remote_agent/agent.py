"""A remote agent: counts words, asks for the text if there is none, and for leave.

    python manage.py register_agent word-counter         # prints the secret, once
    SYNAPSE_URL=http://127.0.0.1:8000 AGENT_ID=word-counter AGENT_SECRET=whsec_… \
        python examples/remote_agent/agent.py

It fetches its messages from its mailbox. With AGENT_PORT it listens there instead;
register it with `--endpoint http://127.0.0.1:<port>/` then.
"""

import logging
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # This checkout.

from agents_app.kit import Agent, Task
from agents_app.protocol.errors import Code, SynapseError

MANY_WORDS = 1000

agent = Agent(
    id=os.environ.get("AGENT_ID", "word-counter"),
    secret=os.environ["AGENT_SECRET"],
    node_url=os.environ.get("SYNAPSE_URL", "http://127.0.0.1:8000"),
    node_address=os.environ.get("SYNAPSE_ADDRESS", "agent:synapse"),
    name="Word counter",
)


def is_text(payload: Mapping[str, object]) -> None:
    """Refuse what we cannot do before we say that we take it."""
    if not isinstance(payload.get("text", ""), str):
        raise SynapseError(
            Code.PAYLOAD_INVALID, details={"fields": {"text": "must be a string"}}
        )


@agent.handles("count_words", description="Counts the words of a text.", check=is_text)
def count_words(task: Task) -> dict[str, object]:
    """Reads top to bottom; the two questions may take days."""
    text = task.payload.get("text")
    if not text:
        text = task.need_info(["text"], "There is nothing to count.")["text"]
    words = str(text).split()
    task.progress(50, f"{len(words)} words")
    answer = None
    if len(words) > MANY_WORDS or task.payload.get("ask"):
        answer = task.need_human(
            {"summary": f"Publish a count of {len(words)} words?"},
            options=["publish", "keep"],
        )
        if not answer.decision.approved:
            raise SynapseError(Code.HANDLER_FAILED, "A person said no.")
    return {
        "words": len(words),
        "longest": max(words, key=len, default=""),
        "decided_by": answer.decided_by.user_id if answer else None,
    }


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
    signal.signal(signal.SIGTERM, lambda *_: agent.stop())
    signal.signal(signal.SIGINT, lambda *_: agent.stop())
    agent.run(port=int(os.environ.get("AGENT_PORT", "0")) or None)
