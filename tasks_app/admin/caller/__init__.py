"""Callers: who may use the API, by which keys, and the secret of their callbacks."""

from tasks_app.admin.caller.admin import CallerAdmin

__all__ = ["CallerAdmin"]
