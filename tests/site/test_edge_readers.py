"""Looking for connections leaves all other files of the process alone."""

import fcntl
import subprocess
import sys
from pathlib import Path

from synapse_site.edge.limits import Limits
from synapse_site.edge.readers import Readers
from tests.site.edge_app import allowed

TRIES = """
import fcntl, sys
with open(sys.argv[1], "rb+") as file:
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit(7)
"""


def _is_locked(path: Path) -> bool:
    """As another process sees it."""
    tried = subprocess.run([sys.executable, "-c", TRIES, str(path)], check=False)
    assert tried.returncode in (0, 7)
    return tried.returncode == 7


def test_it_keeps_the_locks_of_the_process(tmp_path: Path) -> None:
    """SQLite has such ones: when they are lost, two processes write at once."""
    path = tmp_path / "database"
    path.touch()
    with path.open("rb+") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)
        readers = Readers(1, Limits(allowed=allowed))
        readers.look(0.0)
        readers.end_all()
        assert _is_locked(path)
    assert not _is_locked(path)
