"""The agent kit: a remote agent in plain Python, without Django (docs/agents.md).

    Agent → Link (signs, sends, tries again) → the node
    the node → Mailbox or Endpoint → Inbox (verifies, once each) → OpenTasks → handler

Needs `agents_app.protocol`, what that needs, and `requests`.
"""

from agents_app.kit.agent import Agent
from agents_app.kit.link import Undelivered
from agents_app.kit.task import Cancelled, Task

__all__ = ["Agent", "Cancelled", "Task", "Undelivered"]
