"""The checker's mailbox at the node, read and acknowledged."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from agents_app.conformance.speaker import Json, Speaker

PATIENCE_S = 30.0
_PAUSE_S = 0.1


class UnreadableError(Exception):
    """The node is not there, or does not know us: nothing can be checked."""


@dataclass(frozen=True, kw_only=True)
class Mail:
    """Everything that came; each message is acknowledged as soon as it is read."""

    me: Speaker
    patience_s: float = PATIENCE_S
    read: list[Json] = field(default_factory=list)

    def fetch(self) -> None:
        """Take what is there; UnreadableError when the node does not let us."""
        query: dict[str, str] = {}
        while True:
            heard = self.me.get("/messages", query)
            if heard.text != "ok":
                raise UnreadableError(heard.text)
            page = heard.payload
            for message in page["messages"]:
                self.read.append(message)
                self.me.say("ack", {"message_id": message["message_id"]})
            if page["next"] is None:
                return
            query = {"after": page["next"]}

    def wait_for(
        self, *kinds: str, task_id: str | None = None, in_reply_to: str | None = None
    ) -> Json | None:
        """The first message of one of these types; None when it does not come."""
        until = time.monotonic() + self.patience_s
        while True:
            for message in self._fitting(kinds, task_id, in_reply_to):
                return message
            if time.monotonic() > until:
                return None
            time.sleep(_PAUSE_S)
            self.fetch()

    def _fitting(
        self, kinds: tuple[str, ...], task_id: str | None, in_reply_to: str | None
    ) -> Iterator[Json]:
        for message in self.read:
            about = task_id is None or message["payload"].get("task_id") == task_id
            answers = in_reply_to in (None, message.get("in_reply_to"))
            if about and answers and message["type"].removeprefix("p2p:") in kinds:
                yield message
