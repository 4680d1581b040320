"""The Celery app. A Celery message is a doorbell; the database row is the work."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "synapse_site.settings")

app = Celery("synapse")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(related_name="jobs")
