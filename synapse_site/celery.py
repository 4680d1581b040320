"""The Celery app. A Celery message is a doorbell; the database row is the work."""

import os

from celery import Celery
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "synapse_site.settings")

TRANSPORT_ALIASES["spool"] = "synapse_site.spool:Transport"

app = Celery("synapse")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(related_name="jobs")
