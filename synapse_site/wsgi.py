"""The web process: granian serves this in WSGI mode."""

import os

from django.core.wsgi import get_wsgi_application

from synapse_site import databases
from tasks_app.api.entry import guarded

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "synapse_site.settings")
databases.serve_web()

application = guarded(get_wsgi_application())
