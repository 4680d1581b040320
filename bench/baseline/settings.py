"""The product's database and broker settings with nothing else of the product.

Generous to the bare views: one middleware, no authentication, connections kept. The
hand-written worker runs with Celery's defaults for Django.
"""

import os

from synapse_site.settings import *  # noqa: F403
from synapse_site.settings import DATA_DIR, DATABASES

if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["NAME"] = str(DATA_DIR / "baseline.sqlite3")
# The hand-written version has Redis also where Synapse needs none (goal P10).
CELERY_BROKER_URL = os.environ["BENCH_HANDMADE_BROKER"]
if CELERY_BROKER_URL.startswith("redis:"):
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, object] = {}
CELERY_TASK_DEFAULT_QUEUE = "handmade"
# Celery's default: a database connection a job.
CELERY_DB_REUSE_MAX: int | None = None
CELERY_BEAT_SCHEDULE: dict[str, object] = {}
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "rest_framework",
    "rest_framework_api_key",
    "bench.baseline.apps.BaselineConfig",
]
MIDDLEWARE = ["django.middleware.common.CommonMiddleware"]
ROOT_URLCONF = "bench.baseline.urls"
WSGI_APPLICATION = "bench.baseline.wsgi.application"
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "UNAUTHENTICATED_USER": None,
}
