"""The mailbox itself: pages, and staying until acknowledged (docs/protocol.md)."""

from agents_app.conformance.mail import Mail
from agents_app.conformance.speaker import Json, Speaker
from agents_app.conformance.verdicts import Findings, Found


def check(me: Speaker, mail: Mail) -> Findings:
    mail.fetch()
    asked = [me.envelope("capability_query", {}) for _ in range(2)]
    for query in asked:
        me.send(query)
    waiting = [name for name in (_answer_to(me, query) for query in asked) if name]
    yield Found("both answers wait", "2", str(len(waiting)))
    names = _ids(me)
    yield Found("they wait after they were read", "yes", _yes(set(waiting) <= names))
    yield from _pages(me)
    if len(waiting) == 2:
        yield from _acknowledging(me, *waiting)
    for query, code in (
        ({"limit": "0"}, 1011),
        ({"limit": "many"}, 1011),
        ({"after": "never was"}, 1011),
        ({"colour": "red"}, 1017),
    ):
        yield Found(f"asked with {query}", f"nack {code}", _get(me, query))
    mail.fetch()


def _pages(me: Speaker) -> Findings:
    page = me.get("/messages", {"limit": "1"}).payload
    yield Found("messages on a page of one", "1", str(len(page["messages"])))
    first = page["messages"][0]["message_id"]
    yield Found("the next page begins after it", "yes", _yes(page["next"] == first))
    rest = me.get("/messages", {"after": first}).payload["messages"]
    after = {message["message_id"] for message in rest}
    whole = {first} | after == _ids(me) and first not in after
    yield Found("the pages together are all", "yes", _yes(whole))


def _acknowledging(me: Speaker, first: str, second: str) -> Findings:
    yield Found("ack of one", "ack", me.say("ack", {"message_id": first}).text)
    names = _ids(me)
    left = first not in names and second in names
    yield Found("it is gone, the other one is there", "yes", _yes(left))
    error = {"code": 4001, "message": "Not for me."}
    refused = me.say("nack", {"message_id": second, "error": error}).text
    yield Found("nack of the other", "ack", refused)
    yield Found("it is gone", "yes", _yes(second not in _ids(me)))
    again = me.say("ack", {"message_id": first}).text
    yield Found("ack of what is gone", "ack", again)
    never = me.say("ack", {"message_id": "never was"}).text
    yield Found("ack of what never was", "ack", never)


def _answer_to(me: Speaker, query: Json) -> str | None:
    for message in me.get("/messages", {"limit": "100"}).payload["messages"]:
        if message.get("in_reply_to") == query["message_id"]:
            return str(message["message_id"])
    return None


def _ids(me: Speaker) -> set[str]:
    page = me.get("/messages", {"limit": "100"}).payload
    return {message["message_id"] for message in page["messages"]}


def _get(me: Speaker, query: dict[str, str]) -> str:
    return me.get("/messages", query).text


def _yes(it_is: bool) -> str:
    return "yes" if it_is else "no"
