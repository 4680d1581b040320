"""Settings are parsed or refused at start, never half understood."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


def start(**variables: str) -> subprocess.CompletedProcess[str]:
    """What a process says that loads the settings with these variables."""
    return subprocess.run(
        [sys.executable, "-c", "import synapse_site.settings"],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_it_starts_with_what_the_tests_set() -> None:
    assert start().returncode == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SYNAPSE_LEASE_SECONDS", "-5"),
        ("SYNAPSE_MAX_FILES", "0"),
        ("SYNAPSE_MAX_TASK_DURATION", "soon"),
        ("SYNAPSE_SWEEP_SECONDS", "0"),
        ("SYNAPSE_SWEEP_SECONDS", "nan"),
        ("SYNAPSE_AGENT_ID", "no spaces"),
        ("SYNAPSE_RETRY_BACKOFF", "5,-1"),
        ("SYNAPSE_ALLOWED_PRIVATE_NETWORKS", "10.0.0.0/40"),
        ("CELERY_BROKER_URL", "amqp://localhost"),
        ("DEBUG", "perhaps"),
        ("SYNAPSE_APPS", "no_such_package"),
        ("SECRET_KEY", ""),
    ],
)
def test_it_refuses_to_start_and_names_the_variable(name: str, value: str) -> None:
    refused = start(**{name: value})
    assert refused.returncode != 0
    assert name in refused.stderr


def test_it_is_strict_about_cookies_behind_tls() -> None:
    code = (
        "from synapse_site import settings as s; print("
        "s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.SECURE_HSTS_SECONDS > 0)"
    )
    said = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"SYNAPSE_HTTPS": "on"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert said.stdout.split() == ["True", "True", "True"]


def test_it_finds_the_handlers_of_your_own_apps(tmp_path: Path) -> None:
    package = tmp_path / "shipping"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "agents.py").write_text("print('imported')")
    said = subprocess.run(
        [sys.executable, "-c", "import django; django.setup()"],
        env=os.environ
        | {
            "DJANGO_SETTINGS_MODULE": "synapse_site.settings",
            "SYNAPSE_APPS": "shipping",
            "PYTHONPATH": f"{tmp_path}{os.pathsep}{Path.cwd()}",
        },
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert said.stdout == "imported\n", said.stderr
