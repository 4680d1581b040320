"""Two nodes on one machine, each with a database of its own, that know each other.

`north` has no probes, so their task types are those that only `south` can do.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Self

from agents_app.protocol import signing
from tests.proxy import Proxy
from tests.stack.client import API
from tests.stack.process import START_SECONDS
from tests.stack.product import Stack
from tests.stack.template import Template
from tests.stack.waiting import eventually

MESSAGES = f"{API}/a2a/messages"
HEARTBEAT_SECONDS = 2
# Behind it no server listens: what nobody outside can reach.
NOWHERE = "http://127.0.0.1:9"
FAST = {
    # Two nodes on one machine: a busy one must not look dead.
    "SYNAPSE_LEASE_SECONDS": "6",
    "SYNAPSE_HEARTBEAT_SECONDS": str(HEARTBEAT_SECONDS),
    "SYNAPSE_FETCH_SECONDS": "0.5",
    "SYNAPSE_CONFIRM_SECONDS": "60",
    "SYNAPSE_PEER_GRACE_SECONDS": "120",
    "SYNAPSE_CALLBACK_SCHEDULE": "0,1,1,1,1,2,2,2,2,2,2,2,3,3,3,3,3,3,3,3",
}


class Pair:
    """Use it as a context manager; `settings` are for both.

    `network` makes what stands before the port of each node, for messages and files.
    With `mailbox` north never calls south, which fetches its messages and brings its
    files.
    """

    def __init__(
        self,
        template: Template,
        folder: Path,
        network: Callable[[int], Proxy] | None = None,
        *,
        mailbox: bool = False,
        **settings: str,
    ) -> None:
        self._settings = FAST | settings
        self._network = network
        self._mailbox = mailbox
        self._open = ExitStack()
        self.roads: list[Proxy] = []
        self.north = self._node(template, folder, "north", SYNAPSE_PROBES="0")
        self.south = self._node(template, folder, "south")

    def _node(
        self, template: Template, folder: Path, name: str, **settings: str
    ) -> Stack:
        (folder / name).mkdir()
        stack = Stack(template, folder / name, SYNAPSE_AGENT_ID=name, **settings)
        stack.configure(self._settings)
        return stack

    def __enter__(self) -> Self:
        with ExitStack() as opened:
            here = {node: self._reached_at(node, opened) for node in self.nodes}
            for node in self.nodes:
                hidden = self._mailbox and node is self.south
                public = NOWHERE if hidden else here[node]
                node.configure({"SYNAPSE_PUBLIC_URL": public})
                opened.enter_context(node)
            introduce(self.north, self.south, here, mailbox=self._mailbox)
            self._open = opened.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    @property
    def nodes(self) -> tuple[Stack, Stack]:
        return self.north, self.south

    def _reached_at(self, node: Stack, opened: ExitStack) -> str:
        if self._network is None:
            return node.url
        road: AbstractContextManager[Proxy] = self._network(node.port)
        self.roads.append(opened.enter_context(road))
        return self.roads[-1].url


def introduce(
    north: Stack, south: Stack, urls: Mapping[Stack, str], *, mailbox: bool
) -> None:
    """Register each with the other, and wait until they have met."""
    secret = ("--secret", signing.new_secret())
    for node, peer in ((north, south), (south, north)):
        where: tuple[str, ...] = ("--endpoint", f"{urls[peer]}{MESSAGES}")
        if mailbox:
            where = () if node is north else (*where, "--fetch")
        node.manage("register_agent", peer.agent_id, *where, *secret)
    for node, peer in ((north, south), (south, north)):
        wait_for_peer(node, peer.agent_id)


def wait_for_peer(node: Stack, agent_id: str) -> None:
    """Until the node knows what this agent offers, and that it is there."""
    client = node.client()

    def met() -> object:
        card = client.call("GET", "/capabilities", params={"agent_id": agent_id})
        return card["supported_task_types"]

    eventually(met, START_SECONDS, f"{agent_id} at {node.agent_id}")
