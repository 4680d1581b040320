"""What the inbox remembers has an end: the sweep forgets what is older (G31).

A replay by a stranger is refused by its timestamp after five minutes. So this is for
honest senders, which send the same message again while their schedule lasts; ours
takes under four days by default.
"""

from datetime import datetime, timedelta

from tasks_app.models import Received

# docs/protocol.md says so, and that a sender stops after six.
KEPT_FOR = timedelta(days=7)
# At a time, so that a sweep is short; the next one goes on.
_LIMIT = 2000


def forget_old(now: datetime) -> int:
    """Drop the oldest of what no sender may send again; how many.

    Optimization: asks first, because on SQLite every DELETE takes the write lock.
    """
    old = Received.objects.filter(created_at__lt=now - KEPT_FOR)
    oldest = list(old.order_by("created_at").values_list("pk", flat=True)[:_LIMIT])
    if not oldest:
        return 0
    dropped, _ = Received.objects.filter(pk__in=oldest).delete()
    return dropped
