"""The one place that knows the `openai` package, an optional extra.

Loaded on the first prompt: importing the package takes most of a second.
"""

from openai import (
    APIConnectionError,
    APIResponseValidationError,
    APIStatusError,
    APITimeoutError,
    OpenAI,
    OpenAIError,
)
from openai.types.chat import ChatCompletion, ChatCompletionMessageParam

from agents_app.context import HandlerError
from agents_app.handlers.text_generation.settings import Endpoint
from agents_app.handlers.text_generation.shapes import Generated, Prompt

TIMEOUT_S = 120.0
_BUSY = frozenset({408, 409, 425, 429})


def generate(endpoint: Endpoint, prompt: Prompt) -> Generated:
    """One chat completion. HandlerError says what went wrong and if it may pass."""
    try:
        return _generated(_complete(endpoint, prompt))
    except OpenAIError as error:
        raise _told(error) from error


def _complete(endpoint: Endpoint, prompt: Prompt) -> ChatCompletion:
    with OpenAI(
        base_url=endpoint.base_url,
        api_key=endpoint.api_key or "unused",  # The client insists on one.
        timeout=TIMEOUT_S,
        max_retries=0,  # Retries are attempts: counted, spaced and visible.
    ) as client:
        model = prompt.model or endpoint.model
        messages = _messages(prompt)
        if prompt.temperature is None:  # Some models refuse the parameter.
            return client.chat.completions.create(
                model=model, messages=messages, max_tokens=prompt.max_tokens
            )
        return client.chat.completions.create(
            model=model,
            messages=messages,
            max_tokens=prompt.max_tokens,
            temperature=prompt.temperature,
        )


def _messages(prompt: Prompt) -> list[ChatCompletionMessageParam]:
    user: ChatCompletionMessageParam = {"role": "user", "content": prompt.prompt}
    if prompt.system is None:
        return [user]
    return [{"role": "system", "content": prompt.system}, user]


def _generated(completion: ChatCompletion) -> Generated:
    """The client does not check answers, so a field may be absent whatever its type."""
    try:
        choice = completion.choices[0]
        text, usage = choice.message.content, completion.usage
        model, finish_reason = completion.model, choice.finish_reason
    except (AttributeError, IndexError, TypeError) as odd:
        raise _no_completion() from odd
    if not isinstance(text, str) or not isinstance(model, str):
        raise _no_completion()
    return Generated(
        text=text,
        model=model,
        finish_reason=finish_reason,
        prompt_tokens=usage.prompt_tokens if usage else None,
        completion_tokens=usage.completion_tokens if usage else None,
    )


def _no_completion() -> HandlerError:
    return HandlerError("The language model gave no text.")


def _told(error: OpenAIError) -> HandlerError:
    """In our words: the endpoint's may quote the key or the prompt."""
    if isinstance(error, APITimeoutError):
        return HandlerError("The language model took too long.", retryable=True)
    if isinstance(error, APIResponseValidationError):
        return _no_completion()
    if isinstance(error, APIConnectionError):
        return HandlerError("The language model cannot be reached.", retryable=True)
    if isinstance(error, APIStatusError):
        return _refusal(error.status_code)
    return HandlerError("The language model could not be asked.")


def _refusal(status: int) -> HandlerError:
    retryable = status in _BUSY or status >= 500
    text = "is busy or broken" if retryable else "refused the request"
    return HandlerError(
        f"The language model {text}.", retryable=retryable, details={"status": status}
    )
