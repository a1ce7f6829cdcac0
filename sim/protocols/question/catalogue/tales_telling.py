"""Tales of presses: one close, removal and edit after it, and what people are told."""

from __future__ import annotations

from sim.core.http import HttpResponse, Unreached
from sim.core.op import NO_ANSWER
from sim.protocols.catalogue import Tales
from sim.protocols.question.catalogue.tale import Tale
from sim.protocols.question.catalogue.tale_values import BOB, no
from sim.protocols.question.constants import LISTENER, OPENCODE
from sim.protocols.question.texts import FAILED

TALES = Tales(Tale)
ERROR = HttpResponse(500)


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


@TALES.of("reply-or-reject", "I1", "I9")
def rejected_while_the_reply_is_under_way(tale: Tale, bad: bool) -> None:
    """Otherwise the request is lost, and its caller dies with it."""
    tale.kept("u1")
    tale.works()
    tale.asks(LISTENER, OPENCODE, tale.post("que_u1", "reply", {"answers": [["A"]]}))
    if not bad:
        tale.crashes(LISTENER)
        tale.starts(LISTENER)
        tale.fresh()
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
    for _ in range(20):
        tale.lists()
        tale.wait(0.3)
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
