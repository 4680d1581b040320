"""What each message does to a task: pure functions from a snapshot to a change.

    attempts.py  what a worker says: begin, report, finish, try again
    desk.py      what people say: cancel, answer, claim, release, decide
    votes.py     what they decide together
    climbing.py  from hand to hand and from level to level
    steps.py     the moves they are made of

No clock, no database, no settings: `now` and a `Policy` come in as arguments.
"""
