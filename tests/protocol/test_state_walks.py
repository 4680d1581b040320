"""G03 and G04: whatever messages come in whatever order, the table holds."""

import hypothesis.strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.states import (
    LIVE,
    TERMINAL,
    TRANSITIONS,
    Move,
    TaskState,
    next_state,
)

SETTLED_BY_FAILURE = {Move.FAIL, Move.CANCEL}


class TaskWalk(RuleBasedStateMachine):
    """A task that is sent every kind of move, legal or not."""

    def __init__(self):
        super().__init__()
        self.state = TaskState.IDLE
        self.ended = False

    @rule(move=st.sampled_from(sorted(set(Move) - SETTLED_BY_FAILURE)))
    def push(self, move):
        self._apply(move)

    @rule(move=st.sampled_from(sorted(SETTLED_BY_FAILURE)))
    def settle(self, move):
        was_live = self.state in LIVE
        assert self._apply(move) is was_live

    def _apply(self, move):
        code, state = _outcome(self.state, move)
        if self.ended:
            assert (code, state) == (Code.TASK_ENDED, self.state)
        else:
            assert code in (None, Code.ILLEGAL_TRANSITION)
        self.state = state
        self.ended |= state in TERMINAL
        return code is None

    @invariant()
    def a_live_task_can_go_somewhere(self):
        if self.state in LIVE:
            assert any(self.state in arrows for arrows in TRANSITIONS.values())


TestTaskWalk = TaskWalk.TestCase


def _outcome(state, move):
    try:
        return None, next_state(state, move)
    except SynapseError as refused:
        return refused.code, state


def test_it_reaches_every_state_from_idle():
    assert _reachable(TaskState.IDLE) == set(TaskState)


def test_it_can_end_well_from_every_state_on_the_way():
    for state in LIVE:
        assert TaskState.COMPLETED in _reachable(state)


def _reachable(start):
    reached, fresh = {start}, [start]
    while fresh:
        state = fresh.pop()
        targets = {a[state] for a in TRANSITIONS.values() if state in a} - reached
        reached |= targets
        fresh.extend(targets)
    return reached
