"""Secrets at rest: sealed by the first key, opened by any of them."""

import pytest

from agents_app.vault import Vault, VaultError, new_key


@pytest.mark.parametrize("text", ["", "whsec_abc", "令牌 🔑", "x" * 10_000])
def test_it_opens_what_it_sealed(text):
    vault = Vault([new_key()])
    assert vault.open(vault.seal(text)) == text


def test_it_hides_the_text_and_seals_differently_each_time():
    vault = Vault([new_key()])
    first, second = vault.seal("callback-token"), vault.seal("callback-token")
    assert first != second
    assert "callback-token" not in first
    assert first.isascii()


def test_it_still_opens_with_an_old_key_and_seals_with_the_new():
    old, new = new_key(), new_key()
    sealed_before = Vault([old]).seal("secret")
    rotated = Vault([new, old])
    assert rotated.open(sealed_before) == "secret"
    assert Vault([new]).open(rotated.seal("secret")) == "secret"


def test_it_opens_nothing_with_a_foreign_key():
    sealed = Vault([new_key()]).seal("secret")
    with pytest.raises(VaultError):
        Vault([new_key()]).open(sealed)


@pytest.mark.parametrize("token", ["", "plain text", "gAAAAA", "令牌", "a=b=c"])
def test_it_opens_nothing_that_was_not_sealed(token):
    with pytest.raises(VaultError):
        Vault([new_key()]).open(token)


def test_it_notices_a_changed_token():
    vault = Vault([new_key()])
    sealed = vault.seal("secret")
    middle = len(sealed) // 2
    changed = "A" if sealed[middle] != "A" else "B"
    with pytest.raises(VaultError):
        vault.open(sealed[:middle] + changed + sealed[middle + 1 :])


@pytest.mark.parametrize("keys", [[], ["short"], [""], ["令牌"], ["x" * 44]])
def test_it_starts_with_no_wrong_key(keys):
    with pytest.raises(VaultError) as caught:
        Vault(keys)
    assert not any(key and key in str(caught.value) for key in keys)


def test_it_makes_a_new_key_each_time():
    assert new_key() != new_key()
