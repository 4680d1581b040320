"""The ladder on the decide page: what is to come, votes, escalating, delegating."""

import re
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.test import Client

from agents_app.protocol.payloads import Action, Decision
from tasks_app import desk as verbs
from tasks_app.admin.human.foretold import foretold
from tasks_app.desk import Shown
from tasks_app.models import Absence, CallerStaff, Question, RungPolicy, Vote
from tasks_app.sweep import sweep
from tests.admin.forms import control_of, controls, decide_url, press
from tests.admin.test_policies import away
from tests.factories import operator
from tests.tasks.desk.conftest import climbing, pass_time

pytestmark = pytest.mark.django_db
APPROVE = Decision(action=Action.APPROVE)


def shown(question: Question) -> Shown:
    return Shown(question_id=question.pk, version=question.version)


def words(client: Client, question: Question) -> str:
    """The text of the page, on one line."""
    page = client.get(decide_url(question)).content.decode()
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def fresh(question: Question) -> Question:
    return Question.objects.get(pk=question.pk)


def hand(client: Client, question: Question, page: str, **typed: object):
    """Press a button of the decide page that has an address of its own."""
    data = controls(client.get(decide_url(question))) | typed
    return client.post(decide_url(question, page), data)


@pytest.fixture
def oscar(db: None) -> User:
    return operator("oscar")


@pytest.fixture
def two_needed(db: None) -> None:
    RungPolicy.objects.create(level=1, approvals=2)


def test_it_foretells_what_happens_when(desk, ask) -> None:
    hours = timedelta(hours=1)
    RungPolicy.objects.create(
        level=1, then="climb", reminders=1, answer_within=2 * hours
    )
    RungPolicy.objects.create(level=2, answer_within=2 * hours)
    question = ask()
    page = desk.get(decide_url(question)).content.decode()
    listed = page.partition('class="sy-foretold"')[2].partition("</ol>")[0]
    lines = re.findall(r'<time datetime="([^"]+)">[^<]+</time> ([\w ]+)', listed)
    asked = question.created_at
    told = [f"{asked + n * hours:%Y-%m-%dT%H:%M:%S%z}" for n in (2, 4, 6)]
    assert lines == [
        (told[0], "reminder"),
        (told[1], "level 2"),
        (told[2], "rejected by "),
    ]
    assert "2 h to answer" not in page
    assert "4 h to answer at this level, 1 reminder included." in page


def test_it_tells_the_day_unless_it_is_today(ask) -> None:
    question = ask()
    today, later = question.due_at, question.due_at - timedelta(days=2)
    assert [one.clock for one in foretold(question, today)] == [f"{today:%H:%M}"]
    assert [one.clock for one in foretold(question, later)] == [
        f"{today:%Y-%m-%d %H:%M}"
    ]


def test_it_says_what_the_sweep_is_about_to_do(desk, ask) -> None:
    climbing()
    question = ask()
    pass_time(question, 61)
    assert "level 2, any moment now" in words(desk, question)


def test_it_names_the_rule_that_applies(desk, ask) -> None:
    RungPolicy.objects.create(
        level=1, task_type="test_type", approvals=2, separate=True, deputies=False
    )
    text = words(desk, ask())
    for said in (
        "test_type/1",
        "2 approvals or 1 rejection decide.",
        "own staff cannot decide",
        "Nobody can stand in",
    ):
        assert said in text


def test_it_says_that_there_is_no_rule(desk, ask) -> None:
    text = words(desk, ask())
    assert "None for level 1 One person decides." in text


def test_it_shows_who_voted_what(desk, ask, oscar, two_needed) -> None:
    question = ask()
    vote = Decision(action=Action.APPROVE, comment="As ordered.")
    verbs.decide(shown(question), vote, oscar)
    text = words(desk, question)
    assert "1 of 2 approvals, 0 of 1 rejections" in text
    assert re.search(r"oscar Approve \d{4}-\d\d-\d\d \d\d:\d\d UTC As ordered\.", text)


def test_it_has_no_votes_where_one_person_decides(desk, ask) -> None:
    assert 'id="votes"' not in desk.get(decide_url(ask())).content.decode()


def test_it_says_what_a_vote_waits_for(desk, ask, two_needed) -> None:
    question = ask()
    press(desk, decide_url(question), action="approve")
    text = words(desk, question)
    assert "Your vote counts: 1 of 2 approvals, 0 of 1 rejections." in text
    assert fresh(question).is_open


def test_it_offers_no_second_vote(desk, ask, two_needed) -> None:
    question = ask()
    press(desk, decide_url(question), action="approve")
    page = desk.get(decide_url(question)).content.decode()
    assert 'name="action"' not in page
    assert "You have voted." in page


def test_it_withdraws_a_vote(desk, ask, olga, two_needed) -> None:
    question = ask()
    press(desk, decide_url(question), action="approve")
    answer = hand(desk, question, "withdraw")
    assert answer.headers["location"] == decide_url(question)
    assert not verbs.votes_on(question)
    assert 'value="approve"' in desk.get(decide_url(question)).content.decode()
    assert LogEntry.objects.filter(user=olga, change_message="Withdrew a vote.")


def test_it_withdraws_a_vote_while_somebody_else_holds_it(
    desk, ask, olga, oscar, two_needed
) -> None:
    question = ask()
    verbs.decide(shown(question), APPROVE, olga)
    verbs.claim(shown(question), oscar)
    assert "Withdraw my vote" in desk.get(decide_url(question)).content.decode()
    hand(desk, question, "withdraw")
    assert not verbs.votes_on(question)


def test_it_withdraws_no_vote_of_somebody_else(desk, ask, oscar, two_needed) -> None:
    question = ask()
    verbs.decide(shown(question), APPROVE, oscar)
    hand(desk, question, "withdraw")
    assert len(verbs.votes_on(question)) == 1
    assert not LogEntry.objects.exists()


def test_it_says_who_voted_for_another_answer(desk, ask, oscar, two_needed) -> None:
    question = ask(options=["left", "right"])
    left = Decision(action=Action.SELECT, option_id="left")
    verbs.decide(shown(question), left, oscar)
    chosen = {"action": "select", "option_id": "right", "comment": "Not left."}
    answer = press(desk, decide_url(question), **chosen)
    assert answer.status_code == 409
    text = answer.content.decode()
    assert "oscar voted for another answer, so yours was not counted." in text
    assert "Not left." in text


def test_it_says_that_one_has_voted_already(desk, ask, olga, two_needed) -> None:
    question = ask()
    page = desk.get(decide_url(question))
    verbs.decide(shown(question), APPROVE, olga)
    answer = press(desk, decide_url(question), page, action="reject")
    assert answer.status_code == 409
    assert "You have voted already." in answer.content.decode()


def test_it_keeps_the_votes_on_record(desk, ask, oscar, two_needed) -> None:
    question = ask()
    verbs.decide(shown(question), APPROVE, oscar)
    press(desk, decide_url(question), action="approve", comment="So do I.")
    text = words(desk, question)
    assert re.search(r"Votes oscar Approve .+ olga Approve .+ So do I\.", text)
    assert "oscar voted at level 1: Approve" in text


def test_it_escalates_with_a_comment(desk, ask, olga) -> None:
    climbing()
    question = ask()
    answer = hand(desk, question, "escalate", why="Above my limit.")
    assert answer.status_code == 302
    assert fresh(question).level == 2
    assert LogEntry.objects.get(user=olga).change_message == "Given to level 2."
    text = words(desk, question)
    assert "olga gave it to level 2 Above my limit." in text


def test_it_escalates_nothing_without_a_comment_and_loses_none(desk, ask) -> None:
    question = ask(suggested_value={"amount": 12})
    page = desk.get(decide_url(question))
    typed = {control_of(page, "amount"): "13", "comment": "Typed.", "why": " "}
    answer = hand(desk, question, "escalate", **typed)
    text = answer.content.decode()
    assert answer.status_code == 422
    assert "Say why." in text
    assert "<details open" in text
    assert (controls(answer) | typed | {"why": " "}) == controls(answer)
    assert "Nothing was sent" not in text
    assert fresh(question).level == 1


def test_it_has_nothing_above_the_top(desk, ask) -> None:
    question = ask(level=3)
    page = desk.get(decide_url(question)).content.decode()
    assert "There is no level above this one." in page
    assert "/escalate/" not in page
    answer = hand(desk, question, "escalate", why="Up.")
    assert answer.status_code == 409
    assert "Level 3 is the highest" in answer.content.decode()


def test_it_delegates_to_somebody_with_the_right(desk, ask, olga, oscar) -> None:
    question, _ = ask(), operator("vera", levels=())
    page = desk.get(decide_url(question)).content.decode()
    assert re.findall(r'<option value="(\d+)"', page) == [str(oscar.pk)]
    answer = hand(desk, question, "delegate", to=oscar.pk, why="Yours.")
    assert answer.status_code == 302
    assert fresh(question).claimed_by == oscar
    assert LogEntry.objects.get(user=olga).change_message == "Given to oscar."
    assert "olga gave it to oscar Yours." in words(desk, question)


def test_it_keeps_a_delegation_on_record(desk, ask, enter, olga, oscar) -> None:
    question = ask()
    hand(desk, question, "delegate", to=oscar.pk)
    press(enter(oscar), decide_url(question), action="approve")
    assert "oscar as operator, to whom it was given" in words(desk, question)


def test_it_reads_a_record_that_says_less_than_ours(desk, ask) -> None:
    question = ask()
    press(desk, decide_url(question), action="approve")
    who = {"user_id": "nils", "role": "operator", "via": "deputy"}
    answer = fresh(question).answer | {"decided_by": who}
    Question.objects.filter(pk=question.pk).update(answer=answer)
    assert "nils as operator, as the deputy of somebody" in words(desk, question)


@pytest.mark.parametrize("to", ["", "0", "x", "9" * 40])
def test_it_delegates_to_nobody_else(desk, ask, oscar, to) -> None:
    question = ask()
    answer = hand(desk, question, "delegate", to=to)
    assert answer.status_code == 422
    assert 'id="id_to_error"' in answer.content.decode()
    assert fresh(question).claimed_by is None


def test_it_says_who_lost_the_right_to_get_it(desk, ask, oscar, monkeypatch) -> None:
    question = ask()
    data = controls(desk.get(decide_url(question))) | {"to": oscar.pk}
    # As if it happened between the form and the verb, which looks for itself.
    monkeypatch.setattr(verbs, "eligible", lambda _: User.objects.all())
    oscar.user_permissions.clear()
    answer = desk.post(decide_url(question, "delegate"), data)
    assert answer.status_code == 422
    assert "oscar may not decide this request" in answer.content.decode()
    assert fresh(question).claimed_by is None


@pytest.mark.parametrize("page", ["escalate", "delegate"])
def test_it_hands_on_nothing_without_the_right_g43(
    desk, enter, staff, ask, oscar, page
) -> None:
    question = ask(level=2)
    data = controls(desk.get(decide_url(question)))
    data |= {"to": oscar.pk, "why": "Up."}
    stan = staff("decide_level_1")
    answer = enter(stan).post(decide_url(question, page), data)
    assert answer.status_code == 403
    assert (fresh(question).level, fresh(question).claimed_by) == (2, None)
    assert LogEntry.objects.get(user=stan).change_message.startswith("Refused: ")


@pytest.mark.parametrize("page", ["escalate", "delegate", "withdraw"])
def test_it_hands_on_nothing_by_get_or_without_a_token_g70(
    ask, olga, oscar, page, two_needed
) -> None:
    question = ask()
    verbs.decide(shown(question), APPROVE, olga)
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(olga)
    data = {"question": question.pk, "version": 1, "to": oscar.pk, "why": "Up."}
    assert browser.get(decide_url(question, page), data).status_code == 405
    assert browser.post(decide_url(question, page), data).status_code == 403
    assert (fresh(question).level, fresh(question).claimed_by) == (1, None)
    assert Vote.objects.get().withdrawn_at is None


@pytest.mark.parametrize("page", ["decide", "claim", "escalate", "delegate"])
def test_it_tells_own_staff_why_and_records_it_g43(
    desk, ask, caller, olga, oscar, page
) -> None:
    RungPolicy.objects.create(level=1, separate=True)
    CallerStaff.objects.create(caller=caller, user=olga)
    question = ask()
    shown_to_her = desk.get(decide_url(question)).content.decode()
    assert f"You belong to the own staff of {caller}" in shown_to_her
    assert 'name="action"' not in shown_to_her
    data = {"question": question.pk, "version": 1, "action": "approve"}
    answer = desk.post(
        decide_url(question, page), data | {"why": "Up.", "to": oscar.pk}
    )
    assert answer.status_code == 403
    assert "You belong to the own staff" in answer.content.decode()
    entry = LogEntry.objects.get(user=olga)
    assert entry.change_message.startswith("Refused: You belong")
    assert fresh(question).is_open


def test_it_decides_for_somebody_absent_by_choice(desk, ask, olga, oscar) -> None:
    away(oscar, olga)
    question = ask()
    page = desk.get(decide_url(question))
    assert f'<option value="{oscar.pk}">For oscar</option>' in page.content.decode()
    press(desk, decide_url(question), page, action="approve", on_behalf_of=oscar.pk)
    assert fresh(question).answer["decided_by"]["on_behalf_of"] == "oscar"
    text = words(desk, question)
    assert "as the deputy of oscar, who was out of office" in text


def test_it_decides_in_ones_own_right_unless_told(desk, ask, olga, oscar) -> None:
    away(oscar, olga)
    question = ask()
    press(desk, decide_url(question), action="approve")
    assert "on_behalf_of" not in fresh(question).answer["decided_by"]


def test_it_tells_a_deputy_for_whom_they_decide(enter, ask, olga) -> None:
    dora = operator("dora", levels=())
    away(olga, dora)
    page = enter(dora).get(decide_url(ask())).content.decode()
    assert "You stand in for <b><bdi>olga</bdi></b>" in page
    assert f'name="on_behalf_of" value="{olga.pk}"' in page


def test_it_lets_a_deputy_decide_what_the_absent_holds(enter, ask, olga) -> None:
    dora, question = operator("dora"), ask()
    verbs.claim(shown(question), olga)
    away(olga, dora)
    press(enter(dora), decide_url(question), action="approve")
    assert fresh(question).answer["decided_by"]["on_behalf_of"] == "olga"


def test_it_stands_in_for_nobody_who_is_back_g43(enter, ask, olga) -> None:
    dora, question = operator("dora"), ask()
    away(olga, dora)
    page = enter(dora).get(decide_url(question))
    Absence.objects.all().delete()
    answer = press(
        enter(dora), decide_url(question), page, action="approve", on_behalf_of=olga.pk
    )
    assert answer.status_code == 403
    assert "You do not stand in for that person" in answer.content.decode()
    assert LogEntry.objects.get(user=dora).change_message.startswith("Refused: ")


def test_it_offers_no_vote_in_a_right_that_is_used_up(
    enter, ask, olga, two_needed
) -> None:
    question, dora = ask(), operator("dora", levels=())
    verbs.decide(shown(question), APPROVE, olga)
    away(olga, dora)
    page = enter(dora).get(decide_url(question)).content.decode()
    assert 'name="action"' not in page
    assert "<bdi>olga</bdi></b> has voted in this right" in page


@pytest.mark.parametrize("page", ["decide", "claim", "escalate"])
def test_it_says_that_it_climbed_with_a_link_to_the_page_g41(
    enter, staff, ask, page
) -> None:
    climbing()
    question, client = ask(), enter(staff("decide_level_1"))
    data = controls(client.get(decide_url(question)))
    pass_time(question, 61)
    sweep()
    data |= {"action": "approve", "why": "Up."}
    answer = client.post(decide_url(question, page), data)
    text = answer.content.decode()
    assert answer.status_code == 409
    assert "Nobody answered: it went to level 2 by itself at" in text
    assert f'href="{decide_url(question)}">Open this request as it stands' in text
    assert not LogEntry.objects.exists()


def test_it_says_who_escalated_it_meanwhile(enter, staff, ask, olga) -> None:
    question, client = ask(), enter(staff("decide_level_1"))
    page = client.get(decide_url(question))
    verbs.escalate(shown(question), "Too much for us.", olga)
    answer = press(client, decide_url(question), page, action="approve")
    text = answer.content.decode()
    assert answer.status_code == 409
    assert re.search(r"olga gave it to level 2 at .+ \(“Too much for us\.”\)", text)


@pytest.mark.parametrize("level", ["", "x", "-1", "9" * 40, "٣"])
def test_it_takes_a_level_that_it_never_showed_for_none_g43(
    enter, staff, ask, level
) -> None:
    question = ask(level=2)
    data = {"question": question.pk, "version": 1, "action": "approve"}
    client = enter(staff("decide_level_1"))
    answer = client.post(decide_url(question), data | {"level": level})
    assert answer.status_code == 403


def test_it_shows_no_hostile_words_of_people_as_markup_g71(
    desk, ask, oscar, two_needed
) -> None:
    evil = "<script>alert(1)</script>"
    question = ask()
    vote = Decision(action=Action.APPROVE, comment=evil)
    verbs.decide(shown(question), vote, oscar)
    verbs.delegate(shown(question), operator(evil), evil, oscar)
    page = desk.get(decide_url(question)).content.decode()
    assert evil not in page
    assert page.count("&lt;script&gt;alert(1)") >= 3
