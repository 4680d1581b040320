"""G07: bells that were lost."""

from datetime import timedelta

from django.utils import timezone

from tasks_app.sweep import sweep
from tests.factories import set_row, submitted
from tests.tasks.ledger.planning import begun


def test_it_rings_again_for_work_whose_bell_was_lost(
    caller, bells, django_capture_on_commit_callbacks
):
    """G07."""
    submitted(caller)
    submitted(caller, "probe_other_lane")
    with django_capture_on_commit_callbacks(execute=True):
        sweep()
    assert sorted(ring[2] for ring in bells) == ["lane.default", "lane.gpu"]


def test_it_does_not_ring_for_what_is_not_ready(
    caller, bells, django_capture_on_commit_callbacks
):
    later = submitted(caller)
    set_row(later, ready_at=timezone.now() + timedelta(minutes=1))
    begun(submitted(caller))
    with django_capture_on_commit_callbacks(execute=True):
        sweep()
    assert bells == []
