"""The web process: granian serves this in WSGI mode."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "synapse_site.settings")

application = get_wsgi_application()
