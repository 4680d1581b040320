"""Where the language model is, from the environment of the worker."""

import os
from dataclasses import dataclass
from importlib.util import find_spec


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """An OpenAI-compatible endpoint. Local servers often need no key."""

    base_url: str
    model: str
    api_key: str | None


def endpoint() -> Endpoint | None:
    """None unless both the address and the default model are set."""
    base_url = os.environ.get("SYNAPSE_LLM_BASE_URL")
    model = os.environ.get("SYNAPSE_LLM_MODEL")
    if not base_url or not model:
        return None
    key = os.environ.get("SYNAPSE_LLM_API_KEY") or None
    return Endpoint(base_url=base_url, model=model, api_key=key)


def available() -> bool:
    """Configured, and the optional `openai` package is installed."""
    return endpoint() is not None and find_spec("openai") is not None
