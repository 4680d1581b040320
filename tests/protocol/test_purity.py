"""The protocol loads where no framework is installed."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

PROGRAM = """
import importlib, pkgutil, sys

class Blocked:
    names = {"django", "rest_framework", "celery", "kombu", "redis", "requests"}

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
import agents_app.protocol
for module in pkgutil.iter_modules(agents_app.protocol.__path__):
    importlib.import_module(f"agents_app.protocol.{module.name}")
    print(module.name)
"""


def test_it_imports_without_any_framework():
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert {"errors", "envelope", "signing", "jsontext"} <= set(done.stdout.split())
