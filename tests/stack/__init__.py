"""The real product, started as a user starts it, on a throw-away data folder.

    Template   one migrated database with an operator and two callers, copied per stack
    Stack      web, worker, courier, beat (and Redis) as processes of the Procfile
    Pair       two stacks as nodes that are registered with each other
    Client     a caller: submits, polls, answers, cancels over REST
    Operator   a person: logs in and decides in the admin, over HTTP
    Ledger     what the rows say, read past the product

PostgreSQL and Redis are used when DATABASE_URL and CELERY_BROKER_URL are set, as
`tests/run.py` does for its second run; else the embedded setup. Every stack has a
database and a Redis of its own either way.
"""

from tests.stack.client import Client, Reply
from tests.stack.ledger import Ledger
from tests.stack.operator import Operator
from tests.stack.pair import Pair
from tests.stack.process import Process
from tests.stack.product import PRODUCTION, Stack
from tests.stack.template import Template
from tests.stack.waiting import eventually

__all__ = [
    "PRODUCTION",
    "Client",
    "Ledger",
    "Operator",
    "Pair",
    "Process",
    "Reply",
    "Stack",
    "Template",
    "eventually",
]
