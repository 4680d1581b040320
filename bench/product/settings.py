"""The product's settings, and one more app with the handlers of the benchmark."""

from synapse_site.settings import *  # noqa: F403
from synapse_site.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "bench.product"]
