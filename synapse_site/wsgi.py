"""The web process: `edge` is what the Procfile serves, `application` plain WSGI."""

import gc
import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from synapse_site import databases
from synapse_site.edge.edge import Edge
from synapse_site.edge.limits import Limits
from synapse_site.refusals import allowed, refusal
from tasks_app.api.entry import guarded

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "synapse_site.settings")
databases.serve_web()

application = guarded(get_wsgi_application())
edge = Edge(
    application,
    Limits(
        seconds=settings.SYNAPSE_STALL_SECONDS,
        rate=settings.SYNAPSE_MIN_RATE,
        folder=settings.FILE_UPLOAD_TEMP_DIR,
        allowed=allowed,
        refusal=refusal,
    ),
)

# Optimization: what is loaded by now stays for good, so the collector need not look
# through it with each request; nor as often, for requests leave few circles behind.
gc.freeze()
gc.set_threshold(20_000, 20, 20)
