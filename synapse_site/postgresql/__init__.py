"""Django's PostgreSQL backend with bounds: no statement waits for ever for an answer.

    settings.DATABASES → base.DatabaseWrapper → driver.connect → BoundedConnection

A server that accepts connections and says nothing (halted, swapping, behind a dead
network) never runs into its own `statement_timeout`, and its kernel goes on to confirm
what TCP sends: only the client can notice.
"""
