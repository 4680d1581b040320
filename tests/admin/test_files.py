"""Files of a task are downloads, for who may see them, and never run (G57)."""

import pytest
from django.core.files.storage import default_storage
from django.urls import reverse

from tasks_app import storage
from tests.admin.things import attachment
from tests.factories import submitted

pytestmark = pytest.mark.django_db


def url(task, file) -> str:
    return reverse("admin:tasks_app_task_file", args=[task.id, file.id])


def download(client, task, file):
    answer = client.get(url(task, file))
    if answer.status_code != 200:
        return answer, b""
    try:
        return answer, b"".join(answer.streaming_content)
    finally:
        answer.close()


def test_it_downloads_a_file_inert_g57(enter, staff, caller) -> None:
    file = attachment("bill.html", b"<script>alert(1)</script>")
    task = submitted(caller, attachments=(file,))
    answer, data = download(enter(staff("view_attachment")), task, file)
    assert data == b"<script>alert(1)</script>"
    assert answer.headers["content-disposition"] == 'attachment; filename="bill.html"'
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"].startswith("sandbox")
    assert "no-store" in answer.headers["cache-control"]


def test_it_tames_a_hostile_file_name_g57(office, caller) -> None:
    file = attachment('a"\r\nX-Evil: 1\u202e.exe', b"x")
    task = submitted(caller, attachments=(file,))
    answer, _ = download(office, task, file)
    assert answer.status_code == 200
    assert "x-evil" not in answer.headers
    assert "\u202e" not in answer.headers["content-disposition"]


def test_it_needs_the_right_to_see_files(enter, staff, caller) -> None:
    file = attachment()
    task = submitted(caller, attachments=(file,))
    answer, _ = download(enter(staff("view_task")), task, file)
    assert answer.status_code == 403


def test_it_does_not_find_the_file_of_another_task(office, caller) -> None:
    file = attachment()
    submitted(caller, attachments=(file,))
    answer, _ = download(office, submitted(caller), file)
    assert answer.status_code == 404


def test_it_does_not_find_a_file_that_is_gone(office, caller) -> None:
    file = attachment()
    task = submitted(caller, attachments=(file,))
    default_storage.delete(storage.name_of(file.id))
    answer, _ = download(office, task, file)
    assert answer.status_code == 404


def test_it_links_files_on_the_decide_page_only_to_who_may_see_them(
    enter, staff, ask
) -> None:
    file = attachment("bill.pdf")
    question = ask(task={"attachments": (file,)})
    link = reverse("admin:tasks_app_task_file", args=[question.task_id, file.id])
    decide = reverse("admin:tasks_app_humanrequest_decide", args=[question.pk])
    seen = enter(staff("decide_level_1", "view_attachment")).get(decide)
    hidden = enter(staff("decide_level_1", name="nora")).get(decide)
    assert link in seen.content.decode()
    assert link not in hidden.content.decode()
    assert "bill.pdf" in hidden.content.decode()
