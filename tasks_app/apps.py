"""The ledger app."""

from django.apps import AppConfig


class TasksConfig(AppConfig):
    """What happened: tasks, messages, attempts, questions, callbacks."""

    name = "tasks_app"
    verbose_name = "Tasks"

    def ready(self) -> None:
        """Register the system checks."""
        from tasks_app import checks  # noqa: F401 - needs loaded apps
