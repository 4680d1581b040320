"""The door of callers: P2A over HTTP (seed 003), under `addresses.PREFIX`.

middleware.py   every request under /api/: no session, no cookie, no internals
urls.py         which address is which action
views/          parse, one verb, answer
accepting.py, auth.py  does the client take JSON, and who is it
bodies.py, uploads.py, names.py   reading what was sent, within its limits
requests.py, submitting.py        what a caller may ask, checked
listing.py      GET /tasks: filters, pages, cursor
select.py, reading.py, listed.py, presenting.py  rows → what a caller sees
responses.py, openapi.py          the same, described
errors.py, rendering.py           every answer leaves here
"""
