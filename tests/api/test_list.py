"""GET /tasks: strict filters, pages that fit together (G58, P2A 7.4)."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

import pytest
from django.db import connection
from django.db.models import Q
from pytest_django.fixtures import Settings

from agents_app.protocol.states import UNSUCCESSFUL, TaskState, public_status
from agents_app.protocol.times import rfc3339
from tasks_app.api import listing
from tasks_app.models import Caller, Task
from tests.api.conftest import Program, error_of, invalid_fields

Drain = Callable[[], None]


def _ids(program: Program, query: str = "") -> list[str]:
    response = program.get(f"/tasks?{query}")
    assert response.status_code == 200, response.content
    return [task["id"] for task in response.json()["tasks"]]


def test_it_lists_the_newest_first(program: Program) -> None:
    ids = [program.submit() for _ in range(3)]
    body = program.get("/tasks").json()
    assert [task["id"] for task in body.pop("tasks")] == ids[::-1]
    assert body == {
        "success": True,
        "total": 3,
        "limit": 20,
        "offset": 0,
        "has_more": False,
        "total_is_exact": True,
        "next_cursor": None,
    }


def test_it_lists_a_task_as_it_is_read(program: Program, asking: str) -> None:
    (listed,) = program.get("/tasks").json()["tasks"]
    assert listed == program.task(asking) | {"shortened": []}


def test_it_lists_nothing_for_who_has_nothing(program: Program) -> None:
    body = program.get("/tasks").json()
    assert (body["tasks"], body["total"], body["has_more"]) == ([], 0, False)


def test_it_pages_by_offset(program: Program) -> None:
    ids = [program.submit() for _ in range(5)][::-1]
    pages = [program.get(f"/tasks?limit=2&offset={n}").json() for n in (0, 2, 4)]
    assert [[t["id"] for t in page["tasks"]] for page in pages] == [
        ids[0:2],
        ids[2:4],
        ids[4:5],
    ]
    assert [page["has_more"] for page in pages] == [True, True, False]
    assert [page["total"] for page in pages] == [5, 5, 5]


def test_it_pages_by_cursor_while_tasks_arrive_g58(program: Program) -> None:
    ids = [program.submit() for _ in range(5)][::-1]
    seen, query = [], "limit=2"
    while query:
        page = program.get(f"/tasks?{query}").json()
        seen += [task["id"] for task in page["tasks"]]
        program.submit()
        cursor = page["next_cursor"]
        query = f"limit=2&cursor={cursor}" if page["has_more"] else ""
    assert seen == ids


def test_it_pages_over_tasks_of_the_same_moment(program: Program) -> None:
    ids = {program.submit() for _ in range(4)}
    Task.objects.update(created_at=datetime(2026, 1, 1, tzinfo=UTC))
    first = program.get("/tasks?limit=3").json()
    rest = program.get(f"/tasks?limit=3&cursor={first['next_cursor']}").json()
    seen = [task["id"] for task in first["tasks"] + rest["tasks"]]
    assert len(seen) == 4
    assert set(seen) == ids


def test_it_knows_the_total_behind_the_end(program: Program) -> None:
    program.submit()
    body = program.get("/tasks?offset=7").json()
    assert (body["tasks"], body["total"], body["has_more"]) == ([], 1, False)


def test_it_stops_counting_somewhere_p8(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "COUNTED", 3)
    for _ in range(5):
        program.submit()
    start = program.get("/tasks?limit=1").json()
    assert (start["total"], start["total_is_exact"]) == (3, False)
    deep = program.get("/tasks?limit=1&offset=3").json()
    assert (deep["total"], deep["has_more"]) == (5, True)
    end = program.get("/tasks?limit=1&offset=4").json()
    assert (end["total"], end["total_is_exact"]) == (5, True)


@pytest.mark.parametrize("status", sorted(listing.STATES_OF))
def test_it_filters_by_the_five_statuses(program: Program, status: str) -> None:
    for state in TaskState:
        Task.objects.filter(pk=program.submit()).update(state=state)
    states = {
        t["a2a_state"] for t in program.get(f"/tasks?status={status}").json()["tasks"]
    }
    assert states == {str(s) for s in TaskState if public_status(s) == status}


def test_it_filters_by_what_was_submitted(program: Program) -> None:
    wanted = program.submit("probe_sleep", priority="low", external_task_id="a b")
    program.submit(priority="high", external_task_id="a")
    for query in ("task_type=probe_sleep", "priority=low", "external_task_id=a%20b"):
        assert _ids(program, query) == [wanted]
    assert _ids(program, "priority=low&external_task_id=a") == []
    assert program.get("/tasks?priority=low").json()["total"] == 1


def test_it_filters_by_time(program: Program) -> None:
    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    ids = [program.submit() for _ in range(3)]
    for hours, task_id in enumerate(ids):
        at = noon + timedelta(hours=hours)
        Task.objects.filter(pk=task_id).update(created_at=at)
    one, two = (quote(rfc3339(noon + timedelta(hours=h))) for h in (1, 2))
    assert _ids(program, f"created_after={one}") == [ids[2], ids[1]]
    assert _ids(program, f"created_before={two}") == [ids[1], ids[0]]
    assert _ids(program, f"created_after={one}&created_before={two}") == [ids[1]]
    assert _ids(program, "created_after=2026-01-01T14:00:00%2B01:00") == [
        ids[2],
        ids[1],
    ]


@pytest.mark.parametrize(
    "query",
    [
        "colour=blue",
        "status__in=completed",
        "payload__x=1",
        "caller=1",
        "caller_id=1",
        "state=completed",
        "page=2",
        "order_by=id",
        "Limit=1",
        "=1",
    ],
)
def test_it_refuses_parameters_it_does_not_know_g58(
    program: Program, query: str
) -> None:
    error = error_of(program.get(f"/tasks?{query}"), 400)
    assert error["code"] == 1017
    assert error["details"]["unknown"] == [query.partition("=")[0]]
    assert "status" in error["details"]["known"]


@pytest.mark.parametrize(
    "query",
    [
        "status=done",
        "status=human_deciding",
        "status=' OR 1=1",
        "status=",
        "status=completed&status=failed",
        "priority=0",
        "priority=NORMAL",
        "task_type=",
        "task_type=%00",
        "external_task_id=a%00",
        "created_after=yesterday",
        "created_after=2026-01-01",
        "created_after=2026-01-01T00:00:00",
        "created_after=0001-01-01T00:00:00%2B14:00",
        "created_before=1767225600",
        "limit=0",
        "limit=-1",
        "limit=abc",
        "limit=1e6",
        "limit=1.0",
        "limit=%2B5",
        "limit=%EF%BC%95",
        "limit=" + "9" * 30,
        "limit=",
        "offset=-1",
        "offset=100000000000000000000",
        "offset=4294967296",
        "offset=x",
        "cursor=x",
        "cursor=1-",
        "cursor=99999999999999999999-" + "0" * 32,
        "cursor=1-" + "0" * 32 + "&offset=1",
    ],
)
def test_it_refuses_values_that_are_none_g58(program: Program, query: str) -> None:
    fields = invalid_fields(program.get(f"/tasks?{query}"))
    assert len(fields) == 1
    assert next(iter(fields)) in query


def test_it_caps_the_limit_g58(program: Program) -> None:
    body = program.get("/tasks?limit=1000000").json()
    assert body["limit"] == listing.MAX_LIMIT == 100


@pytest.mark.parametrize(
    "text", ["' OR 1=1 --", "%", "_", "\\", "日本", "a" * 5000, '{"a":1}']
)
def test_it_takes_filter_texts_literally_g58(program: Program, text: str) -> None:
    program.submit(external_task_id="something")
    assert _ids(program, f"external_task_id={quote(text)}") == []
    assert _ids(program, f"task_type={quote(text)}") == []


def test_it_goes_on_from_any_cursor_it_could_have_given(program: Program) -> None:
    program.submit()
    for moment in ("0", "9" * 16):
        cursor = f"{moment}-{'f' * 32}"
        assert program.get(f"/tasks?cursor={cursor}").status_code == 200


def test_it_takes_the_key_beside_the_filters(
    nobody: Program, api_key: str, settings: Settings
) -> None:
    assert _ids(nobody, f"status=completed&api_key={api_key}") == []


def test_it_knows_which_states_the_small_index_holds() -> None:
    (index,) = (one for one in Task._meta.indexes if one.name == "task_unsuccessful")
    assert index.condition == Q(state__in=[str(state) for state in UNSUCCESSFUL])
    listed = {*listing.STATES_OF["failed"], *listing.STATES_OF["cancelled"]}
    assert listed == set(UNSUCCESSFUL)


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_it_finds_what_is_rare_by_a_small_index_p8(caller: Caller, status: str) -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            # An empty table is read faster without any index.
            cursor.execute("SET LOCAL enable_seqscan = off")
    own = Task.objects.filter(caller_id=caller.pk)
    found = listing.TaskFilter({"status": status}, own).qs
    assert "task_unsuccessful" in found.order_by("-created_at", "-id").explain()
