"""The Celery app. A Celery message is a doorbell; the database row is the work."""

import os
import warnings

from celery import Celery
from celery.exceptions import SecurityWarning
from celery.signals import setup_logging
from django.conf import settings
from django.utils.log import configure_logging
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "synapse_site.settings")

TRANSPORT_ALIASES["spool"] = "synapse_site.spool:Transport"

# Sixteen lines at each start. Bells are JSON, so they cannot carry code.
warnings.filterwarnings("ignore", "You're running the worker with", SecurityWarning)

app = Celery("synapse")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(related_name="jobs")


@setup_logging.connect
def _log_like_django(**_: object) -> None:
    """Being connected keeps Celery from its own set-up, which ignores LOG_LEVEL."""
    configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)
