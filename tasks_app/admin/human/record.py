"""A decision that was made, for reading: what, by whom, and what it changed."""

from collections.abc import Mapping
from dataclasses import dataclass

from tasks_app.admin.human.ballots import Ballot, kept_ballots, option_label
from tasks_app.admin.tree import label_of, one_line
from tasks_app.models import Question

_ABSENT = "—"
# `decided_by.via` (decisions 17), for people.
_VIA = {
    "deputy": "as the deputy of {on_behalf_of}, who was out of office",
    "delegation": "to whom it was given",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One property: as suggested and as decided."""

    label: str
    suggested: str
    final: str

    @property
    def changed(self) -> bool:
        """Whether the decision moved away from the suggestion."""
        return self.suggested != self.final


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What `answer` of a closed question holds."""

    action: str
    option: str
    comment: str
    by: str
    role: str
    # How it came to them, where it was not their own from the start.
    via: str
    votes: tuple[Ballot, ...]
    differences: tuple[Difference, ...]


def record_of(question: Question) -> Record | None:
    """None while nobody (and no deadline) has decided."""
    answer = question.answer if isinstance(question.answer, Mapping) else {}
    decision, who = answer.get("decision"), answer.get("decided_by")
    if not isinstance(decision, Mapping) or not isinstance(who, Mapping):
        return None
    return Record(
        action=str(decision.get("action", "")),
        option=option_label(question, decision.get("option_id")),
        comment=str(decision.get("comment") or ""),
        by=str(who.get("user_id", "")),
        role=str(who.get("role", "")),
        via=_via(who),
        votes=tuple(kept_ballots(question)),
        differences=_differences(question.suggested_value, decision),
    )


def _via(who: Mapping[str, object]) -> str:
    """Agents may say less than we do."""
    principal = who.get("on_behalf_of") or "somebody"
    return _VIA.get(str(who.get("via")), "").format(on_behalf_of=principal)


def _differences(
    suggested: object, decision: Mapping[str, object]
) -> tuple[Difference, ...]:
    """Empty unless a value was decided on: a rejection has none."""
    if decision.get("action") == "reject":
        return ()
    final = decision.get("value") if decision.get("action") == "modify" else suggested
    before = suggested if isinstance(suggested, Mapping) else {}
    after = final if isinstance(final, Mapping) else {}
    return tuple(
        Difference(
            label=label_of(str(key)),
            suggested=_text(before, key),
            final=_text(after, key),
        )
        for key in [*before, *(key for key in after if key not in before)]
    )


def _text(values: Mapping[str, object], key: str) -> str:
    return one_line(values[key], 500) if key in values else _ABSENT
