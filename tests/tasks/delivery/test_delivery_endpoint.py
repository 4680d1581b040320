"""The endpoint of a callback fits its column: else its lane would stand still."""

import pytest

from agents_app import outbound
from agents_app.protocol.errors import Code, SynapseError
from tasks_app.callbacks import endpoint_of
from tasks_app.models import Delivery

LENGTH = Delivery._meta.get_field("endpoint").max_length


@pytest.mark.parametrize(
    "url",
    [
        f"http://127.0.0.1:{'0' * 400}8080/cb",
        f"http://{'a' * 1000}.example/",
        "http://" + "\u00ad" * 1000 + "a.example:08080/",
    ],
)
def test_it_fits_whatever_the_url_looks_like(url):
    assert len(endpoint_of(url)) <= LENGTH


@pytest.mark.parametrize(
    "url",
    [
        "http://A.example:80/x",
        "http://a.example/y",
        "http://a.example:00080/",
        "HTTP://a.EXAMPLE./",
        "http://\uff21.example/",
    ],
)
def test_it_is_one_for_all_spellings_of_a_name(url):
    assert endpoint_of(url) == "http://a.example:80"


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "017700000001",
        "127.0.0.1.",
        "localhost",
        "LOCALHOST.",
        "any.localhost",
        "[::ffff:127.0.0.1]",
        "[::FFFF:7f00:1]",
        "[0:0:0:0:0:ffff:7f00:0001]",
        "\uff11\uff12\uff17.0.0.1",
    ],
)
def test_it_is_one_for_all_spellings_of_an_address_g24(host):
    assert endpoint_of(f"https://{host}/x") == "https://127.0.0.1:443"


@pytest.mark.parametrize("host", ["[::1]", "[0::0:1]", "[0:0:0:0:0:0:0:1]"])
def test_it_is_one_for_all_spellings_of_an_ipv6_address_g24(host):
    assert endpoint_of(f"http://{host}:8009/") == "http://[::1]:8009"


def test_it_refuses_a_port_of_many_zeros_at_submit():
    with pytest.raises(SynapseError) as refused:
        outbound.check_url(f"http://example.com:{'0' * 400}8080/", allowed_private=())
    assert refused.value.code == Code.INVALID_FIELD
