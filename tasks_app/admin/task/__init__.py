"""Tasks: the list, one task with all that happened to it, cancel, retry, files."""

from tasks_app.admin.task.listing import TaskAdmin

__all__ = ["TaskAdmin"]
