"""Regular expressions that cannot run away: RE2 takes time in proportion to the text.

And to the size of the compiled pattern, so that is bounded and paid for as well. There
is no look-around and no back-reference; nothing that runs in linear time has them.
"""

import re

import re2  # type: ignore[import-untyped]

from agents_app.schemas.budget import Budget

MAX_PROGRAM = 5_000
_MEMORY = 1 << 18
# Instructions and bytes for a step: measured at its slowest, half of that in a step.
_WORK_PER_STEP = 200
_UNICODE_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\u([0-9a-fA-F]{4})")


class BadPattern(Exception):
    """Its text says why, safe to show."""


class Pattern:
    """A compiled one."""

    def __init__(self, text: str, budget: Budget) -> None:
        """BadPattern, TooMuch."""
        budget.spend(100 + len(text))
        self._compiled = _compile(text)
        self._size: int = self._compiled.programsize
        if self._size > MAX_PROGRAM:
            raise BadPattern("is too large when compiled; maxLength is cheaper")
        budget.spend(self._size)
        self._budget = budget

    def matches(self, text: str) -> bool:
        """Whether it occurs somewhere in the text. TooMuch."""
        encoded = text.encode(errors="replace")
        self._budget.spend(2 + len(encoded) * self._size // _WORK_PER_STEP)
        return self._compiled.search(encoded) is not None


def _compile(text: str) -> re2._Regexp:
    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    options.never_capture = True
    # JavaScript's spelling, which JSON Schema means, in RE2's.
    spelled = _UNICODE_ESCAPE.sub(r"\1\\x{\2}", text)
    try:
        return re2.compile(spelled.encode(errors="replace"), options)
    except re2.error as refused:
        reason = refused.args[0] if refused.args else b""
        if isinstance(reason, bytes):
            reason = reason.decode(errors="replace")
        raise BadPattern(f"is no pattern that can be used: {reason}"[:200]) from refused
