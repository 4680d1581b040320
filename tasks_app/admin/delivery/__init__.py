"""Callbacks: what was sent to whom, what came back, and sending it again."""

from tasks_app.admin.delivery.listing import DeliveryAdmin

__all__ = ["DeliveryAdmin"]
