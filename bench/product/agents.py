"""Handlers that do nothing, one a lane, found like those of any app.

`quick` runs where the worker of the Procfile runs, `single` where a worker claims one
task at a time, `parked` nowhere: what is submitted there is only submitted.
"""

import time

from pydantic import BaseModel, ConfigDict

from agents_app.context import Context
from agents_app.registry import handles


class Anything(BaseModel):
    model_config = ConfigDict(extra="allow")


class Reached(BaseModel):
    """Seconds since the epoch."""

    at: float


def reached(ctx: Context[Anything]) -> Reached:
    """Say when the handler began."""
    return Reached(at=time.time())


for lane in ("default", "single", "parked"):
    handles(f"bench_{lane}", input=Anything, output=Reached, lane=lane)(reached)
