"""Retry: a new task like one that has ended."""

import pytest
from django.core.files.storage import default_storage

from agents_app.protocol.errors import Code, SynapseError
from tasks_app import storage
from tasks_app.models import Attachment, Task
from tasks_app.retrying import retry
from tests.admin.things import attachment, ended
from tests.factories import row, set_row, submitted

pytestmark = pytest.mark.django_db
BY = "desk:olga"


def test_it_submits_the_same_for_the_same_caller(caller) -> None:
    wanted = {
        "payload": {"a": [1, None]},
        "priority": "high",
        "external_task_id": "INV-7",
        "callback_url": "https://example.test/hook",
        "callback_token": "sealed",
        "callback_events": ("progress",),
    }
    old = ended(caller, **wanted)
    new = row(retry(old.id, BY))
    same = {name: getattr(new, name) for name in wanted}
    assert same == wanted | {"callback_events": ["progress"]}
    assert (new.caller, new.state, new.retry_of_id) == (caller, "pending", old.id)


def test_it_leaves_the_old_task_as_it_is(caller) -> None:
    old = ended(caller)
    before = Task.objects.filter(pk=old.id).values().get()
    retry(old.id, BY)
    assert Task.objects.filter(pk=old.id).values().get() == before


def test_it_copies_input_files_under_new_ids(caller) -> None:
    file = attachment("bill.pdf", b"the bytes")
    old = ended(caller, attachments=(file,))
    new = retry(old.id, BY)
    copy = Attachment.objects.get(task_id=new.id)
    assert copy.pk != file.id
    assert (copy.name, copy.size, copy.sha256) == ("bill.pdf", 9, file.sha256)
    default_storage.delete(storage.name_of(file.id))
    with default_storage.open(storage.name_of(copy.pk)) as kept:
        assert kept.read() == b"the bytes"


def test_it_leaves_result_files_behind(caller) -> None:
    old = ended(caller, attachments=(attachment(),))
    Attachment.objects.update(kind=Attachment.Kind.RESULT)
    assert not Attachment.objects.filter(task_id=retry(old.id, BY).id).exists()


@pytest.mark.parametrize("state", ["completed", "failed", "cancelled", "rejected"])
def test_it_retries_whatever_has_ended(caller, state) -> None:
    assert row(retry(ended(caller, state).id, BY)).state == "pending"


def test_it_does_not_retry_a_live_task(caller) -> None:
    with pytest.raises(SynapseError) as refused:
        retry(submitted(caller).id, BY)
    assert refused.value.code is Code.ILLEGAL_TRANSITION
    assert Task.objects.count() == 1


def test_it_does_not_know_a_stranger(db) -> None:
    with pytest.raises(SynapseError) as refused:
        retry(storage.uuid.uuid4(), BY)
    assert refused.value.code is Code.TASK_NOT_FOUND


def files_on_disk() -> set[str]:
    folders, _ = default_storage.listdir("")
    return {name for one in folders for name in default_storage.listdir(one)[1]}


def test_it_leaves_no_copy_behind_when_the_submit_is_refused(caller) -> None:
    old = ended(caller, attachments=(attachment(),))
    set_row(old, task_type="gone")
    before = files_on_disk()
    with pytest.raises(SynapseError) as refused:
        retry(old.id, BY)
    assert refused.value.code is Code.UNKNOWN_TASK_TYPE
    assert files_on_disk() == before


def test_it_does_not_go_without_a_lost_file(caller) -> None:
    first, second = attachment(), attachment()
    old = ended(caller, attachments=(first, second))
    default_storage.delete(storage.name_of(second.id))
    before = files_on_disk()
    with pytest.raises(SynapseError) as refused:
        retry(old.id, BY)
    assert refused.value.code is Code.FILE_NOT_FOUND
    assert files_on_disk() == before
