"""In front of Django: request lines that it cannot build a request from.

Django reads the Content-Type before any middleware runs, and for some values (an
unknown charset in a parameter, `charset=rot13` beside a query) it raises there. Such a
header is dropped, and the door answers 415 (G50).
"""

import re
from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

_MAX_LENGTH = 1000
_PLAIN = re.compile(
    r"""[\w.+-]++/[\w.+-]++(?:[ \t]*+;[ \t]*+[\w-]++=(?:"[^"\\]*+"|[^\s;"]++))*+""",
    re.ASCII,
)
_CHARSET = re.compile(r";[ \t]*charset=\"?([^\";]*)", re.IGNORECASE)


def guarded(application: WSGIApplication) -> WSGIApplication:
    """The application, which now sees only a Content-Type that can be read."""

    def guard(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        if not _readable(environ.get("CONTENT_TYPE") or ""):
            environ["CONTENT_TYPE"] = ""
        return application(environ, start)

    return guard


def _readable(content_type: str) -> bool:
    """Whether it is of plain form and, where it names a charset, of UTF-8."""
    if not content_type:
        return True
    if len(content_type) > _MAX_LENGTH or not _PLAIN.fullmatch(content_type):
        return False
    charsets = {text.strip().lower() for text in _CHARSET.findall(content_type)}
    return charsets <= {"utf-8", "utf8"}
