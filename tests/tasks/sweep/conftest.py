"""Peers as in the tests of presence."""

from tests.tasks.presence.conftest import north, south

__all__ = ["north", "south"]
