"""`--long`: pages of GET /tasks for a caller with few tasks and one with many (P8).

Both callers' tasks lie in the same table, so that the rounds can be interleaved.
"""

import uuid
from collections.abc import Callable
from dataclasses import replace

from django.db import connection

from bench.load import Sample, send
from bench.measures import Bench
from bench.rounds import Line, compare, interleave
from bench.subject import Product, caller_with_key
from tasks_app.api.listing import cursor_after
from tasks_app.models import Task

FEW, MANY = 10_000, 200_000
_COPIES = {
    "postgresql": (
        "gen_random_uuid()",
        "created_at - n * interval '1 second'",
        "generate_series(1, %s) AS n",
    ),
    "sqlite": (
        "lower(hex(randomblob(16)))",
        "datetime(created_at, '-' || n || ' seconds')",
        "(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s "
        "WHERE n < %s) SELECT n FROM s)",
    ),
}


def lists(bench: Bench) -> list[Line]:
    """The first page, one by cursor and one by offset in the middle of the list."""
    few, many = (owner_of(count, bench.product) for count in (FEW, MANY))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    places = {
        "first page": lambda owner, count: "tasks",
        "deep page by cursor": _by_cursor,
        "deep page by offset": lambda owner, count: f"tasks?offset={count // 2}",
    }
    lines = []
    for what, path in places.items():
        measures: dict[str, Callable[[], Sample]] = {
            "many": _reader(bench, many, path(many, MANY)),
            "few": _reader(bench, few, path(few, FEW)),
        }
        taken = interleave(bench.scale.rounds, measures)
        lines.append(
            compare(
                f"list, {what}: {MANY:,} tasks, vs {FEW:,}",
                [sample.p50 for sample in taken["many"]],
                [sample.p50 for sample in taken["few"]],
                "ms",
                goal="P8" if "offset" not in what else "",
                must=1.5 if "offset" not in what else None,
                at_most=True,
            )
        )
    return lines


def owner_of(count: int, product: Product) -> Product:
    """A caller with that many copies of a completed task."""
    caller_id, key = caller_with_key()
    names = [f.column for f in Task._meta.fields if f.column != "idempotency_key"]
    new_id, created_at, numbers = _COPIES[connection.vendor]
    values = {"id": new_id, "created_at": created_at, "caller_id": "%s"}
    picked = [values.get(name, name) for name in names]
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO tasks_app_task ({', '.join(names)}) "  # noqa: S608
            f"SELECT {', '.join(picked)} FROM tasks_app_task, {numbers} WHERE id = %s",
            [_id(caller_id), count, _id(product.one_completed())],
        )
    return replace(product, caller_id=caller_id, key=key)


def _by_cursor(owner: Product, count: int) -> str:
    own = Task.objects.filter(caller_id=owner.caller_id)
    row = own.order_by("-created_at", "-id").values("created_at", "id")[count // 2]
    return f"tasks?cursor={cursor_after(row)}"


def _reader(bench: Bench, owner: Product, path: str) -> Callable[[], Sample]:
    load = owner.read_load(path, bench.scale.reads_seconds, connections=1)
    return lambda: send(load)


def _id(value: uuid.UUID) -> object:
    """As the database spells it."""
    return Task._meta.pk.get_db_prep_value(value, connection)
