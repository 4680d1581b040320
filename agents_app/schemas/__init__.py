"""JSON Schemas of strangers, held against the values of strangers, at a bounded price.

    ask, card → check_schemas (is it one, does it end?) → kept
    answer, payload → errors_in → applying (jsonschema) → words

Draft 2020-12 whatever a schema calls itself. Its author may be a remote agent and the
value a caller's, in the web process of everybody: so a reference never leaves the
schema (G25), patterns run in linear time, and every step is paid from a budget (G44).
jsonschema alone promises none of it: backtracking, a quadratic `uniqueItems` and
branches that double are all within the specification.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import islice
from typing import cast

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.jsontext import dumps, loads
from agents_app.protocol.payloads import TaskNeedHuman, TaskNeedInfo
from agents_app.schemas.applying import held
from agents_app.schemas.budget import Budget, TooMuch
from agents_app.schemas.checking import Broken, check
from agents_app.schemas.quiet import document, quieted
from agents_app.schemas.words import join, told

MAX_SCHEMA_BYTES = 64 * 1024
# In steps of about half a microsecond.
_TO_CHECK = 600_000
_TO_HOLD = 250_000
_TOLD = 20
_TOO_LARGE = "is too large, or its schema too intricate, to be checked"


def check_schemas(schemas: Iterable[tuple[str, object]], about: str = "schema") -> None:
    """SCHEMA_INVALID unless values can be held against each of these named schemas.

    The details say which one it is (under the word `about`) and what is wrong.
    Together they have one budget, so that many small ones are no way around it.
    """
    budget = Budget(_TO_CHECK)
    for name, schema in schemas:
        if problem := _problem(schema, budget):
            details = {about: name, "problem": problem}
            raise SynapseError(Code.SCHEMA_INVALID, details=details)


def check_question(words: TaskNeedInfo | TaskNeedHuman) -> None:
    """The same for what is asked: one that nobody could answer must not wait (G44)."""
    if isinstance(words, TaskNeedInfo):
        fields = [(field.name, field.json_schema) for field in words.missing_fields]
    else:
        fields = [("decision_schema", words.decision_schema)]
    check_schemas((name, schema) for name, schema in fields if schema is not None)


def budget_to_hold() -> Budget:
    """For the values of one request, however many schemas they are held against."""
    return Budget(_TO_HOLD)


def errors_in(
    schema: Mapping[str, object], value: object, budget: Budget | None = None
) -> dict[str, str]:
    """Path → what a schema has against the value; the first twenty.

    SCHEMA_INVALID when the schema itself cannot be used: it was checked when it was
    taken, perhaps by an older version.
    """
    budget = budget or budget_to_hold()
    texts: dict[str, str] = {}
    try:
        budget.spend(1)  # Nothing more once it is used up.
        _cost(dumps(dict(schema)))
        root = document(schema, budget)
        errors = held(root).iter_errors(quieted(value, root.run))
        for error in islice(errors, _TOLD):
            texts.setdefault(join(error.path), told(error))
    except Broken as broken:
        raise SynapseError(Code.SCHEMA_INVALID) from broken
    except (TooMuch, RecursionError):
        return texts or {"": _TOO_LARGE}
    return texts


def _problem(schema: object, budget: Budget) -> str | None:
    if not isinstance(schema, Mapping):
        return "A schema is an object."
    try:
        text = dumps(dict(schema))
        if len(text) > MAX_SCHEMA_BYTES:
            return f"A schema has at most {MAX_SCHEMA_BYTES} bytes."
        budget.spend(20)  # For this, and nothing more once it is used up.
        budget.spend(_cost(text))
    except Broken as broken:
        return str(broken)
    except (TooMuch, RecursionError):
        return "It takes too long to check."
    except SynapseError as refused:
        return refused.message
    return None


@lru_cache(maxsize=256)
def _cost(text: bytes) -> int:
    """The steps to check a schema. Broken, TooMuch."""
    budget = Budget(_TO_CHECK)
    # As it will be read when it is answered: a tuple is an array by then.
    schema = cast(Mapping[str, object], loads(text))
    check(document(schema, budget), budget)
    return _TO_CHECK - budget.left
