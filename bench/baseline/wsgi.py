import os

from django.core.wsgi import get_wsgi_application

from synapse_site.edge.edge import Edge
from synapse_site.edge.limits import Allowance, Limits

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bench.baseline.settings")

application = get_wsgi_application()
edge = Edge(application, Limits(allowed=lambda _: Allowance(bytes=1024 * 1024)))
