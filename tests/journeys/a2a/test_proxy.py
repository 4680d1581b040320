"""The bad network is as bad as it says."""

import pytest
import requests

from tests.proxy import Fate, Proxy, fate_of
from tests.receiver import Receiver


def test_it_loses_every_third_and_doubles_every_fifth() -> None:
    fates = [fate_of(number) for number in range(1, 16)]
    lost = [n for n, fate in enumerate(fates, 1) if not fate.value[1]]
    assert lost == [3, 6, 9, 12, 15]
    assert [fates[n - 1] for n in lost[:2]] == [Fate.LOST, Fate.ANSWER_LOST]
    assert [n for n, f in enumerate(fates, 1) if f is Fate.DOUBLED] == [5, 10]


def test_it_does_so_to_real_requests(receiver: Receiver) -> None:
    port = int(receiver.url().rpartition(":")[2].partition("/")[0])
    with Proxy(port) as road:
        for number in range(1, 7):
            if not fate_of(number).value[1]:
                with pytest.raises(requests.ConnectionError):
                    requests.post(f"{road.url}/{number}", timeout=5)
            else:
                assert requests.post(f"{road.url}/{number}", b"x", timeout=5).ok
    paths = [one.path for one in receiver.requests]
    assert paths == ["/1", "/2", "/4", "/5", "/5", "/6"]
