"""How a closed request ended, in one word."""

from collections.abc import Mapping

from tasks_app.admin.tree import one_line
from tasks_app.models import Question, QuestionState

_WORDS = {"approve": "approved", "reject": "rejected", "modify": "changed"}


def outcome_of(question: Question) -> tuple[str, str]:
    """What its colour goes by (`moods.OUTCOME`), and the word for people."""
    match question.state:
        case QuestionState.OPEN | QuestionState.EXPIRED | QuestionState.WITHDRAWN:
            return question.state, question.state
        case _ if question.kind == Question.Kind.INFO:
            return "provided", "provided"
    decision = question.answer.get("decision") if question.answer else None
    if not isinstance(decision, Mapping):
        return "", "answered"
    action = str(decision.get("action", ""))
    if action == "select":
        return action, f"selected {one_line(decision.get('option_id'), 40)}"
    return action, _WORDS.get(action, action)
