"""Addresses that people type."""

import pytest
from django.test import Client


def test_the_bare_address_leads_to_the_admin(client: Client) -> None:
    answer = client.get("/")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/admin/")


@pytest.mark.parametrize("slash", ["", "/"])
def test_the_docs_are_found_with_and_without_a_slash(
    client: Client, slash: str
) -> None:
    assert client.get(f"/api/v1/synapse/docs{slash}").status_code == 200
