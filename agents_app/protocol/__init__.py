"""The words agents and callers speak: pure Python, no clock, no I/O, no framework."""
