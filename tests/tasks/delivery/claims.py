"""A claim by a courier that has nothing else to do."""

from datetime import datetime

from tasks_app.delivery.claiming import claim_next
from tasks_app.models import Delivery
from tasks_app.sharing import Threads


def claim(now: datetime) -> Delivery | None:
    return claim_next(now, Threads())
