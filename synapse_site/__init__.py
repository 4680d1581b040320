"""Composition only. The Celery app is exposed so that Django loads it at start."""

from synapse_site.celery import app as celery_app

__all__ = ["celery_app"]
