"""Which checks are run, in which order, and what a check that breaks counts as."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from agents_app.conformance import (
    asking,
    envelopes,
    mailboxes,
    peers,
    presence,
    repeats,
    sides,
    signatures,
    states,
)
from agents_app.conformance.mail import PATIENCE_S, Mail, UnreadableError
from agents_app.conformance.speaker import Speaker
from agents_app.conformance.stage import Stage
from agents_app.conformance.verdicts import Findings, Verdict
from agents_app.protocol.addresses import Party

PROBE = "probe_echo"
_PROBES = frozenset({"probe_need_info", "probe_need_human", "probe_sleep"})

Group = tuple[str, Findings]


@dataclass(frozen=True, kw_only=True)
class Credentials:
    """An agent that the node knows, registered without an endpoint."""

    agent_id: str
    secret: str = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class NodeUnderTest:
    """Where it is, and who we may be there. `task_type` is one that completes."""

    url: str
    me: Credentials
    other: Credentials | None = None
    address: str = "agent:synapse"
    api_key: str | None = None
    task_type: str | None = None
    payload: Mapping[str, object] = field(default_factory=dict)
    patience_s: float = PATIENCE_S


@dataclass(frozen=True, kw_only=True)
class PeerUnderTest:
    """Its endpoint, and the port at which it finds us as its node."""

    url: str
    me: Credentials
    listen: int
    address: str = "agent:synapse"
    task_type: str | None = None
    payload: Mapping[str, object] = field(default_factory=dict)
    patience_s: float = PATIENCE_S


def check_node(node: NodeUnderTest) -> Iterator[Verdict]:
    """Everything a peer can see of a node; one verdict if it does not let us in."""
    me = _speaker(node, node.me)
    mail = Mail(me=me, patience_s=node.patience_s)
    try:
        mail.fetch()
        yield from _all_of(node, me, mail)
    except UnreadableError as trouble:
        yield Verdict(
            group="mailbox", check="is readable", expected="ok", seen=str(trouble)
        )


def _all_of(node: NodeUnderTest, me: Speaker, mail: Mail) -> Iterator[Verdict]:
    yield from _judged(_wire(me, mail))
    offered = _task_types(me, mail)
    task_type = node.task_type or (PROBE if PROBE in offered else None)
    if task_type is not None:
        yield from _judged(_executing(node, me, mail, task_type))
    if offered >= _PROBES:
        yield from _judged(_probing(me, mail))
    if node.api_key is not None:
        caller = states.Caller(node_url=node.url, key=node.api_key)
        yield from _judged(iter([("states", states.check(me, mail, caller))]))


def check_peer(peer: PeerUnderTest) -> Iterator[Verdict]:
    """Everything a node can see of a peer with an endpoint."""
    with Stage(
        node_address=peer.address,
        peer_address=Party.AGENT.address(peer.me.agent_id),
        secrets=[peer.me.secret],
        port=peer.listen,
    ) as stage:
        yield from _judged(_before_peer(peer, stage))


def _wire(me: Speaker, mail: Mail) -> Iterator[Group]:
    yield "signatures", signatures.check(me)
    yield "signatures", signatures.check_gets(me)
    yield "envelopes", envelopes.check(me)
    yield "envelopes", envelopes.check_strictly(me)
    yield "repeats", repeats.check(me)
    yield "presence", presence.check(me)
    yield "presence", presence.check_query(me, mail)
    yield "mailbox", mailboxes.check(me, mail)
    yield "requests", asking.check_requests(me)
    yield "tasks", sides.check_unknown(me, list(sides.WORDS))
    yield "fields", sides.check_fields(me)


def _executing(
    node: NodeUnderTest, me: Speaker, mail: Mail, task_type: str
) -> Iterator[Group]:
    other = _speaker(node, node.other) if node.other else None
    yield "executing", asking.check_a_task(me, mail, task_type, node.payload)
    yield "sides", sides.check_own(me, other, task_type, node.payload, mail)


def _probing(me: Speaker, mail: Mail) -> Iterator[Group]:
    yield "information", asking.check_info(me, mail)
    yield "decisions", asking.check_human(me, mail)
    yield "cancel", asking.check_cancel(me, mail)


def _before_peer(peer: PeerUnderTest, stage: Stage) -> Iterator[Group]:
    me = Speaker(
        name=peer.address.partition(":")[2],
        secret=peer.me.secret,
        other=Party.AGENT.address(peer.me.agent_id),
        url=peer.url,
    )
    yield "presence", peers.check_presence(me, stage, peer.patience_s)
    yield "signatures", signatures.check(me)
    yield "envelopes", envelopes.check(me)
    yield "repeats", repeats.check_heartbeat(me)
    yield "requests", peers.check_words(me)
    yield "sides", peers.check_direction(me)
    if peer.task_type is not None:
        found = peers.check_a_task(
            me, stage, peer.task_type, peer.payload, peer.patience_s
        )
        yield "executing", found


def _judged(groups: Iterator[Group]) -> Iterator[Verdict]:
    """A group that breaks has failed; the others go on."""
    for group, findings in groups:
        try:
            for one in findings:
                yield Verdict(
                    group=group, check=one.check, expected=one.expected, seen=one.seen
                )
        except Exception as broken:  # noqa: BLE001 - whatever the other side did to us
            seen = f"{type(broken).__name__}: {broken}"
            yield Verdict(
                group=group, check="all of it", expected="no surprise", seen=seen
            )


def _task_types(me: Speaker, mail: Mail) -> set[str]:
    query = me.envelope("capability_query", {})
    me.send(query)
    answer = mail.wait_for("capability_response", in_reply_to=query["message_id"])
    offers = answer["payload"]["supported_task_types"] if answer else []
    return {offer["type"] for offer in offers}


def _speaker(node: NodeUnderTest, who: Credentials) -> Speaker:
    return Speaker.before_node(who.agent_id, who.secret, node.url, node.address)
