"""Tales of presses: which question they answer, how often it is looked for, what is told."""

from __future__ import annotations

from sim.core.http import HttpRequest, HttpResponse
from sim.protocols.catalogue import Tales
from sim.protocols.question.catalogue.tale import Tale
from sim.protocols.question.catalogue.tale_values import item
from sim.protocols.question.constants import LISTENER, OPENCODE
from sim.protocols.question.telegram.plan import CHAT
from sim.protocols.question.texts import FAILED

TALES = Tales(Tale)
ELSEWHERE = "-42000999"
ERROR = HttpResponse(500)


def tries(tale: Tale, count: int, gap: float = 0.3) -> None:
    """So many lists without the question."""
    for n in range(count):
        if n:
            tale.wait(gap)
        tale.lists()


# -- the calls -------------------------------------------------------------------------


@TALES.of("requests-name-the-project", "QT-06")
def list_of_no_project(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tale.lists(directory=None if bad else "/proj")


@TALES.of("requests-name-the-project", "QT-07")
def reply_for_another_project(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tale.lists("u1")
    tale.replies("que_u1", directory="/other" if bad else "/proj")


@TALES.of("requests-name-the-project", "QT-10")
def reject_for_another_project(tale: Tale, bad: bool) -> None:
    tale.kept("u1", age=1801)
    tale.polls()
    tale.removes("u1")
    tale.lists("u1")
    tale.rejects("que_u1", directory="/other" if bad else "/proj")


@TALES.of("replies-hold-one-value", "QT-08", "QT-46")
def answers_are_no_rows(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tale.replies("que_u1", body={"answers": ["A"]} if bad else None)


@TALES.of("replies-hold-one-value", "QT-46")
def two_values_at_once(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tale.replies("que_u1", body={"answers": [["A", "B"]]} if bad else None)


@TALES.of("replies-say-what-was-chosen", "QT-09", "I4")
def other_option_is_sent(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tale.answers(value="B" if bad else "A")


@TALES.of("replies-say-what-was-chosen", "QT-17", "I4")
def answer_of_nobody(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.polls(*([] if bad else [tale.press("qopt:u1:0")]))
    tale.claims()
    tale.answers()


@TALES.of("replies-say-what-was-chosen", "QT-26")
def text_is_changed_on_its_way(tale: Tale, bad: bool) -> None:
    tale.waits(prompt=150)
    tale.polls(tale.text("use blue", reply_to=150))
    tale.claims()
    tale.answers(value="use red" if bad else "use blue")


@TALES.of("calls-have-a-reason", "QT-17", "QT-29")
def list_for_a_text_to_another_bot(tale: Tale, bad: bool) -> None:
    tale.waits()
    tale.polls(tale.text("@napsta_bot deploy" if bad else "deploy"))
    tale.lists()


@TALES.of("calls-have-a-reason", "QT-01")
def answer_becomes_a_prompt(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    if bad:
        request = HttpRequest("POST", "/session/ses_1/message", (), {"parts": ["A"]})
        tale.calls(LISTENER, OPENCODE, request, HttpResponse(200))
    else:
        tale.answers()


@TALES.of("strangers-are-ignored", "QT-17", "I4")
def press_from_another_chat(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.polls(tale.press("qopt:u1:0", chat=ELSEWHERE if bad else CHAT))
    tale.claims()
    tale.answers()


@TALES.of("strangers-are-ignored", "QT-29", "I4")
def text_from_another_chat(tale: Tale, bad: bool) -> None:
    tale.waits()
    tale.polls(tale.text("use blue", chat=ELSEWHERE if bad else CHAT))
    tale.claims()
    tale.answers(value="use blue")


@TALES.of("calls-end", "QT-39")
def call_without_a_limit(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tale.lists("u1", takes=9 if bad else 4)


# -- which question ---------------------------------------------------------------------


@TALES.of("lists-come-before-replies", "QT-18")
def known_id_is_not_looked_up(tale: Tale, bad: bool) -> None:
    tale.kept("u1", requestID="que_u1")
    tale.works()
    if not bad:
        tale.lists("u1")
    tale.replies("que_u1")


@TALES.of("replies-go-to-the-question", "QT-33")
def known_id_is_matched_anew(tale: Tale, bad: bool) -> None:
    tale.kept("u1", requestID="que_u1", callID="")
    tale.works()
    tale.lists(*([] if bad else ["u1"]), item("u2", tool=None))
    tale.replies("que_u2" if bad else "que_u1")


@TALES.of("replies-go-to-the-question", "QT-34", "QT-47")
def session_decides_before_the_call(tale: Tale, bad: bool) -> None:
    tale.kept("u1", "u2")
    tale.works()
    tale.lists("u2", "u1")
    tale.replies("que_u2" if bad else "que_u1")


@TALES.of("replies-go-to-the-question", "QT-35", "I7")
def old_button_answers_a_newer_question(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tale.lists("u2" if bad else item("u2", tool=None))
    tale.replies("que_u2")


@TALES.of("replies-go-to-the-question", "QT-35")
def first_of_two_is_guessed(tale: Tale, bad: bool) -> None:
    tale.kept("u1", callID="")
    tale.works()
    tale.lists(item("u2", tool=None), *([item("u1", tool=None)] if bad else []))
    tale.replies("que_u2")


@TALES.of("replies-go-to-the-question", "QT-36", "QT-11", "QT-50")
def other_session_is_answered(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tale.lists(item("u2", tool=None, sessionID="ses_2" if bad else "ses_1"))
    tale.replies("que_u2")


@TALES.of("other-calls-are-others", "QT-34", "QT-35", "QT-36", "QT-47", "I7")
def other_call_is_answered(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tale.lists("u1", "u2")
    tale.replies("que_u2" if bad else "que_u1")


@TALES.of("found-is-answered", "QT-34", "QT-40")
def question_is_listed_and_not_seen(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tale.lists(*(["u1"] if bad else []))
    tale.wait(0.3)
    tale.lists("u1")


@TALES.of("found-is-answered", "QT-11", "QT-50")
def item_without_a_tool_is_not_seen(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tale.lists(item("u1", tool=None, sessionID="ses_1" if bad else "ses_2"))
    tale.wait(0.3)
    tale.lists()


# -- trying ------------------------------------------------------------------------------


@TALES.of("tries-are-counted", "QT-37", "QT-39", "I5")
def twenty_first_list(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tries(tale, 21 if bad else 20)


@TALES.of("tries-are-counted", "QT-33")
def known_id_is_waited_for(tale: Tale, bad: bool) -> None:
    tale.kept("u1", requestID="que_u1")
    tale.works()
    tries(tale, 2 if bad else 1)


@TALES.of("tries-are-paced", "QT-38", "QT-39")
def lists_in_a_row(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tries(tale, 3, 0.1 if bad else 0.3)


@TALES.of("tries-are-used", "QT-37", "QT-39", "QT-40")
def patience_ends_early(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tries(tale, 6 if bad else 20)
    tale.toasts(FAILED)


@TALES.of("failed-lists-end-it", "QT-41")
def list_is_asked_for_again_after_a_failure(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tale.lists(reply=ERROR if bad else None)
    tale.wait(0.3)
    tale.lists()


@TALES.of("attempts-come-to-an-end", "QT-04", "QT-39", "QT-40", "I6")
def nothing_follows_a_list(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tale.lists("u1")
    if not bad:
        tale.replies("que_u1")


@TALES.of("handlers-run-side-by-side", "QT-47", "QT-40", "I6")
def second_question_waits_for_the_first(tale: Tale, bad: bool) -> None:
    tale.kept("u1", "u2")
    tale.works()
    tale.lists()
    tale.polls(tale.press("qopt:u2:0", message=102))
    if bad:
        tale.wait(6)
    tale.claims("u2")
    tale.lists("u2")


@TALES.of("handlers-run-side-by-side", "QT-27")
def text_is_left_lying(tale: Tale, bad: bool) -> None:
    tale.waits()
    tale.polls(tale.text("use blue"))
    if not bad:
        tale.claims()
        tale.lists("u1")
