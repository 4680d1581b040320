"""What may be answered: only what was offered (G44)."""

from collections.abc import Mapping

from agents_app.protocol import jsontext
from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.payloads import Action, Decision
from agents_app.schemas import errors_in
from tasks_app.models import Question

MAX_COMMENT_CHARACTERS = 10_000
MAX_VALUE_BYTES = 100_000


def check_offered(question: Question, decision: Decision) -> Decision:
    """The decision, if the question allows it; DECISION_INVALID with the reason."""
    check_comment(decision.comment or "")
    jsontext.check_storable(decision.to_json(), "decision")
    if decision.action is Action.SELECT or decision.option_id is not None:
        _check_option(question, decision)
    if decision.action is Action.MODIFY:
        _check_value(question, decision)
    elif decision.value is not None:
        raise _invalid("value", "Only modify brings a value.")
    return decision


def check_comment(comment: str, *, required: bool = False) -> str:
    """The comment without space around it; DECISION_INVALID if it will not do."""
    if len(comment) > MAX_COMMENT_CHARACTERS:
        raise _invalid("comment", f"At most {MAX_COMMENT_CHARACTERS} characters.")
    jsontext.check_storable(comment, "comment")
    if required and not comment.strip():
        raise _invalid("comment", "Say why.")
    return comment.strip()


def _check_option(question: Question, decision: Decision) -> None:
    offered = [str(option["id"]) for option in question.options]
    if decision.option_id not in offered:
        raise _invalid("option_id", f"Not one of: {', '.join(offered) or 'none'}.")


def _check_value(question: Question, decision: Decision) -> None:
    if question.suggested_value is None and question.decision_schema is None:
        raise _invalid("value", "This request does not take a value.")
    if not isinstance(decision.value, Mapping):
        raise _invalid("value", "Must be an object.")
    if len(jsontext.dumps(decision.value)) > MAX_VALUE_BYTES:
        raise _invalid("value", f"At most {MAX_VALUE_BYTES} bytes.")
    errors = errors_in(question.decision_schema or {}, decision.value)
    if errors:
        fields = {f"value.{path}".rstrip("."): text for path, text in errors.items()}
        raise SynapseError(Code.DECISION_INVALID, details={"fields": fields})


def _invalid(field: str, text: str) -> SynapseError:
    return SynapseError(Code.DECISION_INVALID, details={"fields": {field: text}})
