"""What a receiver got. A final callback overtakes those before it that still wait."""

from tests.receiver import Receiver, Recorded
from tests.stack import eventually
from tests.stack.client import ENDS


def final_call(receiver: Receiver, task_id: str, timeout: float = 10) -> Recorded:
    """The callback that tells the end of a task, once it is there."""

    def final() -> list[Recorded]:
        about = [one for one in receiver.requests if one.json()["task_id"] == task_id]
        return [one for one in about if one.json()["status"] in ENDS]

    return eventually(final, timeout, f"the final callback of {task_id}")[0]
