"""Loads `agents.py` of every installed app, so that its `@handles` take effect."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class AgentsConfig(AppConfig):
    name = "agents_app"
    verbose_name = "Agents"

    def ready(self) -> None:
        autodiscover_modules("agents")
