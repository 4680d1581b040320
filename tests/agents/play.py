"""Declares a handler for one test and plays it, outside the real registry."""

from pydantic import BaseModel, ConfigDict

from agents_app import registry
from agents_app.testing import run_handler


class Anything(BaseModel):
    model_config = ConfigDict(extra="allow")


def spec_of(function, *, input=Anything, output=Anything, **limits):
    with registry.isolated_registry():
        registry.handles("test_type", input=input, output=output, **limits)(function)
        return registry.get("test_type")


def play(
    function, payload=None, *, input=Anything, output=Anything, limits=None, **how
):
    spec = spec_of(function, input=input, output=output, **(limits or {}))
    return run_handler(spec, payload or {}, **how)
