"""All settings, from the environment, parsed strictly in this one file.

The embedded setup (no DATABASE_URL, no CELERY_BROKER_URL) needs no server: SQLite
and a broker made of files in the data folder. Naming the two URLs switches to
PostgreSQL and Redis; nothing else changes.
"""

import logging
from datetime import timedelta
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from synapse_site import databases, logs
from synapse_site import env as environment

BASE_DIR = Path(__file__).resolve().parent.parent
env, DATA_DIR = environment.read(BASE_DIR / "data")

# -- Process ---------------------------------------------------------------------
DEBUG = env.bool("DEBUG", False)
SECRET_KEY = env.str("SECRET_KEY", "")
if not SECRET_KEY:
    raise ImproperlyConfigured(
        "SECRET_KEY is not set. `make run` writes one into its data folder; another "
        f"folder than {DATA_DIR} is named by SYNAPSE_DATA_DIR. Elsewhere set "
        "SECRET_KEY to 50 or more random characters."
    )
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", ["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", [])

# -- Database --------------------------------------------------------------------
DATABASES = {
    "default": databases.configured(
        env.str("DATABASE_URL", "") or f"sqlite:///{DATA_DIR / 'synapse.sqlite3'}",
        pooler=env.bool("SYNAPSE_POOLER", False),
    )
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# -- Broker ----------------------------------------------------------------------
BROKER_DIR = DATA_DIR / "broker"
CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", "") or "spool://localhost"
environment.check_broker(CELERY_BROKER_URL)
EMBEDDED_BROKER = CELERY_BROKER_URL.startswith("spool:")
# Bounded: a silent Redis costs a submit both of them once, then it is left alone (G08).
FLAG_SECONDS = 0.5
BELL_SECONDS = 1.0
# The bell flags ("a bell is outstanding in this lane") lie beside the bells.
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    "bells": (
        {
            "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
            "LOCATION": str(DATA_DIR / "bells"),
        }
        if EMBEDDED_BROKER
        else {
            "BACKEND": "synapse_site.flags.RedisFlags",
            "LOCATION": CELERY_BROKER_URL,
            "OPTIONS": {
                "socket_connect_timeout": FLAG_SECONDS,
                "socket_timeout": FLAG_SECONDS,
            },
        }
    ),
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {"folder": str(BROKER_DIR)}
    if EMBEDDED_BROKER
    # One try: kombu would wait two seconds before another.
    else {
        "socket_connect_timeout": BELL_SECONDS,
        "socket_timeout": BELL_SECONDS,
        "max_retries": 0,
    }
)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_TASK_DEFAULT_QUEUE = "courier"
CELERY_TASK_PUBLISH_RETRY = False
# Recovery comes from leases in the database, so bells are acknowledged early.
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
# Optimization: by default the connection would be reopened around every job.
CELERY_DB_REUSE_MAX = 1_000_000
SYNAPSE_SWEEP_SECONDS = env.above_0("SYNAPSE_SWEEP_SECONDS", "10")
# How often each peer hears that we are there; three missed ones mean gone (G35).
SYNAPSE_HEARTBEAT_SECONDS = env.above_0("SYNAPSE_HEARTBEAT_SECONDS", "30")
# How often we look into the mailboxes of peers that cannot call us.
SYNAPSE_FETCH_SECONDS = env.above_0("SYNAPSE_FETCH_SECONDS", "2.0")
CELERY_BEAT_SCHEDULE = {
    "sweep": {
        "task": "synapse.sweep",
        "schedule": SYNAPSE_SWEEP_SECONDS,
        # A sweep that nobody took in time is not worth catching up on.
        "options": {"expires": 60},
    },
    "heartbeat": {
        "task": "synapse.heartbeat",
        "schedule": SYNAPSE_HEARTBEAT_SECONDS,
        # The next one says more than a late one.
        "options": {"expires": SYNAPSE_HEARTBEAT_SECONDS},
    },
    "mailboxes": {
        "task": "synapse.mailboxes",
        "schedule": SYNAPSE_FETCH_SECONDS,
        "options": {"expires": SYNAPSE_FETCH_SECONDS},
    },
}
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "beat-schedule")

# -- Synapse ---------------------------------------------------------------------
SYNAPSE_AGENT_ID = env.name("SYNAPSE_AGENT_ID", "synapse")
SYNAPSE_AGENT_NAME = env.str("SYNAPSE_AGENT_NAME", "Synapse")
SYNAPSE_ENCRYPTION_KEYS: list[str] = env.list("SYNAPSE_ENCRYPTION_KEYS", [])

# Access
SYNAPSE_REQUIRE_API_KEY = env.bool("SYNAPSE_REQUIRE_API_KEY", not DEBUG)
SYNAPSE_ALLOW_QUERY_API_KEY = env.bool("SYNAPSE_ALLOW_QUERY_API_KEY", True)

# Attempts (seconds)
SYNAPSE_LEASE_SECONDS = env.at_least_1("SYNAPSE_LEASE_SECONDS", "60")
SYNAPSE_LEASE_RENEW_SECONDS = env.at_least_1("SYNAPSE_LEASE_RENEW_SECONDS", "20")
SYNAPSE_RETRY_BACKOFF = env.seconds("SYNAPSE_RETRY_BACKOFF", "5,30")
SYNAPSE_STOP_GRACE_SECONDS = env.above_0("SYNAPSE_STOP_GRACE_SECONDS", "10.0")
SYNAPSE_MAX_TASK_DURATION = env.at_least_1("SYNAPSE_MAX_TASK_DURATION", "3600")
SYNAPSE_MAX_QUEUE_SECONDS = env.at_least_1("SYNAPSE_MAX_QUEUE_SECONDS", "86400")
SYNAPSE_ANSWER_SECONDS = env.at_least_1("SYNAPSE_ANSWER_SECONDS", "86400")
SYNAPSE_MAX_CONCURRENT_TASKS = env.at_least_1("SYNAPSE_MAX_CONCURRENT_TASKS", "10000")
# A worker claims quick tasks together, as many as should take this long in all.
SYNAPSE_BATCH_MILLISECONDS = env.int("SYNAPSE_BATCH_MILLISECONDS", 50)

# Input limits (bytes unless named)
SYNAPSE_MAX_BODY_SIZE = env.at_least_1("SYNAPSE_MAX_BODY_SIZE", "1048576")
SYNAPSE_MAX_FILE_SIZE = env.at_least_1("SYNAPSE_MAX_FILE_SIZE", "20971520")
SYNAPSE_MAX_FILES = env.at_least_1("SYNAPSE_MAX_FILES", "10")
SYNAPSE_MAX_UPLOAD_SIZE = env.at_least_1("SYNAPSE_MAX_UPLOAD_SIZE", "33554432")
# Slow clients: a body must come, and an answer be taken, within these seconds, and one
# more for every so many bytes. Beyond that the connection is ended.
SYNAPSE_STALL_SECONDS = env.above_0("SYNAPSE_STALL_SECONDS", "30")
SYNAPSE_MIN_RATE = env.above_0("SYNAPSE_MIN_RATE", "4096")
SYNAPSE_IDEMPOTENCY_SECONDS = env.at_least_1("SYNAPSE_IDEMPOTENCY_SECONDS", "86400")

# Peers (seconds)
# How long a peer may take to confirm before the task is offered to another one.
SYNAPSE_CONFIRM_SECONDS = env.int("SYNAPSE_CONFIRM_SECONDS", 120)
# How long a peer that fell silent may come back before the tasks it runs have failed.
SYNAPSE_PEER_GRACE_SECONDS = env.int("SYNAPSE_PEER_GRACE_SECONDS", 300)
# How many requests of one peer each web process takes in a minute, at any pace.
SYNAPSE_PEER_MESSAGES_PER_MINUTE = env.at_least_1(
    "SYNAPSE_PEER_MESSAGES_PER_MINUTE", "6000"
)
# Where peers reach this node: the base of the links to files in our messages.
SYNAPSE_PUBLIC_URL = env.str("SYNAPSE_PUBLIC_URL", "") or (
    # The embedded setup is one machine.
    f"http://127.0.0.1:{env.int('PORT', 8000)}" if EMBEDDED_BROKER else ""
)

# Callbacks
SYNAPSE_CALLBACK_SCHEDULE = env.seconds(
    "SYNAPSE_CALLBACK_SCHEDULE",
    "0,5,300,1800,7200,18000,36000,50400,72000,86400",
)
SYNAPSE_CALLBACK_CONNECT_SECONDS = env.above_0(
    "SYNAPSE_CALLBACK_CONNECT_SECONDS", "5.0"
)
SYNAPSE_CALLBACK_TOTAL_SECONDS = env.above_0("SYNAPSE_CALLBACK_TOTAL_SECONDS", "15.0")
# At most this many requests at a time to one scheme://host:port (G24).
SYNAPSE_CALLBACK_PER_ENDPOINT = env.at_least_1("SYNAPSE_CALLBACK_PER_ENDPOINT", "4")
SYNAPSE_ALLOWED_PRIVATE_NETWORKS = env.networks(
    "SYNAPSE_ALLOWED_PRIVATE_NETWORKS",
    # The embedded setup is one machine: its callers' receivers are on loopback.
    "127.0.0.0/8,::1/128" if EMBEDDED_BROKER else "",
)

# -- Django ----------------------------------------------------------------------
INSTALLED_APPS = [
    "unfold",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_filters",
    "rest_framework",
    # Only for its abstract model; its own key table stays empty.
    "rest_framework_api_key",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "agents_app.apps.AgentsConfig",
    "tasks_app.apps.TasksConfig",
    # Where people keep their own handlers.
    *env.apps("SYNAPSE_APPS", ""),
]
MIDDLEWARE = [
    # First: requests under /api/ go no further down this list.
    "tasks_app.api.middleware.ApiMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    # Last: it sees what the views of the admin raise.
    "tasks_app.admin.middleware.SafetyNet",
]
ROOT_URLCONF = "synapse_site.urls"
WSGI_APPLICATION = "synapse_site.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "/static/"
# Static files are found in the installed packages: nothing to collect at start.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False
STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": DATA_DIR / "files", "file_permissions_mode": 0o600},
    },
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage",
    },
}
# Files come in by the API alone, which has a handler of its own. This one keeps what
# fits into memory and passes over the rest: a form of the admin writes no file.
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]
FILE_UPLOAD_MAX_MEMORY_SIZE = 256 * 1024
DATA_UPLOAD_MAX_MEMORY_SIZE = SYNAPSE_MAX_BODY_SIZE
# Behind a proxy with TLS, which must set X-Forwarded-Proto itself.
SYNAPSE_HTTPS = env.bool("SYNAPSE_HTTPS", False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = SYNAPSE_HTTPS
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if SYNAPSE_HTTPS else 0
# Subdomains and browsers' preload lists are for the owner of the domain to decide.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
if SYNAPSE_HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_AGE = int(timedelta(hours=12).total_seconds())
SECURE_CONTENT_TYPE_NOSNIFF = True
# Not "no-referrer": browsers then send forms with `Origin: null`, which the CSRF check
# refuses. Answers of the API, whose addresses may carry a key, say it themselves.
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["tasks_app.api.auth.CallerAuthentication"],
    # The authentication answers or raises: there is nobody left to refuse.
    "DEFAULT_PERMISSION_CLASSES": [],
    # Bodies are read by tasks_app.api.bodies.
    "DEFAULT_PARSER_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "tasks_app.api.errors.exception_handler",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Synapse P2A API",
    "DESCRIPTION": "Submit tasks to agents, follow them, answer what they ask.",
    "VERSION": "1.0.0",
    # The shapes are JSON Schema 2020-12, which only 3.1 can hold.
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": "/api/v1/synapse",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

LOG_LEVEL = env.log_level("LOG_LEVEL", logging.INFO)
LOGGING = logs.configuration(LOG_LEVEL)

LOGIN_REDIRECT_URL = "admin:index"
# The console's frame; what stands in it is made per request in `navigation`.
UNFOLD = {
    "SITE_TITLE": "Synapse",
    "SITE_HEADER": "Synapse",
    "SITE_SYMBOL": "hub",
    "SHOW_VIEW_ON_SITE": False,
    # Calm beside the green and red of decisions; white on 600 has a contrast of 6.3.
    "COLORS": {
        "primary": {
            "50": "oklch(96.2% .018 272.314)",
            "100": "oklch(93% .034 272.788)",
            "200": "oklch(87% .065 274.039)",
            "300": "oklch(78.5% .115 274.713)",
            "400": "oklch(67.3% .182 276.935)",
            "500": "oklch(58.5% .233 277.117)",
            "600": "oklch(51.1% .262 276.966)",
            "700": "oklch(45.7% .24 277.023)",
            "800": "oklch(39.8% .195 277.366)",
            "900": "oklch(35.9% .144 278.697)",
            "950": "oklch(25.7% .09 281.288)",
        }
    },
    "SITE_FAVICONS": [
        {
            "rel": "icon",
            "type": "image/svg+xml",
            "href": "tasks_app.admin.navigation.icon",
        }
    ],
    "STYLES": ["tasks_app.admin.navigation.stylesheet"],
    "SCRIPTS": ["tasks_app.admin.navigation.script"],
    "DASHBOARD_CALLBACK": "tasks_app.admin.overview.overview",
    "SIDEBAR": {"navigation": "tasks_app.admin.navigation.sidebar"},
    "TABS": "tasks_app.admin.navigation.tabs",
}
