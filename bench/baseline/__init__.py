"""What Synapse is measured against: bare views, raw Celery, a hand-written gateway."""
