"""The hand-written worker: a Celery message a task, the ORM, every step logged."""

import os
import time

from celery import Celery
from django.utils import timezone
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bench.baseline.settings")
TRANSPORT_ALIASES["spool"] = "synapse_site.spool:Transport"

app = Celery("handmade", set_as_current=False)
app.config_from_object("django.conf:settings", namespace="CELERY")


@app.task(name="bench.work")
def work(pk: int) -> None:
    # The models need the settings that the worker loads after this module.
    from bench.baseline.models import LogEntry, Row

    row = Row.objects.get(pk=pk)
    row.state = "executing"
    row.started_at = time.time()
    row.save()
    LogEntry.objects.create(row=row, type="executing", payload={})
    row.result = {"at": row.started_at}
    row.state, row.progress, row.completed_at = "completed", 100, timezone.now()
    row.save()
    LogEntry.objects.create(row=row, type="completed", payload=row.result)
