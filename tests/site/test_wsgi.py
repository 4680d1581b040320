"""The web process loads in the order of its own, before Django is up."""

import os
import subprocess
import sys


def test_it_loads_in_a_fresh_process() -> None:
    loaded = subprocess.run(
        [sys.executable, "-c", "from synapse_site.wsgi import edge, application"],
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "synapse_site.settings"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert loaded.returncode == 0, loaded.stderr
