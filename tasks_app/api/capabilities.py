"""What this node can do and which limits hold here (P2A 7.5, 7.6)."""

from django.conf import settings

from agents_app import capabilities
from tasks_app.api.filetypes import ACCEPTED
from tasks_app.callbacks import OPTIONAL_EVENTS


def document() -> dict[str, object]:
    """The list of P2A 7.5 and, beside it, the limits that the seed does not name."""
    return capabilities.document(
        agent_id=settings.SYNAPSE_AGENT_ID,
        agent_name=settings.SYNAPSE_AGENT_NAME,
        max_file_size=settings.SYNAPSE_MAX_FILE_SIZE,
        max_concurrent_tasks=settings.SYNAPSE_MAX_CONCURRENT_TASKS,
        max_task_duration=settings.SYNAPSE_MAX_TASK_DURATION,
        content_types=ACCEPTED,
    ) | {
        "max_files": settings.SYNAPSE_MAX_FILES,
        "max_upload_size": settings.SYNAPSE_MAX_UPLOAD_SIZE,
        "max_body_size": settings.SYNAPSE_MAX_BODY_SIZE,
        "callback_events": list(OPTIONAL_EVENTS),
    }
