"""What one request may cost: counted, not timed, so the answer is always the same."""


class TooMuch(Exception):
    """The budget is used up."""


class Budget:
    """Steps that are left. One is about half a microsecond of this process."""

    __slots__ = ("left",)

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int) -> None:
        """Pay before doing it. TooMuch when there is not enough."""
        self.left -= steps
        if self.left < 0:
            raise TooMuch
