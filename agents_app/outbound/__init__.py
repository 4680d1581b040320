"""The only HTTP client of the product: callbacks and A2A messages leave through here,
and files of other agents come in.

`check_url` judges a URL when somebody hands it in, without DNS; `post` looks its name
up, judges where it leads and sends;
`get` does the same for a file or a mailbox that is kept elsewhere.
The path of one `post`: `target` reads the URL, `gate` asks `resolver` and `addresses`
whether its addresses may be reached, `connection` opens a socket to exactly one of
those, `wire` gives every read and write what is left of the budget, `client` speaks
HTTP and returns a `reply`.

Why the standard library's `http.client`, and not requests with requests-hardened: that
filter pins the address and stops redirects, but it knows no exception besides
loopback, tries one address only, looks names up without a limit, and its timeouts are
per read, so a receiver that drips one byte a second keeps the sender for ever. With
these replaced, what is left of requests are things to switch off again: proxies from
the environment, netrc, cookies, redirects, decompression. `http.client` has none of
them, and it limits the length of lines and the number of headers by itself.

Nothing is shared between calls but the TLS settings: one call, one socket, closed at
the end. Any number of threads may call at once; no signals are used.
"""

from agents_app.outbound.client import get, post
from agents_app.outbound.gate import check_url
from agents_app.outbound.headers import fits_header
from agents_app.outbound.reply import Reply
from agents_app.outbound.target import endpoint_of
from agents_app.outbound.trouble import Trouble

FILE_SECONDS = 60.0
"""Budget, in seconds, of one request that carries a file: 20 MiB at 3 Mbit/s."""

__all__ = [
    "FILE_SECONDS",
    "Reply",
    "Trouble",
    "check_url",
    "endpoint_of",
    "fits_header",
    "get",
    "post",
]
