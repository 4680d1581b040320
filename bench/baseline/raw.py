"""Raw Celery without Django: what the broker and the pool cost by themselves."""

import os
import time

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

TRANSPORT_ALIASES["spool"] = "synapse_site.spool:Transport"

app = Celery("raw", broker=os.environ["BENCH_BROKER"], set_as_current=False)
app.conf.update(
    broker_transport_options=(
        {"folder": os.environ["BENCH_SPOOL"]}
        if os.environ["BENCH_BROKER"].startswith("spool:")
        else {}
    ),
    broker_connection_retry_on_startup=True,
    task_default_queue="raw",
    task_ignore_result=True,
    worker_prefetch_multiplier=1,
    worker_enable_remote_control=False,
    worker_send_task_events=False,
)


@app.task(name="bench.noop")
def noop() -> None:
    """Nothing at all."""


@app.task(name="bench.mark")
def mark(path: str) -> None:
    """Tell when this was reached: the last message of a backlog."""
    line = f"{time.time()}\n".encode()
    log = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(log, line)
    os.close(log)
