"""Django's SQLite backend with checkpoints that nobody can get in the way of.

SQLite 3.7.0 to 3.51.2 (except 3.44.6 and 3.50.7) may lose committed transactions in WAL
mode: when a commit starts the log anew while a checkpoint runs, right after another one
that was complete, a later checkpoint takes new frames for written. It is rare by
itself, but here every connection of every process would checkpoint after its commits,
one right after the other. So none does (`wal_autocheckpoint=0`): whoever begins a
transaction while the log is long has it written first, under the write lock that it
just took. Then nobody can commit meanwhile.
"""
