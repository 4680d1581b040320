import os

from django.core.wsgi import get_wsgi_application

from synapse_site.edge.edge import Edge

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bench.baseline.settings")

application = get_wsgi_application()
edge = Edge(application)
