"""LOG_LEVEL decides, in processes of Celery too."""

import logging
import os
import subprocess
import sys

from synapse_site import logs

CODE = """
import logging
from synapse_site.celery import app
app.log.setup(loglevel="WARNING")
logging.getLogger("shipping.agents").debug("weighs it")
logging.getLogger("celery.utils.functional").debug("def advance(lane)")
logging.getLogger("celery.app.trace").info("Task succeeded")
"""


def said(level: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        env=os.environ | {"LOG_LEVEL": level},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stderr


def test_it_reaches_a_celery_process() -> None:
    assert "DEBUG shipping.agents: weighs it" in said("DEBUG")
    assert said("INFO") == ""


def test_it_keeps_noisy_libraries_quiet() -> None:
    assert said("DEBUG").count("\n") == 1


def test_it_never_says_more_than_was_asked_for() -> None:
    loggers = logs.configuration(logging.CRITICAL)["loggers"]
    levels = {one["level"] for one in loggers.values() if "level" in one}
    assert levels == {logging.CRITICAL}


def test_it_leaves_out_the_ticks_of_beat() -> None:
    keep = logs.NoTicks().filter
    assert not keep(_line("Scheduler: Sending due task %s (%s)"))
    assert keep(_line("beat: Starting..."))


def _line(text: str) -> logging.LogRecord:
    return logging.LogRecord("celery.beat", logging.INFO, "", 0, text, None, None)
