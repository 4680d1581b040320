"""Running attempts: a worker slot hears a bell and drains its lane.

slot      claim a batch, run each, settle them together
host      what a handler reaches of the world: reports, steps, files
keeper    one thread a process: renews leases, notices cancels, stops the stuck
settling  writes an outcome while its attempt is live
pace      how many tasks make a batch
"""

from tasks_app.runner.keeper import keeper
from tasks_app.runner.slot import drain

__all__ = ["drain", "keeper"]
