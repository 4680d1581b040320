"""The courier: sends the callbacks that the ledger put into the outbox.

    bell → courier.deliver_due → claiming → sending → judging → recording

A callback is claimed by a lease, sent outside any transaction and recorded only by
whoever still holds the lease. So it arrives at least once, under the same id (G20).
`due` holds every rule about what may be sent when.
"""

from tasks_app.delivery.courier import deliver_due
from tasks_app.delivery.due import anything_due
from tasks_app.delivery.mailbox import acknowledge, refuse
from tasks_app.delivery.replaying import replay

__all__ = ["acknowledge", "anything_due", "deliver_due", "refuse", "replay"]
