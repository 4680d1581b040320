"""G04: whatever plans follow each other, the table holds and the log has no gaps."""

from datetime import timedelta

import hypothesis.strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.messages import MESSAGES, MessageType
from agents_app.protocol.payloads import (
    Action,
    DecidedBy,
    Decision,
    ErrorObject,
    HumanDecision,
    TaskComplete,
    TaskInfoProvided,
    TaskNeedHuman,
    TaskNeedInfo,
)
from agents_app.protocol.states import TERMINAL, TRANSITIONS, WAITING, TaskState
from tasks_app.changes import Internal
from tasks_app.transition import attempts, desk
from tests.factories import NOW, POLICY, TASK_ID, snapshot

ID = str(TASK_ID)
ERROR = ErrorObject.of(SynapseError(Code.HANDLER_FAILED))
ARROWS = {pair for arrows in TRANSITIONS.values() for pair in arrows.items()}


def decision(action):
    return HumanDecision(
        task_id=ID,
        decision=Decision(action=action),
        decided_by=DecidedBy(user_id="olga", role="operator"),
    )


def ask(question):
    return lambda task, **at: attempts.ask(task, question, position=0, **at)


def provide(complete):
    words = TaskInfoProvided(task_id=ID, provided_info={})
    return lambda task, **at: desk.provide(
        task, words, complete=complete, together={}, by="caller:1", **at
    )


def decide(action):
    return lambda task, **at: desk.decide(task, decision(action), by="desk:o", **at)


PLANS = {
    "begin": lambda task, **at: attempts.begin(task, worker="w", **at),
    "report": lambda task, **at: attempts.report(
        task, progress=50, message="", eta=None, **at
    ),
    "complete": lambda task, **at: attempts.complete(
        task, TaskComplete(task_id=ID, result={}), **at
    ),
    "fail": lambda task, **at: attempts.fail(task, ERROR, **at),
    "stop": lambda task, **at: attempts.stop(task, by="desk:o", reason="", **at),
    "ask info": ask(TaskNeedInfo(task_id=ID, missing_fields=["a"], reason="r")),
    "ask human": ask(TaskNeedHuman(task_id=ID, escalation_level=1, reason={})),
    "try again": lambda task, **at: attempts.try_again(
        task, reason="r", delay_s=5, outcome="retry", **at
    ),
    "hand back": lambda task, **at: attempts.hand_back(task, **at),
    "cancel": lambda task, **at: desk.cancel(task, by="caller:1", reason="", **at),
    "facts": provide(True),
    "some facts": provide(False),
    "claim": lambda task, **at: desk.claim(task, user_id=1, by="desk:o", **at),
    "release": lambda task, **at: desk.release(
        task, by="desk:o", held_by="desk:o", **at
    ),
    "approve": decide(Action.APPROVE),
    "decline": decide(Action.REJECT),
}
# What a worker plans for a task that it does not hold, and one begins what is queued.
FROM_AN_ATTEMPT = {
    "report",
    "complete",
    "ask info",
    "ask human",
    "try again",
    "hand back",
}


def planned(name, task, now):
    """What the plan leads to: why it is refused, or its change."""
    try:
        return None, PLANS[name](task, now=now, policy=POLICY)
    except SynapseError as refused:
        return refused.code, None


class Walk(RuleBasedStateMachine):
    """One task and everybody who ever says something about it."""

    def __init__(self):
        super().__init__()
        self.now = NOW
        self.task = snapshot(callback_url="https://example.com/", generation=1)
        self.open = False
        self.log = []

    @rule(name=st.sampled_from(sorted(PLANS)), seconds=st.floats(0, 100))
    def plan(self, name, seconds):
        if name in FROM_AN_ATTEMPT and not self.task.running:
            return  # Fenced: such a write finds no live attempt (ledger tests).
        if name == "begin" and self.task.queue_key is None:
            return
        self.now += timedelta(seconds=seconds)
        code, change = planned(name, self.task, self.now)
        if change is not None:
            self.apply(change)
            return
        assert code is (Code.TASK_ENDED if self.task.ended else Code.ILLEGAL_TRANSITION)
        assert name not in FROM_AN_ATTEMPT | {"begin"}

    def apply(self, change):
        before, after = change.before.state, change.after.state
        assert before not in TERMINAL
        assert (before, after) in ARROWS or self.confirmed(change)
        self.log += [message.generation for message in change.messages]
        assert not change.opened or not self.open or change.closed
        self.open = bool(change.opened) or (self.open and not change.closed)
        assert change.ended is None or change.before.running
        self.task = change.after

    def confirmed(self, change):
        """From pending, a synthetic confirm is an arrow of its own."""
        first = change.messages[0].type
        arrow = (TaskState.CONFIRMED, change.after.state)
        return first == MessageType.TASK_CONFIRM and arrow in ARROWS

    @invariant()
    def the_log_has_no_gaps(self):
        assert self.log == list(range(2, self.task.generation + 1))

    @invariant()
    def a_question_is_open_exactly_while_the_task_waits(self):
        assert self.open == (self.task.state in WAITING)

    @invariant()
    def it_is_in_line_or_running_or_waiting_or_over(self):
        task = self.task
        where = [
            task.queue_key is not None,
            task.running,
            task.state in WAITING,
            task.ended,
        ]
        assert sum(where) == 1
        assert (task.ready_at is None) == (task.queue_key is None)

    @invariant()
    def no_state_is_without_a_deadline(self):
        """G10."""
        assert (self.task.due_at is None) == self.task.ended
        assert (self.task.completed_at is not None) == self.task.ended


TestWalk = Walk.TestCase


def test_it_knows_a_type_for_every_line_of_the_log():
    assert {str(kind) for kind in Internal}.isdisjoint(MESSAGES)
