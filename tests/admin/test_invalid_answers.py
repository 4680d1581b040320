"""Only what was offered is taken; the form comes back as it was typed (G44)."""

import pytest

from tests.admin.forms import control_of, controls, decide_url, press

pytestmark = pytest.mark.django_db
SCHEMA = {
    "type": "object",
    "properties": {
        "amount": {"type": "number", "maximum": 100},
        "count": {"type": "integer"},
        "size": {"enum": ["S", "M"]},
        "more": {"type": "array"},
    },
    "required": ["amount"],
}
SUGGESTED = {"amount": 12.5, "count": 2, "size": "M", "more": []}


A_NUMBER = "Write a number such as 1200.50."


def said(form) -> dict[str, list[str]]:
    """Field of the form or property of the value → what is wrong with it."""
    inner = {
        form.value_form.shapes[int(place)].key: list(errors)
        for place, errors in form.value_form.errors.items()
    }
    return {name: list(errors) for name, errors in form.errors.items()} | inner


@pytest.mark.parametrize(
    ("typed", "field", "text"),
    [
        ({}, "action", "This field is required."),
        (
            {"action": "nonsense"},
            "action",
            "Select a valid choice. nonsense is not one of the available choices.",
        ),
        ({"action": "select"}, "option_id", "Choose one of the options first."),
        (
            {"action": "select", "option_id": "up"},
            "option_id",
            "Not one of: left, right.",
        ),
        (
            {"action": "select", "option_id": "x" * 200},
            "option_id",
            "String should have at most 128 characters",
        ),
        (
            {"action": "approve", "comment": "x" * 10_001},
            "comment",
            "At most 10000 characters.",
        ),
        (
            {"action": "approve", "comment": "x" * 1_000_000},
            "comment",
            "At most 10000 characters.",
        ),
        (
            {"action": "approve", "comment": "\0"},
            "comment",
            "Null characters are not allowed.",
        ),
    ],
)
def test_it_shows_the_form_again_g44(desk, ask, typed, field, text) -> None:
    options = ["left", "right"]
    question = ask(options=options, suggested_value=SUGGESTED, decision_schema=SCHEMA)
    answer = press(desk, decide_url(question), **typed)
    assert answer.status_code == 422
    assert said(answer.context["form"]) == {field: [text]}
    assert text in answer.content.decode()
    question.refresh_from_db()
    assert question.is_open


@pytest.mark.parametrize(
    ("key", "typed", "text"),
    [
        ("amount", "", "This is needed."),
        ("amount", "12,50", A_NUMBER),
        ("amount", "NaN", A_NUMBER),
        ("amount", "9" * 5000, A_NUMBER),
        ("amount", "true", A_NUMBER),
        ("amount", "101", "must be at most 100"),
        ("count", "1.5", "Write a whole number such as 12."),
        ("size", '"XL"', "must be one of: S, M"),
        ("more", "[1", "Expecting ',' delimiter: line 1 column 3."),
        ("more", "[" * 100, "Nested deeper than 64 levels."),
    ],
)
def test_it_shows_a_wrong_value_again_g44(desk, ask, key, typed, text) -> None:
    question = ask(suggested_value=SUGGESTED, decision_schema=SCHEMA)
    answer = press(desk, decide_url(question), action="modify", value={key: typed})
    assert answer.status_code == 422
    assert said(answer.context["form"]) == {key: [text]}
    page = answer.content.decode()
    assert page.count('class="sy-error"') == 1
    assert "correct what is marked above" in page.partition("sy-verdict")[2]
    question.refresh_from_db()
    assert question.is_open


def test_it_keeps_what_was_typed_g44(desk, ask) -> None:
    question = ask(suggested_value=SUGGESTED, decision_schema=SCHEMA)
    typed = {"amount": "a lot", "count": "7"}
    form = {"action": "modify", "comment": "Not sure."}
    answer = press(desk, decide_url(question), value=typed, **form)
    kept = controls(answer)
    assert {key: kept[control_of(answer, key)] for key in typed} == typed
    assert kept["comment"] == "Not sure."


def test_it_names_the_field_that_the_schema_refuses(desk, ask) -> None:
    question = ask(suggested_value=SUGGESTED, decision_schema=SCHEMA)
    answer = press(desk, decide_url(question), action="modify", value={"amount": "101"})
    place = control_of(answer, "amount").removeprefix("value-")
    field = answer.context["form"].value_form[place]
    assert list(field.errors) == ["must be at most 100"]


@pytest.mark.parametrize("key", ["colour", "comment", "option_id", "a b"])
@pytest.mark.parametrize("text", ["a\0b", "x" * 30])
def test_it_puts_what_cannot_be_kept_beside_its_field_g44(desk, ask, key, text) -> None:
    schema = {"properties": {key: {"type": "string", "maxLength": 20}}}
    question = ask(suggested_value={key: "blue"}, decision_schema=schema)
    answer = press(desk, decide_url(question), action="modify", value={key: text})
    assert answer.status_code == 422
    assert answer.context["form"].value_form["0"].errors
    assert not answer.context["form"].errors


@pytest.mark.parametrize("action", ["approve", "select"])
def test_it_does_not_lose_an_edit_to_another_button(desk, ask, action) -> None:
    question = ask(options=["left"], suggested_value=SUGGESTED)
    typed = {"action": action, "option_id": "left"}
    answer = press(desk, decide_url(question), value={"amount": "99"}, **typed)
    assert answer.status_code == 422
    assert "does not send it" in answer.content.decode()
    assert controls(answer)[control_of(answer, "amount")] == "99"


def test_it_rejects_whatever_was_edited(desk, ask) -> None:
    question = ask(suggested_value=SUGGESTED)
    answer = press(desk, decide_url(question), action="reject", value={"amount": "x"})
    assert answer.status_code == 302


def test_it_takes_no_value_where_none_was_asked_for_g44(desk, ask) -> None:
    question = ask(options=["left"])
    answer = press(desk, decide_url(question), action="modify", **{"value-0": "1"})
    assert answer.status_code == 422
    question.refresh_from_db()
    assert question.is_open


@pytest.mark.parametrize("text", ["", "[1]", '"x"', "{", "null"])
def test_it_takes_only_objects_as_a_whole_value_g44(desk, ask, text) -> None:
    question = ask(decision_schema={"type": "object"})
    typed = {"value-whole": text}
    answer = press(desk, decide_url(question), action="modify", **typed)
    assert answer.status_code == 422
    assert controls(answer)["value-whole"] == text


def test_it_refuses_a_body_beyond_the_limit_g44(desk, ask) -> None:
    question = ask()
    answer = press(desk, decide_url(question), action="approve", comment="x" * 2**21)
    assert answer.status_code == 400
    question.refresh_from_db()
    assert question.is_open
