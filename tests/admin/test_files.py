"""Files of a task are downloads, for who may see them, and never run (G57)."""

import pytest
from django.core.files.storage import default_storage
from django.urls import reverse

from tasks_app import storage
from tasks_app.models import Attachment, Question
from tests.admin.forms import decide_url
from tests.admin.things import attachment
from tests.factories import submitted

pytestmark = pytest.mark.django_db
TURNED = "bill\N{RIGHT-TO-LEFT OVERRIDE}fdp.exe"


def test_it_shows_no_name_that_looks_like_another_g71(office, ask) -> None:
    question = ask(task={"attachments": (attachment(TURNED),)})
    pages = (
        reverse("admin:tasks_app_task_change", args=[question.task_id]),
        decide_url(question),
    )
    for page in pages:
        text = office.get(page).content.decode()
        assert "bill\N{REPLACEMENT CHARACTER}fdp.exe" in text
        assert TURNED not in text


def url(task, file) -> str:
    return reverse("admin:tasks_app_task_file", args=[task.id, file.id])


def kept_file(task):
    """A file that joined the task, and the task."""
    file = attachment()
    row = Attachment.objects.create(
        id=file.id,
        task=task,
        kind=file.kind,
        name=file.name,
        content_type=file.content_type,
        size=file.size,
        sha256=file.sha256,
        created_at=file.created_at,
    )
    return task, row


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


def decide_page(question) -> str:
    return reverse("admin:tasks_app_humanrequest_decide", args=[question.pk])


@pytest.mark.parametrize(
    ("level", "right", "opens"),
    [
        (1, "decide_level_1", True),
        (2, "decide_level_1", False),
        (1, "view_humanrequest", False),
        (1, "provide_info", False),
    ],
)
def test_it_opens_the_files_of_a_request_to_who_may_decide_it(
    enter, staff, ask, level, right, opens
) -> None:
    file = attachment("bill.pdf")
    question = ask(task={"attachments": (file,)}, level=level)
    client = enter(staff(*{right, "view_humanrequest"}))
    address = reverse("admin:tasks_app_task_file", args=[question.task_id, file.id])
    page = client.get(decide_page(question)).content.decode()
    assert "bill.pdf" in page
    assert (address in page) is opens
    answer = client.get(address)
    answer.close()
    assert answer.status_code == (200 if opens else 403)


@pytest.mark.parametrize(("kind", "status"), [("info", 200), ("human", 403)])
def test_it_opens_the_files_of_an_info_request_to_who_supplies_facts(
    enter, staff, ask_info, kind, status
) -> None:
    task, file = kept_file(ask_info("colour").task)
    Question.objects.update(kind=kind)
    answer, _ = download(enter(staff("provide_info")), task, file)
    assert answer.status_code == status
