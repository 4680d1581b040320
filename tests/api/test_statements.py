"""What a request costs the database (performance.md P1, P6)."""

from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.api.conftest import Program

pytestmark = pytest.mark.django_db(transaction=True)
POSTGRESQL = connection.vendor == "postgresql"
BODY = {"task_type": "probe_echo", "payload": {"a": 1}}


def _statements(action: Callable[[], object]) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        action()
    return [query["sql"] for query in captured]


def _transactions(statements: list[str]) -> int:
    """Each BEGIN, and each write on its own."""
    count, inside = 0, False
    for word in _first_words(statements):
        if word == "BEGIN" or (not inside and word != "SELECT"):
            count += 1
        inside = word == "BEGIN" or (inside and word != "COMMIT")
    return count


def _first_words(statements: list[str]) -> list[str]:
    return [sql.split(" ", 1)[0] for sql in statements]


@pytest.mark.parametrize("key", [None, "k"])
def test_it_submits_in_one_transaction_of_few_statements_p1(
    program: Program, key: str | None
) -> None:
    headers = {"Idempotency_Key": key} if key else {}
    found = _statements(lambda: program.post("/task", BODY, **headers))
    expected = (
        ["SELECT", "WITH"]
        if POSTGRESQL
        else ["SELECT", "BEGIN", "INSERT", "WITH", "COMMIT"]
    )
    assert _first_words(found) == expected
    assert _transactions(found) == 1


def test_it_submits_files_in_one_transaction_p1(program: Program) -> None:
    upload = SimpleUploadedFile("a.txt", b"x", "text/plain")
    parts = {"task_type": "probe_echo", "payload": "{}", "file": upload}
    found = _statements(lambda: program.form(parts))
    assert _transactions(found) == 1
    assert len(found) == (2 if POSTGRESQL else 6)


def test_it_reads_a_status_with_two_selects_p6(program: Program) -> None:
    task_id = program.submit()
    found = _statements(lambda: program.get(f"/task/{task_id}/status"))
    assert _first_words(found) == ["SELECT", "SELECT"]
    assert "payload" not in found[1]


def test_it_reads_an_unchanged_status_with_two_selects_p6(
    program: Program, asking: str
) -> None:
    path = f"/task/{asking}/status"
    etag = program.get(path)["ETag"]
    found = _statements(lambda: program.get(path, If_None_Match=etag))
    assert len(found) == 2


def test_it_refuses_a_wrong_key_with_one_select_g54(api_key: str) -> None:
    wrong = Program(api_key[:9] + "x" * 32)
    assert len(_statements(lambda: wrong.post("/task", BODY))) == 1


def test_it_lists_with_a_fixed_number_of_selects_p8(program: Program) -> None:
    for _ in range(3):
        program.submit()
    few = len(_statements(lambda: program.get("/tasks")))
    for _ in range(5):
        program.submit()
    assert len(_statements(lambda: program.get("/tasks"))) == few == 3


def test_it_does_not_count_what_a_page_tells_p8(program: Program) -> None:
    for _ in range(3):
        program.submit()
    whole = _statements(lambda: program.get("/tasks"))
    assert not any("COUNT" in sql for sql in whole)
    part = _statements(lambda: program.get("/tasks?limit=2"))
    (counting,) = [sql for sql in part if "COUNT" in sql]
    assert "LIMIT 10001" in counting
