"""Fetching our messages from peers that cannot call us (docs/protocol.md, mailbox).

    beat → ring_all → one job per peer → collect
    rounds → reading (signed GET) → inbox.receive → ack

A message stays there until it is acknowledged, so it comes again after any failure, and
the inbox knows it then: it is read from the same bytes each time (G31).
"""

from tasks_app.collecting.reading import is_ours
from tasks_app.collecting.rounds import collect, ring_all

__all__ = ["collect", "is_ours", "ring_all"]
