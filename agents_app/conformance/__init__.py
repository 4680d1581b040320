"""The conformance kit: plays peers against a node, or a node against a peer.

    manage.py synapse_check → running → groups of checks → Speaker (raw HTTP) → Verdict

Speaks over HTTP only, so it proves other implementations as well as our own. What is
expected comes from the protocol package: its state table, its catalogue.
"""

from agents_app.conformance.running import (
    Credentials,
    NodeUnderTest,
    PeerUnderTest,
    check_node,
    check_peer,
)
from agents_app.conformance.verdicts import Verdict

__all__ = [
    "Credentials",
    "NodeUnderTest",
    "PeerUnderTest",
    "Verdict",
    "check_node",
    "check_peer",
]
