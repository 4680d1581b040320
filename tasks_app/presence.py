"""Who is there: heartbeats and capabilities, from peers and to them (A2A 2.4, 2.5)."""

from agents_app.models import Agent
from agents_app.protocol.envelope import Envelope
from agents_app.protocol.payloads import CapabilityQuery, CapabilityResponse, Heartbeat


def heard(peer: Agent, words: Heartbeat) -> None:
    """A peer is alive (stub)."""


def answer_query(peer: Agent, envelope: Envelope, words: CapabilityQuery) -> None:
    """A peer asks what we can do (stub)."""


def learned(peer: Agent, words: CapabilityResponse) -> None:
    """A peer says what it can do (stub)."""
