"""The whole invoice task: questions, decisions, levels, booking."""

import json
from decimal import Decimal

import pytest

import agents_app.agents  # noqa: F401 - Declares the handlers.
from agents_app.handlers.invoice_approval.deciding import level_for
from agents_app.protocol.errors import Code
from agents_app.testing import approve, modify, reject, run_handler, select, task_file
from tests.agents.papers import EXAMPLES, pdf

PAYLOAD = {
    "vendor": "Inky & Sons",
    "invoice_number": "7",
    "date": "2024-05-31",
    "amount": 5000,
    "currency": "EUR",
}


def play(name="invoice.pdf", *answers, **payload):
    files = [task_file(EXAMPLES / name)]
    return run_handler("invoice_approval", payload, files=files, answers=answers)


def test_it_approves_alone_up_to_the_limit():
    played = play(limit=1512.5)
    assert played.questions == ()
    assert played.result["approved"] is True
    assert played.result["decision"] == "auto"
    assert played.result["decided_by"] is None


def test_it_asks_a_person_above_the_limit():
    (question,) = play(limit=1512.49).questions
    assert question.escalation_level == 1
    assert question.reason["amount"] == 1512.5
    assert question.reason["limit"] == 1512.49
    assert question.reason["summary"] == (
        "Quillfeather Paper Ltd asks for 1,512.50 EUR, more than the limit of 1,512.49."
    )
    assert [option.id for option in question.options] == ["approve", "reject"]
    assert question.suggested_value["invoice_number"] == "QF-2024-0117"
    assert set(question.decision_schema["properties"]) == set(PAYLOAD)


@pytest.mark.parametrize("answer", [approve("Fine."), select("approve", "Fine.")])
def test_it_books_what_a_person_approved(answer):
    played = play("invoice.pdf", answer)
    assert played.result["decision"] == "approved"
    assert (played.result["decided_by"], played.result["comment"]) == (
        "tester",
        "Fine.",
    )
    (receipt,) = played.host.attached
    assert receipt.id == played.result["receipt_file_id"]
    assert json.loads(receipt.data)["amount"] == 1512.5
    assert json.loads(receipt.data)["decided_by"] == "tester"


@pytest.mark.parametrize("answer", [reject("No."), select("reject", "No.")])
def test_it_completes_without_booking_what_a_person_rejected(answer):
    played = play("invoice.pdf", answer)
    assert played.result["approved"] is False
    assert played.result["decision"] == "rejected"
    assert played.result["receipt_file_id"] is None
    assert played.outcome.payload.summary == "Rejected by tester."
    assert played.host.attached == []


def test_it_takes_over_what_a_person_changed():
    played = play("invoice.pdf", modify({"amount": 1400.25, "vendor": "Quillfeather"}))
    assert played.result["decision"] == "modified"
    assert played.result["amount"] == 1400.25
    assert played.result["sources"]["amount"] == "operator"
    assert played.result["sources"]["date"] == "document"
    assert played.outcome.payload.summary == "Booked, approved with changes by tester."
    assert json.loads(played.host.attached[0].data)["vendor"] == "Quillfeather"


def test_only_what_a_person_changed_comes_from_them():
    (question,) = play("invoice.pdf").questions
    whole_form = dict(question.suggested_value) | {"amount": 1400}
    sources = play("invoice.pdf", modify(whole_form)).result["sources"]
    assert sources.pop("amount") == "operator"
    assert set(sources.values()) == {"document"}


def test_a_form_that_comes_back_unchanged_is_an_approval():
    (question,) = play("invoice.pdf").questions
    played = play("invoice.pdf", modify(dict(question.suggested_value)))
    assert played.result["decision"] == "approved"


@pytest.mark.parametrize(
    "answer",
    [
        modify({"amount": "much"}),
        modify({"date": "31/05/2024"}),
        modify({"colour": "red"}),
        modify([1]),
        select("perhaps"),
    ],
)
def test_it_asks_again_when_a_decision_cannot_be_used(answer):
    played = play("invoice.pdf", answer, approve())
    assert len(played.questions) == 2
    assert "could not be used" in played.questions[1].reason["note"]
    assert played.result["decision"] == "approved"
    assert played.result["amount"] == 1512.5


def test_it_gives_up_on_decisions_it_can_never_use():
    played = play("invoice.pdf", *[modify({"amount": -1})] * 3)
    assert played.error.code == Code.HANDLER_FAILED
    assert not played.outcome.retryable


def test_a_change_over_the_level_needs_that_level():
    played = play("invoice.pdf", modify({"amount": 20_000}), approve())
    assert [question.escalation_level for question in played.questions] == [1, 2]
    assert played.questions[1].suggested_value["amount"] == 20_000
    assert played.result["decision"] == "modified"


@pytest.mark.parametrize(
    ("amount", "level"),
    [("1000.01", 1), ("10000", 1), ("10000.01", 2), ("100000", 2), ("100000.01", 3)],
)
def test_the_level_follows_the_amount(amount, level):
    assert level_for(Decimal(amount), Decimal(1000)) == level


def test_it_asks_the_caller_for_what_the_invoice_does_not_say():
    (question,) = play("invoice-without-date.pdf").questions
    (field,) = question.missing_fields
    assert (field.name, field.type) == ("date", "string")
    assert field.json_schema["format"] == "date"
    assert question.reason == "The invoice does not say: date."


def test_it_goes_on_with_the_answer():
    played = play("invoice-without-date.pdf", {"date": "2024-06-01"}, approve())
    assert played.result["date"] == "2024-06-01"
    assert played.result["sources"]["date"] == "answer"


@pytest.mark.parametrize("date", ["soon", "31.05.2024", 0, 20240531, None, True])
def test_it_asks_again_for_an_answer_it_cannot_use(date):
    played = play("invoice-without-date.pdf", {"date": date}, {"date": "2024-06-01"})
    assert len(played.questions) == 3
    assert "could not be used: date" in played.questions[1].reason


def test_it_gives_up_after_three_useless_answers():
    played = play("invoice-without-date.pdf", *[{"date": "soon"}] * 3)
    assert played.error.details == {"missing_fields": ["date"]}
    assert not played.outcome.retryable


def test_it_asks_for_everything_when_no_template_fits(tmp_path):
    path = tmp_path / "letter.pdf"
    path.write_bytes(pdf("Dear customer"))
    played = run_handler(
        "invoice_approval", {}, files=[task_file(path)], answers=[PAYLOAD, approve()]
    )
    names = [field.name for field in played.questions[0].missing_fields]
    assert names == list(PAYLOAD)
    assert played.result["vendor"] == "Inky & Sons"


def test_a_caller_who_knows_everything_is_asked_nothing(tmp_path):
    path = tmp_path / "letter.pdf"
    path.write_bytes(pdf("Dear customer"))
    payload = PAYLOAD | {"limit": 5000}
    played = run_handler("invoice_approval", payload, files=[task_file(path)])
    assert played.result["decision"] == "auto"
    assert set(played.result["sources"].values()) == {"payload"}


@pytest.mark.parametrize("count", [0, 2])
def test_it_wants_exactly_one_file(count):
    files = [task_file(EXAMPLES / "invoice.pdf")] * count
    error = run_handler("invoice_approval", {}, files=files).error
    assert error.code == Code.PAYLOAD_INVALID
    assert error.message == f"This task type takes exactly 1 file, not {count}."


@pytest.mark.parametrize(
    "payload",
    [
        {"limit": -1},
        {"limit": "many"},
        {"currency": "EURO"},
        {"date": "soon"},
        {"amount": 1e20},
        {"colour": "red"},
    ],
)
def test_it_refuses_a_payload_that_makes_no_sense(payload):
    assert play(**payload).error.code == Code.PAYLOAD_INVALID


def test_it_reads_and_books_once_however_often_it_waits():
    played = play("invoice-without-date.pdf", {"date": "2024-06-01"}, approve())
    assert played.attempts == 3
    assert [entry.name for entry in played.host.steps] == ["read", "book"]
    assert len(played.host.attached) == 1
