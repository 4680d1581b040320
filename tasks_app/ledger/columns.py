"""Which columns each statement of the ledger reads and writes, by table."""

TASK = "tasks_app_task"
MESSAGE = "tasks_app_message"
ATTEMPT = "tasks_app_attempt"
DELIVERY = "tasks_app_delivery"
ATTACHMENT = "tasks_app_attachment"
JOURNAL = "tasks_app_journalentry"
API_KEY = "tasks_app_callerkey"
CALLER = "tasks_app_caller"

# What a change may write. Safe to write whole: the generation guards them all.
CONTROL = {
    # A task that its executor never confirmed is offered to another one.
    "executor": "text",
    "lane": "text",
    "state": "text",
    "generation": "int",
    "progress": "int",
    "status_message": "text",
    "eta": "time",
    "attempt": "int",
    "failures": "int",
    "worker": "text",
    "leased_until": "time",
    "attempt_started_at": "time",
    "ready_at": "time",
    "queue_key": "bigint",
    "spent_ms": "bigint",
    "due_at": "time",
    "callback_sequence": "int",
    "updated_at": "time",
    "completed_at": "time",
}
# Written only where a change brings a new value.
VALUES = {"result": "json", "error": "json"}
# One change: which task, seen at which generation, and what it becomes.
CHANGE = {"task_id": "uuid", "seen": "int"} | CONTROL | VALUES
# Settled at submit.
FIXED = {
    "id": "uuid",
    "caller_id": "uuid",
    "requester": "text",
    "requester_task_id": "text",
    "pinned": "bool",
    "task_type": "text",
    "external_task_id": "text",
    "priority": "text",
    "max_duration_s": "int",
    "created_at": "time",
    "callback_url": "text",
    "callback_events": "json",
}
SNAPSHOT = FIXED | CONTROL
NEW_TASK = SNAPSHOT | {
    "payload": "json",
    "callback_token": "text",
    "idempotency_key": "text",
    "fingerprint": "text",
    "retry_of_id": "uuid",
}
NEW_MESSAGE = {
    "message_id": "text",
    "task_id": "uuid",
    "generation": "int",
    "type": "text",
    "sender": "text",
    "recipient": "text",
    "payload": "json",
    "in_reply_to": "text",
    "created_at": "time",
}
NEW_ATTEMPT = {
    "task_id": "uuid",
    "number": "int",
    "worker": "text",
    "started_at": "time",
    "ended_at": "time",
    "outcome": "text",
    "trace": "text",
}
NEW_DELIVERY = {
    "id": "uuid",
    "kind": "text",
    "peer_id": "text",
    "task_id": "uuid",
    "sequence": "int",
    "event": "text",
    "terminal": "bool",
    "party": "text",
    "url": "text",
    "endpoint": "text",
    "body": "text",
    "state": "text",
    "tries": "int",
    "schedule_from": "int",
    "next_try_at": "time",
    "created_at": "time",
}
NEW_ATTACHMENT = {
    "id": "uuid",
    "task_id": "uuid",
    "kind": "text",
    "name": "text",
    "content_type": "text",
    "size": "bigint",
    "sha256": "text",
    "source_url": "text",
    "fetch_at": "time",
    "fetch_tries": "int",
    "created_at": "time",
    "position": "int",
}
