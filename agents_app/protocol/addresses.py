"""Who speaks to whom: `agent:<id>`, `caller:<id>`, `desk:<user>` (design §3)."""

from enum import StrEnum

ADDRESS_PATTERN = r"^(agent|caller|desk):\S{1,128}$"


class Party(StrEnum):
    """The kinds of participants. Callers exist inside the gateway only (P2A prefix)."""

    AGENT = "agent"
    CALLER = "caller"
    DESK = "desk"

    def address(self, name: str) -> str:
        return f"{self}:{name}"


def split_address(address: str) -> tuple[Party, str]:
    """Kind and name; ValueError for anything else."""
    kind, separator, name = address.partition(":")
    if not (separator and name):
        raise ValueError("an address is a kind, a colon and a name")
    return Party(kind), name
