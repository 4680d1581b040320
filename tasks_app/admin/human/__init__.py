"""HiL requests: the inbox, and the page where one of them is decided."""

from tasks_app.admin.human.inbox import HumanRequestAdmin

__all__ = ["HumanRequestAdmin"]
