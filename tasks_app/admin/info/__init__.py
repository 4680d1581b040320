"""Info requests: what callers still owe, and the page where an operator supplies it."""

from tasks_app.admin.info.listing import InfoRequestAdmin

__all__ = ["InfoRequestAdmin"]
