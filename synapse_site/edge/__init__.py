"""The web edge: granian in front, Django behind, and nobody slow in between.

    granian → worker → Edge → Call → (Upload) → WSGI application → answer
                         ↑
              worker's ticks: bodies and readers that take too long are ended

A thread is taken only by a request that is complete. Bodies that still come and files
that still go lie with granian, which waits for thousands of sockets in one thread.
Why it is built like this: docs/decisions/0002-web-edge.md.
"""
