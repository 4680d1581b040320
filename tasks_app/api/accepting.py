"""Whether a client takes JSON, by its Accept header (RFC 9110, 12.5.1).

Not Django's reading of it, which decodes parameters as mail has them and raises for
some (G50). Here parameters say nothing, but for `q=0`: not this one.
"""

import re

_TAKES_JSON = ("*/*", "application/*", "application/json")
# Optimization: what clients really send.
_ORDINARY = ("", "*/*", "application/json")
_NONE = re.compile(r"q[ \t]*=[ \t]*0(?:\.0*)?", re.IGNORECASE)


def takes_json(accept: str) -> bool:
    """The most specific range that JSON is in decides; no range at all takes all."""
    if accept in _ORDINARY:
        return True
    verdicts: dict[str, bool] = {}
    for one in accept.split(","):
        name, *parameters = (part.strip() for part in one.split(";"))
        wanted = not any(_NONE.fullmatch(parameter) for parameter in parameters)
        # Named twice: one of them that is wanted is enough.
        verdicts[name.lower()] = wanted or verdicts.get(name.lower(), False)
    found = [verdicts[name] for name in _TAKES_JSON if name in verdicts]
    return found[-1] if found else not accept.strip()
