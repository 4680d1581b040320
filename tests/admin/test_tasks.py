"""The list of tasks, one task with all that happened, and what can be done to it."""

import json

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.urls import reverse

from tasks_app import runner
from tasks_app.models import Attempt, Message, Task
from tests.admin.things import attachment, dead_letter, ended
from tests.factories import row, set_row, submitted

pytestmark = pytest.mark.django_db
LIST = reverse("admin:tasks_app_task_changelist")


def url(name: str, task) -> str:
    return reverse(f"admin:tasks_app_task_{name}", args=[task.id])


def listed(client, **query: str) -> list:
    return [task.pk for task in client.get(LIST, query).context["cl"].result_list]


def test_it_lists_the_newest_first(office, caller) -> None:
    first, second = submitted(caller), submitted(caller)
    assert listed(office) == [second.id, first.id]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"status": "failed"}, ["rejected", "failed"]),
        ({"status": "processing"}, ["need_human"]),
        ({"status": "received"}, ["pending"]),
        ({"state": "failed"}, ["failed"]),
        ({"status": "nonsense"}, []),
    ],
)
def test_it_filters_by_status(office, caller, query, expected) -> None:
    submitted(caller)
    for state in ("need_human", "failed", "rejected"):
        ended(caller, state)
    found = office.get(LIST, query).context["cl"].result_list
    assert [task.state for task in found] == expected


def test_it_finds_by_id_and_by_external_id(office, caller) -> None:
    submitted(caller)
    task = submitted(caller, external_task_id="INV-7")
    assert listed(office, q=str(task.id)) == [task.id]
    assert listed(office, q=" INV-7 ") == [task.id]
    assert listed(office, q="INV") == []


def test_it_searches_external_ids_by_index(office, caller) -> None:
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL picks its indexes by the size of the table")
    task = submitted(caller, external_task_id="INV-7")
    found = office.get(LIST, {"q": "INV-7"}).context["cl"].queryset
    assert "task_external" in found.explain()
    assert found.get().pk == task.id


def test_it_counts_no_further_than_anybody_pages(office, caller, monkeypatch) -> None:
    monkeypatch.setattr("tasks_app.admin.base.COUNT_UP_TO", 2)
    for _ in range(3):
        submitted(caller)
    assert office.get(LIST).context["cl"].result_count == 2


def test_it_asks_the_database_no_more_for_more_rows(
    office, caller, django_assert_num_queries
) -> None:
    submitted(caller)
    with django_assert_num_queries(6) as few:
        office.get(LIST)
    for _ in range(5):
        submitted(caller)
    with django_assert_num_queries(len(few.captured_queries)):
        assert len(listed(office)) == 6


def test_it_tells_the_history_in_order(office, caller) -> None:
    task = submitted(caller, "probe_progress")
    runner.drain("default")
    page = office.get(url("change", task))
    sent = Message.objects.filter(task=task.id).order_by("generation")
    told = page.context["log"].entries
    assert [entry.type for entry in told] == [one.type for one in sent]
    assert told[0].route == "caller acme → agent:synapse"
    assert "90 % · at 90" in [entry.headline for entry in told]


def test_it_tells_only_the_last_of_many_messages(office, caller, monkeypatch) -> None:
    monkeypatch.setattr("tasks_app.admin.task.timeline.SHOWN", 2)
    task = submitted(caller, "probe_progress")
    runner.drain("default")
    page = office.get(url("change", task))
    total = Message.objects.filter(task=task.id).count()
    assert told(page) == [total - 1, total]
    text = page.content.decode()
    assert f"{total - 1} to {total} of {total}." in text
    assert f'<a href="?before={total - 1}">Older ones</a>' in text
    older = office.get(url("change", task), {"before": total - 1})
    assert told(older) == [total - 3, total - 2]
    assert "The newest ones" in older.content.decode()


def told(page) -> list[int]:
    return [entry.generation for entry in page.context["log"].entries]


@pytest.mark.parametrize("before", ["x", "-1", "1" * 10, ""])
def test_it_knows_no_page_of_the_log_without_a_number(office, caller, before) -> None:
    page = office.get(url("change", submitted(caller)), {"before": before})
    assert page.status_code == 404


def test_it_reads_no_large_payload_only_to_cut_it(office, caller) -> None:
    task = submitted(caller, payload={"a": "x" * 20_000})
    page = office.get(url("change", task))
    [entry] = page.context["log"].entries
    assert entry.payload is None
    whole = reverse("admin:tasks_app_task_message", args=[task.id, 1])
    assert f'href="{whole}"' in page.content.decode()
    assert json.loads(office.get(whole).content)["payload"] == {"a": "x" * 20_000}


def test_it_shows_the_newest_of_whatever_a_task_has_many_of(
    office, caller, monkeypatch
) -> None:
    monkeypatch.setattr("tasks_app.admin.task.page.SHOWN", 1)
    task = submitted(caller, attachments=(attachment("a"), attachment("b")))
    for number in (1, 2):
        dead_letter(task, sequence=number)
        failed_attempt(task, number)
    page = office.get(url("change", task))
    assert [one["row"].number for one in page.context["attempts"]] == [2]
    assert [one.sequence for one in page.context["deliveries"]] == [2]
    assert len(page.context["files"]) == 1
    text = page.content.decode()
    assert f'/admin/tasks_app/delivery/?q={task.id}">Older ones' in text
    assert "Older ones are not shown." in text
    assert "More are not shown." in text


@pytest.mark.parametrize("part", ["payload", "result", "error"])
def test_it_gives_large_values_whole(office, caller, part) -> None:
    task = ended(caller)
    set_row(task, **{part: {"a": "<script>" * 50_000}})
    assert len(office.get(url("change", task)).content) < 300_000
    answer = office.get(reverse("admin:tasks_app_task_part", args=[task.id, part]))
    assert json.loads(answer.content) == {"a": "<script>" * 50_000}
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]


def test_it_gives_whole_values_only_to_who_may_see_them(enter, staff, ask) -> None:
    task = ask(level=2).task_id
    names = ("payload", "result")
    addresses = [reverse("admin:tasks_app_task_part", args=[task, n]) for n in names]
    log = reverse("admin:tasks_app_task_message", args=[task, 1])

    def seen(*rights: str) -> list[int]:
        client = enter(staff(*rights, name="-".join(rights)))
        return [client.get(one).status_code for one in [*addresses, log]]

    assert seen("view_humanrequest") == [403, 403, 403]
    assert seen("decide_level_2") == [200, 403, 403]
    assert seen("view_task") == [200, 200, 200]


@pytest.mark.parametrize("part", ["callback_token", "fingerprint", "pk"])
def test_it_gives_no_other_column(office, caller, part) -> None:
    task = submitted(caller)
    answer = office.get(reverse("admin:tasks_app_task_part", args=[task.id, part]))
    assert answer.status_code == 404


def test_it_shows_everything_that_hangs_on_a_task(office, caller) -> None:
    task = submitted(caller, attachments=(attachment("bill.pdf"),))
    set_row(task, callback_url="https://example.test/hook", callback_token="sealed")
    dead_letter(task)
    page = office.get(url("change", task)).content.decode()
    for text in (
        "bill.pdf",
        "https://example.test/hook",
        "Given up",
        "p2p:task_request",
    ):
        assert text in page
    assert "sealed" not in page
    assert 'href="https://example.test' not in page


def test_it_leads_to_the_questions_of_a_task(office, ask) -> None:
    question = ask(reason={"summary": "Pay?"})
    page = office.get(url("change", question.task))
    link = reverse("admin:tasks_app_humanrequest_decide", args=[question.pk])
    text = page.content.decode()
    assert f'<a href="{link}">Pay?</a>' in text
    assert f'<a href="{link}">Open the HiL request</a>' in text


def failed_attempt(task, number: int = 1) -> None:
    moment = row(task).created_at
    Attempt.objects.create(
        task_id=task.id,
        number=number,
        worker="w:1",
        started_at=moment,
        ended_at=moment,
        outcome="failed",
        trace="Traceback: hunter2",
    )


@pytest.mark.parametrize(
    ("rights", "seen"),
    [(["view_task"], False), (["view_task", "view_attempt"], True)],
)
def test_it_shows_traces_only_to_who_may_see_them(
    enter, staff, caller, rights, seen
) -> None:
    task = submitted(caller)
    failed_attempt(task)
    page = enter(staff(*rights)).get(url("change", task)).content.decode()
    assert ("hunter2" in page) is seen


def test_it_cancels_with_a_reason(office, caller, boss) -> None:
    task = submitted(caller)
    page = office.get(url("cancel", task))
    assert "Cancel this task?" in page.content.decode()
    answer = office.post(url("cancel", task), {"reason": "Sent twice."})
    assert answer.headers["location"] == url("change", task)
    assert row(task).state == "cancelled"
    sent = Message.objects.get(task=task.id, type="p2p:task_cancel")
    assert (sent.sender, sent.payload["reason"]) == ("desk:boss", "Sent twice.")
    assert LogEntry.objects.get(user=boss).object_id == str(task.id)


def test_it_cancels_nothing_that_has_ended(office, caller) -> None:
    task = ended(caller, "completed")
    answer = office.post(url("cancel", task), {"reason": ""})
    assert answer.status_code == 409
    assert "The task has already ended." in answer.content.decode()
    assert row(task).state == "completed"


def test_it_retries_as_a_new_task_and_shows_it(office, caller) -> None:
    task = ended(caller, payload={"a": 1})
    answer = office.post(url("retry", task))
    again = Task.objects.get(retry_of=task.id)
    assert answer.headers["location"] == reverse(
        "admin:tasks_app_task_change", args=[again.pk]
    )
    assert str(again.pk) in office.get(url("change", task)).content.decode()
    assert str(task.id) in office.get(answer.headers["location"]).content.decode()


def test_it_does_not_retry_a_live_task(office, caller) -> None:
    task = submitted(caller)
    assert "Submit it again" not in office.get(url("retry", task)).content.decode()
    assert office.post(url("retry", task)).status_code == 409
    assert Task.objects.count() == 1


@pytest.mark.parametrize(
    ("state", "offered", "hidden"),
    [("pending", "cancel", "retry"), ("completed", "retry", "cancel")],
)
def test_it_offers_only_what_the_state_allows(
    office, caller, state, offered, hidden
) -> None:
    task = ended(caller, state)
    page = office.get(url("change", task)).content.decode()
    assert url(offered, task) in page
    assert url(hidden, task) not in page


@pytest.mark.parametrize(
    "address", ["nonsense", "01a22eb4-0000-7000-8000-000000000000"]
)
def test_it_knows_no_page_for_an_unknown_task(office, address) -> None:
    assert office.get(f"/admin/tasks_app/task/{address}/change/").status_code == 404
