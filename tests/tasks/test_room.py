"""How many more attempts may start: counting down."""

from tasks_app.room import Room


def test_it_counts_a_type_down_to_its_own_limit():
    room = Room(total=5, by_type={"limited": 2})
    assert [room.take("limited") for _ in range(3)] == [True, True, False]
    assert room.take("other")


def test_it_counts_all_types_down_to_the_limit_of_the_node():
    room = Room(total=2, by_type={"limited": 9})
    assert [room.take("limited"), room.take("other")] == [True, True]
    assert not room.take("other")
    assert not room.take("limited")


def test_it_has_no_room_below_zero():
    """More may run than is allowed now: the setting was lowered."""
    room = Room(total=-1, by_type={"limited": -3})
    assert room.of("other") == -1
    assert not room.take("limited")


def test_it_says_what_is_left():
    room = Room(total=5, by_type={"limited": 2})
    assert (room.of("limited"), room.of("other")) == (2, 5)
    room.take("limited")
    assert (room.of("limited"), room.of("other")) == (1, 4)
