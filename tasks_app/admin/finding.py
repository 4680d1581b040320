"""Search by what people have in hand: the id of a task, or their own id of it."""

import uuid

from django.db.models import Q

from tasks_app.models import Caller

HELP = "Task id or external id"


def by_task(term: str, prefix: str = "") -> Q:
    """Rows of the task with this id or external id; `prefix` leads to the task."""
    found = as_uuid(term)
    if found is not None:
        return Q(**{f"{prefix}id": found})
    # The callers are named so that the index on (caller, external id) is used.
    return Q(
        **{
            f"{prefix}external_task_id": term.strip(),
            f"{prefix}caller__in": Caller.objects.values("pk"),
        }
    )


def by_own_id(term: str) -> Q:
    """The row with this id, nothing for what is no id."""
    found = as_uuid(term)
    return Q(pk=found) if found is not None else Q(pk__in=())


def as_uuid(term: str) -> uuid.UUID | None:
    """The id that was typed or pasted, None if it is none."""
    try:
        return uuid.UUID(term.strip())
    except ValueError:
        return None
