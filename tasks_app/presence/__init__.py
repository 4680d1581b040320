"""Who is there: heartbeats and capabilities, from peers and to them (A2A 2.4, 2.5).

    beat → beating → one job per peer → its endpoint, or its mailbox
    inbox → hearing → agent row (presence, load, card) → a query when it is stale

Only a heartbeat is a sign of life: it alone says whether the peer takes work. A peer
whose other messages still come but whose heartbeats do not gets no new task, and what
it confirmed has its grace (G35).
"""

from tasks_app.presence.beating import beat, greet
from tasks_app.presence.card import offers, own_card
from tasks_app.presence.hearing import answer_query, ask, heard, learned
from tasks_app.presence.saying import say

__all__ = [
    "answer_query",
    "ask",
    "beat",
    "greet",
    "heard",
    "learned",
    "offers",
    "own_card",
    "say",
]
