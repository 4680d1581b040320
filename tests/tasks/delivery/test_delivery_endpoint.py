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
    ["http://A.example:80/x", "http://a.example/y", "http://a.example:00080/"],
)
def test_it_is_one_for_all_spellings_of_a_port(url):
    assert endpoint_of(url) == "http://a.example:80"


def test_it_refuses_a_port_of_many_zeros_at_submit():
    with pytest.raises(SynapseError) as refused:
        outbound.check_url(
            f"http://example.com:{'0' * 400}8080/", allowed_private=(), resolve=False
        )
    assert refused.value.code == Code.INVALID_FIELD
