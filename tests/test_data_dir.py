"""A test run leaves nothing behind."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def folder_after(code: str) -> Path:
    """The folder that the code prints, when its process has ended."""
    command = [sys.executable, "-c", f"import os\nfrom tests import data_dir\n{code}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return Path(done.stdout.strip())


def test_its_folder_is_gone_with_the_process() -> None:
    folder = folder_after(
        "made = data_dir.make(); open(made + '/a', 'w').close(); print(made)"
    )
    assert folder.is_absolute()
    assert not folder.exists()


def test_its_folder_outlives_a_process_that_was_forked() -> None:
    forked = "import sys; made = data_dir.make(); pid = os.fork(); pid or sys.exit()"
    waited = "os.waitpid(pid, 0); print(made if os.path.isdir(made) else '')"
    assert folder_after(f"{forked}\n{waited}").is_absolute()
