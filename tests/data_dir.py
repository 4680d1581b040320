"""The data folder of a test run that was not given one."""

import atexit
import os
import shutil
import tempfile


def make() -> str:
    """A folder that is gone when this process ends, but not when one forked from it."""
    folder, owner = tempfile.mkdtemp(prefix="synapse-tests-"), os.getpid()

    def remove() -> None:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    return folder
