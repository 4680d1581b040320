"""The product as it is measured: its own settings and handlers that do nothing."""
