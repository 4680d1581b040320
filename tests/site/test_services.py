"""The machinery of `make test` itself: what it finds, starts, insists on."""

from pathlib import Path

import psycopg
import pytest
import redis

from tests import run, services


@pytest.fixture
def bare_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of the three programs is there."""
    for name in services.FINDERS:
        monkeypatch.setitem(services.FINDERS, name, lambda: None)
    monkeypatch.delenv("SYNAPSE_TEST_REQUIRE", raising=False)


@pytest.mark.usefixtures("bare_machine")
class TestMissing:
    def test_it_skips_with_the_reason(self):
        with pytest.raises(pytest.skip.Exception, match="redis was not found"):
            services.require_or_skip("redis")

    def test_it_fails_where_the_service_is_insisted_on(self, monkeypatch):
        monkeypatch.setenv("SYNAPSE_TEST_REQUIRE", "chromium, redis")

        with pytest.raises(pytest.fail.Exception, match="redis was not found"):
            services.require_or_skip("redis")

    def test_it_refuses_to_run_without_what_is_insisted_on(self, monkeypatch):
        monkeypatch.setenv("SYNAPSE_TEST_REQUIRE", "postgres")

        with pytest.raises(ValueError, match="postgres was not found"):
            run.require(["embedded"])

    def test_it_leaves_the_production_stack_out_with_the_reason(self):
        run.require(["embedded", "production"])

        assert "postgres was not found" in services.lacking()
        assert "redis was not found" in services.lacking()

    def test_it_does_not_pass_an_asked_for_stack_that_cannot_run(self):
        with pytest.raises(ValueError, match="STACK=production cannot run"):
            run.require(["production"])


def test_it_refuses_a_service_it_does_not_know(monkeypatch):
    monkeypatch.setenv("SYNAPSE_TEST_REQUIRE", "redis,rabbitmq")

    with pytest.raises(ValueError, match="rabbitmq"):
        services.required()


def test_it_refuses_a_stack_it_does_not_know():
    with pytest.raises(ValueError, match="cloud"):
        run.require(["cloud"])


def test_it_finds_a_program_where_it_is(monkeypatch):
    monkeypatch.setitem(services.FINDERS, "redis", lambda: Path("/bin/redis"))

    assert services.require_or_skip("redis") == Path("/bin/redis")


def test_it_starts_an_empty_postgres_and_takes_it_away():
    with services.postgres() as url, psycopg.connect(url) as connection:
        (tables,) = connection.execute(
            "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
        ).fetchone()
        assert tables == 0

    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url, connect_timeout=2)


def test_it_starts_an_empty_redis_and_takes_it_away():
    with services.redis() as url, redis.Redis.from_url(url) as client:
        assert client.dbsize() == 0

    with redis.Redis.from_url(url) as client, pytest.raises(redis.ConnectionError):
        client.ping()
