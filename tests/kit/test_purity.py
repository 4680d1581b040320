"""The kits load where no Django is; docs/agents.md says what they need."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]

PROGRAM = """
import sys

class Blocked:
    names = {"django", "rest_framework", "celery", "kombu", "redis", "tasks_app"}

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in self.names:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
import agents_app.conformance, agents_app.kit
print(*sorted(name for name in sys.modules if name.startswith("agents_app.")))
"""


def test_they_need_the_protocol_and_nothing_else_of_synapse() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    packages = {name.split(".")[1] for name in done.stdout.split()}
    assert packages == {"protocol", "kit", "conformance"}
