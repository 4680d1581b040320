"""jsonschema, paid by the step.

    held → each schema that is applied, each keyword: Run.spend
         → ValidationError → words

Every way through a schema leads through schemas and keywords, so one that doubles, or
returns to itself, ends with the budget.
"""

from collections.abc import Iterable
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.validators import create
from referencing import Registry

from agents_app.schemas.keywords import INSTEAD, THEIRS, Keyword
from agents_app.schemas.quiet import Object

# Those of jsonschema that walk along the value without a schema to apply.
_ALONG = frozenset({"contains", "items", "propertyNames"})


def held(schema: Object) -> Any:
    """A validator. Its errors have to be taken one by one: they end with TooMuch."""
    return _Validator(schema, registry=Registry())


def _paid(name: str, keyword: Keyword) -> Any:
    along = name in _ALONG

    def judge(
        validator: Any, argument: Any, value: Any, schema: Object
    ) -> Iterable[ValidationError] | None:
        schema.run.spend(3)
        if along and isinstance(value, list | dict):
            schema.run.spend(len(value) // 4)
        return keyword(validator, argument, value, schema)

    return judge


def _paid_items(schema: Any) -> Any:
    """Called twice for each schema that is applied."""
    schema.run.spend(schema.cost)
    return schema.items()


_Validator = create(
    Draft202012Validator.META_SCHEMA,
    {name: _paid(name, keyword) for name, keyword in (THEIRS | INSTEAD).items()},
    type_checker=Draft202012Validator.TYPE_CHECKER,
    applicable_validators=_paid_items,
)
