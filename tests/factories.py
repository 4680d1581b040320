"""Makes what tests start from: snapshots without a database, rows in one.

Each has defaults for everything, so that a test names only what it is about.
"""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.contrib.auth.models import Permission, User

from agents_app.protocol.states import TaskState
from tasks_app import lifecycle
from tasks_app.changes import Snapshot
from tasks_app.lifecycle import Submission
from tasks_app.models import Caller, Question, QuestionState, Task
from tasks_app.policy import Policy, queue_key

NOW = datetime(2024, 5, 31, 12, 0, tzinfo=UTC)
POLICY = Policy(node="agent:synapse", lease_s=60, max_queue_s=600, answer_s=3600)
TASK_ID = UUID("018fce2c-0000-7000-8000-000000000001")
CALLER_ID = UUID("018fce2c-0000-7000-8000-000000000002")


def after(seconds: float) -> datetime:
    """That much later than NOW."""
    return NOW + timedelta(seconds=seconds)


def snapshot(**values: object) -> Snapshot:
    """A task as it was submitted at NOW."""
    fields: dict[str, object] = {
        "id": TASK_ID,
        "caller_id": CALLER_ID,
        "requester": f"caller:{CALLER_ID}",
        "executor": "agent:synapse",
        "requester_task_id": None,
        "task_type": "probe_echo",
        "lane": "default",
        "external_task_id": None,
        "priority": "normal",
        "max_duration_s": 100,
        "created_at": NOW,
        "callback_url": None,
        "callback_events": (),
        "state": TaskState.PENDING,
        "generation": 1,
        "progress": 0,
        "status_message": "Received.",
        "eta": None,
        "attempt": 0,
        "failures": 0,
        "worker": "",
        "leased_until": None,
        "attempt_started_at": None,
        "ready_at": NOW,
        "queue_key": queue_key(NOW, "normal"),
        "spent_ms": 0,
        "due_at": after(600),
        "callback_sequence": 0,
        "updated_at": NOW,
        "completed_at": None,
    }
    return Snapshot(**fields | values)  # type: ignore[arg-type] # by field name


def running(**values: object) -> Snapshot:
    """A task whose first attempt began at NOW."""
    held: dict[str, object] = {
        "state": TaskState.EXECUTING,
        "generation": 3,
        "attempt": 1,
        "worker": "host:1",
        "leased_until": after(60),
        "attempt_started_at": NOW,
        "ready_at": None,
        "queue_key": None,
        "due_at": after(100),
    }
    return snapshot(**held | values)


def waiting(state: TaskState, **values: object) -> Snapshot:
    """A task with an open question, asked at NOW by its first attempt."""
    parked: dict[str, object] = {
        "state": state,
        "generation": 4,
        "attempt": 1,
        "ready_at": None,
        "queue_key": None,
        "due_at": after(3600),
    }
    return snapshot(**parked | values)


def submission(caller: Caller, task_type: str = "probe_echo", **fields) -> Submission:
    """What a caller wants, by default an echo of `{}`."""
    fields.setdefault("payload", {})
    return Submission(caller_id=caller.pk, task_type=task_type, **fields)


def submitted(caller: Caller, task_type: str = "probe_echo", **fields) -> Snapshot:
    """A task in the queue."""
    task, _ = lifecycle.submit(submission(caller, task_type, **fields))
    return task


def row(task: Snapshot) -> Task:
    """The task's row as it is now."""
    return Task.objects.get(pk=task.id)


def set_row(task: Snapshot, **columns: object) -> None:
    """Let the row say something that would take long to come about."""
    Task.objects.filter(pk=task.id).update(**columns)


def log(task: Snapshot) -> list[str]:
    """The types of its messages in order, without their prefix."""
    types = row(task).messages.order_by("generation").values_list("type", flat=True)
    return [kind.removeprefix("p2p:") for kind in types]


def events(task: Snapshot) -> list[str]:
    """The callbacks it owes, in order."""
    outbox = row(task).deliveries.order_by("sequence")
    return list(outbox.values_list("event", flat=True))


def open_question(task: Snapshot) -> Question:
    return Question.objects.get(task_id=task.id, state=QuestionState.OPEN)


def operator(
    name: str = "olga",
    levels: tuple[int, ...] = (1, 2, 3),
    rights: tuple[str, ...] = (),
) -> User:
    """Somebody who may decide questions of these levels, and has these rights."""
    user = User.objects.create_user(name, is_staff=True)
    codes = [*rights, *(f"decide_level_{level}" for level in levels)]
    user.user_permissions.set(Permission.objects.filter(codename__in=codes))
    return User.objects.get(pk=user.pk)
