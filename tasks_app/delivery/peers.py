"""What it takes to speak with a peer: its secrets, opened."""

import logging

from agents_app.models import Agent
from agents_app.vault import VaultError
from tasks_app.secrets import vault

logger = logging.getLogger(__name__)


def secrets_of(peer: Agent) -> tuple[str, ...]:
    """The one or two active secrets; the first is the newest (G37).

    One that cannot be opened is left out and logged: nobody can be verified by it.
    """
    return tuple(filter(None, (_opened(peer, sealed) for sealed in peer.secrets)))


def _opened(peer: Agent, sealed: str) -> str | None:
    try:
        return vault().open(sealed)
    except VaultError:
        logger.error("A secret of agent %s cannot be opened.", peer.pk)
        return None
