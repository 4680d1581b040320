"""The courier: sends the callbacks and messages that the ledger put into the outbox.

    bell → courier.deliver_due → claiming → sending → judging → recording

A delivery is claimed by a lease, sent outside any transaction and recorded only by
whoever still holds the lease. So it arrives at least once, under the same id (G20).
`due` holds every rule about what may be sent when. A message for a peer that cannot be
called is parked: its mailbox has it until the peer acknowledges or refuses it.
"""

from tasks_app.delivery.courier import deliver_due
from tasks_app.delivery.due import anything_due
from tasks_app.delivery.giving_up import on_dead
from tasks_app.delivery.mailbox import acknowledge, refuse, waiting_for
from tasks_app.delivery.parking import wake
from tasks_app.delivery.peers import secrets_of
from tasks_app.delivery.refusing import delivery_failed, refusal_of
from tasks_app.delivery.replaying import replay

__all__ = [
    "acknowledge",
    "anything_due",
    "deliver_due",
    "delivery_failed",
    "on_dead",
    "refusal_of",
    "refuse",
    "replay",
    "secrets_of",
    "waiting_for",
    "wake",
]
