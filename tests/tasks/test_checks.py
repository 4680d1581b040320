"""System checks: stable ids, and the settings that cause them."""

import pytest
from django.core import checks
from django.test import override_settings

from tasks_app import secrets

# Newer versions of Django ask the database what it can do.
pytestmark = pytest.mark.django_db


def found(*, deploy=False, **changed):
    """The ids of our own checks with these settings."""
    secrets.vault.cache_clear()
    try:
        with override_settings(**changed):
            messages = checks.run_checks(include_deployment_checks=deploy)
    finally:
        secrets.vault.cache_clear()
    return {one.id: one for one in messages if (one.id or "").startswith("synapse.")}


def test_it_has_nothing_against_good_settings():
    assert found(deploy=True, SYNAPSE_REQUIRE_API_KEY=True) == {}


@pytest.mark.parametrize("keys", [[], ["no key"], ["ä" * 44]])
def test_it_refuses_to_start_without_a_usable_key(keys):
    """E001: fail closed, and do not print the key."""
    message = found(SYNAPSE_ENCRYPTION_KEYS=keys)["synapse.E001"]
    assert message.is_serious()
    assert "no key" not in message.msg
    assert "ä" not in message.msg


@pytest.mark.parametrize(("lease", "renew", "wrong"), [(60, 30, False), (60, 31, True)])
def test_it_wants_room_for_a_renewal_in_each_lease(lease, renew, wrong):
    """E002."""
    ids = found(SYNAPSE_LEASE_SECONDS=lease, SYNAPSE_LEASE_RENEW_SECONDS=renew)
    assert ("synapse.E002" in ids) is wrong


def test_it_warns_of_open_doors_where_strangers_are():
    """W001: P2A 5.1 lets everybody in while no key exists."""
    assert "synapse.W001" in found(deploy=True, SYNAPSE_REQUIRE_API_KEY=False)
    assert "synapse.W001" not in found(deploy=False, SYNAPSE_REQUIRE_API_KEY=False)
    assert "synapse.W001" not in found(deploy=True, SYNAPSE_REQUIRE_API_KEY=True)


@pytest.mark.parametrize(
    "changed", [{"SYNAPSE_CALLBACK_SCHEDULE": ()}, {"SYNAPSE_CALLBACK_PER_ENDPOINT": 0}]
)
def test_it_wants_callbacks_to_get_out(changed):
    """E003."""
    [name] = changed
    assert name in found(**changed)["synapse.E003"].msg
