"""What our processes say on standard error: LOG_LEVEL holds in all of them.

Levels are never below LOG_LEVEL: a quieter log stays quiet.
"""

import logging


class NoTicks(logging.Filter):
    """Keeps the line that beat writes for every sweep out of the log."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not str(record.msg).startswith("Scheduler: Sending due task")


def configuration(level: int) -> dict[str, object]:
    """Django's LOGGING for this level."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}
        },
        "filters": {"no_ticks": {"()": NoTicks}},
        "handlers": {
            "console": {"class": "logging.StreamHandler", "formatter": "line"}
        },
        "root": {"handlers": ["console"], "level": level},
        "loggers": _quieter(level) | {"celery.beat": {"filters": ["no_ticks"]}},
    }


def _quieter(level: int) -> dict[str, dict[str, object]]:
    least = {
        # A 4xx is an answer, not an incident.
        "django.request": logging.ERROR,
        "django.security": logging.ERROR,
        # A line for each bell: the tasks behind it write their own.
        "celery.worker.strategy": logging.WARNING,
        "celery.app.trace": logging.WARNING,
        # Their debug lines drown ours, or repeat what was sent.
        "celery.utils.functional": logging.INFO,
        "kombu": logging.INFO,
        "amqp": logging.INFO,
        "asyncio": logging.INFO,
        "charset_normalizer": logging.WARNING,
        "httpcore": logging.INFO,
        "httpx": logging.WARNING,
        "openai": logging.INFO,
        "urllib3": logging.INFO,
    }
    return {name: {"level": max(level, lowest)} for name, lowest in least.items()}
