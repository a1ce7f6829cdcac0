"""Tales of presses: which question they answer, how often it is looked for, what is told."""

from __future__ import annotations

from sim.core.http import HttpRequest, HttpResponse, Unreached
from sim.core.op import NO_ANSWER
from sim.protocols.catalogue import Tales
from sim.protocols.question.catalogue.tale import BOB, Tale, item, no
from sim.protocols.question.constants import LISTENER, OPENCODE
from sim.protocols.question.texts import FAILED

TALES = Tales(Tale)
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
    where = {"chat": "-42000999"} if bad else {}
    tale.polls(tale.press("qopt:u1:0", **where))
    tale.claims()
    tale.answers()


@TALES.of("strangers-are-ignored", "QT-29", "I4")
def text_from_another_chat(tale: Tale, bad: bool) -> None:
    tale.waits()
    where = {"chat": "-42000999"} if bad else {}
    tale.polls(tale.text("use blue", **where))
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


# -- closing -------------------------------------------------------------------------------


@TALES.of("one-reply-at-a-time", "QT-43", "I1", "I8")
def two_taps_and_two_replies(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tale.lists("u1")
    call = tale.asks(LISTENER, OPENCODE, tale.post("que_u1", "reply", {"answers": [["A"]]}))
    tale.fresh()
    tale.replies("que_u1" if bad else "que_u2")
    assert call


@TALES.of("one-reply-at-a-time", "I1")
def reply_to_an_answered_question(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tale.replies("que_u1", reply=None if bad else ERROR)
    tale.replies("que_u1")


@TALES.of("one-post-per-attempt", "QT-43", "I1")
def lost_reply_is_sent_again(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tale.lists("u1")
    tale.replies("que_u1", reply=Unreached("reset"))
    if not bad:
        tale.toasts(FAILED)
        tale.lets_go()
        tale.works()
        tale.lists("u1")
    tale.replies("que_u1")


@TALES.of("claims-come-first", "I1", "I8")
def list_without_a_claim(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.polls(tale.press("qopt:u1:0"))
    if not bad:
        tale.claims()
    tale.lists("u1")


@TALES.of("settled-is-removed", "QT-20", "QT-26", "I2")
def answered_entry_stays(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tale.answers()
    if not bad:
        tale.removes("u1")


@TALES.of("settled-is-shown", "QT-19", "I2")
def buttons_stay_after_the_answer(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tale.answers()
    if not bad:
        tale.edits()


@TALES.of("nothing-is-shown-before", "QT-21", "QT-42", "QT-43", "I3")
def chosen_is_shown_before_it_is_sent(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    if not bad:
        tale.answers()
    tale.edits()


@TALES.of("reply-or-reject", "I1", "I9")
def rejected_while_it_is_answered(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tale.replies("que_u1", reply=None if bad else ERROR)
    tale.rejects("que_u1")


# -- telling -----------------------------------------------------------------------------------


@TALES.of("failures-are-told", "QT-41")
def silence_after_a_failed_list(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tale.lists(reply=ERROR)
    tale.toasts("sorry" if bad else FAILED)


@TALES.of("failures-are-told", "QT-42")
def silence_after_twenty_lists(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tries(tale, 20)
    if not bad:
        tale.toasts(FAILED)


@TALES.of("failures-are-told", "QT-43")
def other_words_for_a_failed_text(tale: Tale, bad: bool) -> None:
    tale.waits()
    tale.polls(tale.text("use blue"))
    tale.claims()
    tale.lists("u1")
    tale.replies("que_u1", "use blue", reply=ERROR)
    tale.says("it did not work" if bad else f"{FAILED}\nHTTP 500")


@TALES.of("settled-is-never-failed", "I10")
def success_is_told_as_a_failure(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tale.answers()
    tale.toasts("chosen A", reply=no())
    tale.says(FAILED if bad else "chosen A")


@TALES.of("failed-is-never-settled", "QT-41", "QT-42", "QT-43")
def failure_is_told_as_a_success(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tale.lists("u1")
    tale.replies("que_u1", reply=NO_ANSWER)
    tale.toasts("chosen A" if bad else FAILED)


@TALES.of("presses-are-answered-once", "QT-17", "QT-23", "QT-41")
def press_without_a_toast(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.polls(tale.press("qopt:u9:0"))
    if not bad:
        tale.toasts("expired")


@TALES.of("presses-are-answered-once", "I10")
def press_with_two_toasts(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.polls(tale.press("qcustom:u1"))
    tale.toasts("got it")
    if bad:
        tale.toasts("reply to the prompt")


@TALES.of("closed-is-told", "QT-33", "I2")
def entry_of_a_closed_question_stays(tale: Tale, bad: bool) -> None:
    tale.kept("u1", requestID="que_u1")
    tale.works()
    tale.lists()
    tale.toasts("closed")
    if not bad:
        tale.removes("u1")


@TALES.of("bad-presses-are-harmless", "QT-09", "QT-17", "I4")
def option_that_is_not_there(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works(data="qopt:u1:7" if bad else "qopt:u1:1")
    tale.lists("u1")


@TALES.of("good-presses-are-tried", "QT-42", "I3")
def second_press_says_expired(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.polls(tale.press("qopt:u1:0"))
    if not bad:
        tale.claims()
        tale.lists("u1")
    tale.toasts("in progress")


@TALES.of("good-presses-are-tried", "QT-05")
def claim_of_a_dead_listener_stops_everybody(tale: Tale, bad: bool) -> None:
    holder = "killed#1/x" if bad else f"{LISTENER}#1/x"
    tale.kept("u1", claimedBy=holder, claimedAt=tale.now_ms)
    tale.polls(tale.press("qopt:u1:0", user=BOB))
    tale.toasts("in progress")
