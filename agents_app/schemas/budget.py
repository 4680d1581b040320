"""What one request may cost: counted, not timed, so the answer is always the same."""


class TooMuch(Exception):
    """The budget is used up."""


class Budget:
    """Steps that are left. One is about a microsecond of this process."""

    __slots__ = ("_left",)

    def __init__(self, steps: int) -> None:
        self._left = steps

    def spend(self, steps: int) -> None:
        """Pay before doing it. TooMuch when there is not enough."""
        self._left -= steps
        if self._left < 0:
            raise TooMuch
