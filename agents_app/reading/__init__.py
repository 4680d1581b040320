"""Documents of strangers, read in a process of their own.

handler → `calling` → a child process (`child`) → `pages` or `invoices` → back as JSON

PDFium is C and cannot be interrupted, and a regular expression of a template holds the
interpreter for as long as it runs. In a child both have limits, and an end.
"""


class Unreadable(Exception):
    """The document cannot be read, now or later. Its text is safe to show."""
