"""`text_generation`: a prompt for any OpenAI-compatible endpoint.

Offered only when `settings.available()`; `client` alone imports the optional package.
"""

from importlib import import_module

from agents_app.context import Context, HandlerError
from agents_app.handlers.text_generation.settings import available, endpoint
from agents_app.handlers.text_generation.shapes import Generated, Prompt
from agents_app.registry import handles


@handles(
    "text_generation",
    input=Prompt,
    output=Generated,
    name="Text generation",
    estimated_time="2s-2min",
    max_duration_s=180,
    capabilities=("language_model",),
    enabled=available,
)
def generate_text(ctx: Context[Prompt]) -> Generated:
    """Answer a prompt with the configured language model."""
    configured = endpoint()
    if configured is None:
        raise HandlerError("No language model is configured here.")
    ctx.progress(5, "Asking the language model")
    client = import_module("agents_app.handlers.text_generation.client")
    generated: Generated = client.generate(configured, ctx.payload)
    return generated
