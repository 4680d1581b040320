"""The transition table against A2A chapter 4, and the map to P2A."""

import pytest

from agents_app.protocol.errors import Code, SynapseError
from agents_app.protocol.states import (
    IMPLIES_CONFIRM,
    LIVE,
    TERMINAL,
    TRANSITIONS,
    UNSUCCESSFUL,
    WAITING,
    Move,
    PublicStatus,
    TaskState,
    next_state,
    public_status,
)

SEED_STATES = [
    "idle",
    "pending",
    "confirmed",
    "executing",
    "info_needed",
    "info_provided",
    "need_human",
    "human_deciding",
    "human_approved",
    "human_rejected",
    "completed",
    "failed",
    "cancelled",
    "rejected",
]

SEED_ARROWS = [
    "idle pending",
    "pending confirmed",
    "pending rejected",
    "confirmed executing",
    "confirmed info_needed",
    "executing completed",
    "executing failed",
    "executing cancelled",
    "info_needed info_provided",
    "info_provided info_needed",
    "info_provided need_human",
    "need_human human_deciding",
    "human_deciding need_human",
    "human_deciding human_approved",
    "human_deciding human_rejected",
]

ARROWS = {
    (source, target)
    for arrows in TRANSITIONS.values()
    for source, target in arrows.items()
}


def test_it_has_the_states_of_the_seed_in_order():
    assert [str(state) for state in TaskState] == SEED_STATES


@pytest.mark.parametrize("arrow", SEED_ARROWS)
def test_it_has_every_arrow_the_seed_draws(arrow):
    assert tuple(arrow.split()) in ARROWS


def test_it_splits_states_into_live_and_terminal():
    assert {"completed", "failed", "cancelled", "rejected"} == TERMINAL
    assert set(TaskState) == LIVE | TERMINAL
    assert not LIVE & TERMINAL
    assert TERMINAL - set(UNSUCCESSFUL) == {"completed"}


def test_it_waits_in_live_states_only():
    assert {"info_needed", "need_human", "human_deciding"} == WAITING
    assert WAITING < LIVE


def test_it_has_a_line_for_every_move():
    assert set(TRANSITIONS) == set(Move)
    assert all(TRANSITIONS.values())


@pytest.mark.parametrize("state", sorted(LIVE))
def test_it_can_fail_and_cancel_any_live_task(state):
    assert next_state(state, Move.FAIL) is TaskState.FAILED
    assert next_state(state, Move.CANCEL) is TaskState.CANCELLED


@pytest.mark.parametrize("move", Move)
@pytest.mark.parametrize("state", sorted(TERMINAL))
def test_it_lets_nothing_leave_an_end(state, move):
    with pytest.raises(SynapseError) as refused:
        next_state(state, move)
    assert refused.value.code is Code.TASK_ENDED


def test_it_says_which_move_a_state_refuses():
    with pytest.raises(SynapseError) as refused:
        next_state(TaskState.EXECUTING, Move.REJECT)
    assert refused.value.code is Code.ILLEGAL_TRANSITION
    assert refused.value.details == {"state": "executing", "move": "reject"}


@pytest.mark.parametrize(
    ("state", "move"),
    [
        ("idle", Move.CONFIRM),
        ("idle", Move.COMPLETE),
        ("pending", Move.REQUEST),
        ("pending", Move.CLAIM),
        ("executing", Move.APPROVE),
        ("executing", Move.INFO_COMPLETE),
        ("human_deciding", Move.CLAIM),
        ("human_deciding", Move.INFO_COMPLETE),
        ("info_needed", Move.DECLINE),
        ("need_human", Move.RELEASE),
        ("executing", Move.CONFIRM),
        ("confirmed", Move.REJECT),
    ],
)
def test_it_refuses_what_design_does_not_draw(state, move):
    with pytest.raises(SynapseError) as refused:
        next_state(TaskState(state), move)
    assert refused.value.code is Code.ILLEGAL_TRANSITION


@pytest.mark.parametrize("move", sorted(IMPLIES_CONFIRM))
def test_it_skips_confirm_as_the_flows_of_the_seed_do(move):
    from_pending = next_state(TaskState.PENDING, move)
    assert from_pending is next_state(TaskState.CONFIRMED, move)


@pytest.mark.parametrize("state", sorted(WAITING))
@pytest.mark.parametrize("move", [Move.EXECUTING, Move.NEED_INFO, Move.NEED_HUMAN])
def test_it_lets_the_executor_withdraw_or_replace_its_question(state, move):
    assert next_state(state, move) in LIVE


def test_it_accepts_a_repeated_confirm():
    assert next_state(TaskState.CONFIRMED, Move.CONFIRM) is TaskState.CONFIRMED


def test_it_keeps_waiting_after_a_partial_answer():
    state = next_state(TaskState.INFO_NEEDED, Move.INFO_PARTIAL)
    assert state is TaskState.INFO_NEEDED


@pytest.mark.parametrize("state", TaskState)
def test_it_shows_callers_one_of_five_statuses(state):
    ended = {"completed": "completed", "cancelled": "cancelled", "failed": "failed"}
    special = ended | {"rejected": "failed", "idle": "received", "pending": "received"}
    assert public_status(state) == special.get(state, "processing")


def test_it_has_the_five_statuses_of_p2a():
    assert " ".join(PublicStatus) == "received processing completed failed cancelled"
