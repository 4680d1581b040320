"""Which colour a state has, in our pages and in Unfold's lists."""

from collections.abc import Mapping

from agents_app.protocol.states import PublicStatus
from tasks_app.models import DeliveryState

# good, info, soon or danger, as `console.css` knows them.
TASK: Mapping[str, str] = {
    PublicStatus.PROCESSING.value: "info",
    PublicStatus.COMPLETED.value: "good",
    PublicStatus.FAILED.value: "danger",
    PublicStatus.CANCELLED.value: "soon",
}
DELIVERY: Mapping[str, str] = {
    DeliveryState.WAITING.value: "info",
    DeliveryState.DELIVERED.value: "good",
    DeliveryState.DEAD.value: "danger",
}
OUTCOME: Mapping[str, str] = {
    "approve": "good",
    "select": "good",
    "modify": "good",
    "provided": "good",
    "reject": "danger",
    "expired": "soon",
}
_UNFOLD = {"good": "success", "info": "info", "soon": "warning", "danger": "danger"}


def labels(moods: Mapping[str, str]) -> dict[str, str]:
    """The same for a column of Unfold's."""
    return {value: _UNFOLD[mood] for value, mood in moods.items()}
