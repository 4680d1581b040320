"""What is told of values that are wrong: enough to learn from, and no more."""

import pytest
from pydantic import BaseModel, ConfigDict, ValidationError

from agents_app.protocol.model import field_errors


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


def _told(value: object) -> dict[str, str]:
    with pytest.raises(ValidationError) as refused:
        _Strict.model_validate(value)
    return field_errors(refused.value)


def test_it_stops_after_twenty():
    assert len(_told({f"k{n}": 0 for n in range(30)})) == 20


def test_it_only_counts_when_nearly_all_is_wrong():
    assert _told({f"k{n}": 0 for n in range(5_001)}) == {"": "5001 values are wrong."}


def test_it_cuts_and_cleans_the_names_of_strangers():
    (path,) = _told({"a\n" + "k" * 1_000_000: 0})
    assert len(path) == 200
    assert path.startswith("a\N{REPLACEMENT CHARACTER}k")
