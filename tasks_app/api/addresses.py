"""The addresses that answers name. Relative to the host: it may be reached by many."""

import uuid

PREFIX = "/api/v1/synapse"


def of_task(task_id: uuid.UUID) -> str:
    """Where the task is read (P2A 3.1)."""
    return f"{PREFIX}/task/{task_id}"


def of_file(task_id: uuid.UUID, file_id: uuid.UUID) -> str:
    """Where a file of the task is downloaded."""
    return f"{of_task(task_id)}/files/{file_id}"
