"""A WSGI application and the limits that hold in front of it: what `worker` serves."""

from synapse_site.edge.call import Call
from synapse_site.edge.limits import Limits
from synapse_site.edge.waiting import Waiting
from synapse_site.edge.wire import Application, Watcher


class Edge:
    """One a process."""

    def __init__(self, application: Application, limits: Limits) -> None:
        self.application = application
        self.limits = limits
        self.waiting = Waiting()

    def handle(self, watcher: Watcher) -> None:
        """granian calls this for each request, in a thread of its pool."""
        Call(self.application, self.limits, self.waiting, watcher).begin()
