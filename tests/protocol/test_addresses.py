"""Addresses are a kind and a name."""

import pytest

from agents_app.protocol.addresses import Party, split_address


@pytest.mark.parametrize("party", Party)
def test_it_comes_apart_as_it_was_put_together(party):
    assert split_address(party.address("a:b@c")) == (party, "a:b@c")


@pytest.mark.parametrize("address", ["", "agent", "agent:", ":a", "robot:a", "Agent:a"])
def test_it_refuses_anything_else(address):
    with pytest.raises(ValueError):  # noqa: PT011 - the type is the contract.
        split_address(address)
