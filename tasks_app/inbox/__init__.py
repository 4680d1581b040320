"""The inbox: what peers say, each envelope once.

    api/a2a → receive (signed, from a known peer) → applying → the verbs of all doors

The answer to an envelope is stored with its effect in one transaction: the same bytes
get the same answer again and change nothing (G31), other bytes under the same id are
refused (G32).
"""

from tasks_app.inbox.applying import find
from tasks_app.inbox.files import take_file
from tasks_app.inbox.forgetting import forget_old
from tasks_app.inbox.receiving import Answer, receive
from tasks_app.inbox.replies import nack_of

__all__ = ["Answer", "find", "forget_old", "nack_of", "receive", "take_file"]
