"""`make run`: everything it takes to start Synapse on one machine; see `start`."""
