"""Who calls P2A: it owns keys, tasks, and the secret that signs its callbacks."""

from typing import ClassVar

from django.db import models
from rest_framework_api_key.models import AbstractAPIKey, BaseAPIKeyManager

from agents_app.protocol import ids


class Caller(models.Model):
    """A program that submits tasks. Tasks of one caller are invisible to all others."""

    id = models.UUIDField(primary_key=True, default=ids.new_id, editable=False)
    name = models.CharField(max_length=100, unique=True)
    # Sealed by the vault; the clear text is shown once, when it is made.
    callback_secret = models.TextField(blank=True, default="", editable=False)
    enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class CallerKey(AbstractAPIKey):
    """An API key, hashed at rest. Revoking works from the next request on."""

    caller = models.ForeignKey(Caller, on_delete=models.CASCADE, related_name="keys")

    objects: ClassVar[BaseAPIKeyManager] = BaseAPIKeyManager()  # type: ignore[assignment] # untyped base

    class Meta(AbstractAPIKey.Meta):
        verbose_name = "API key"
        verbose_name_plural = "API keys"
