"""Tales of the TTL, of polling, of logs, of OpenCode and of Telegram."""

from __future__ import annotations

from sim.core.http import HttpResponse, Unreached
from sim.core.op import NO_ANSWER
from sim.protocols.catalogue import Tales
from sim.protocols.question.catalogue.tale import Tale
from sim.protocols.question.catalogue.tale_values import ALICE, item, no
from sim.protocols.question.constants import LISTENER, OPENCODE
from sim.protocols.question.oracles.logging import PREFIX, SETTLED

TALES = Tales(Tale)
ERROR = HttpResponse(500)


# -- the TTL ---------------------------------------------------------------------------------


@TALES.of("in-time-is-in-time", "QT-32")
def question_of_thirty_minutes_is_removed(tale: Tale, bad: bool) -> None:
    tale.kept("u1", age=1800 if bad else 1800.001)
    tale.polls()
    tale.now -= 10_000
    tale.removes("u1")


@TALES.of("late-is-late", "QT-32")
def press_after_half_an_hour_is_good(tale: Tale, bad: bool) -> None:
    tale.kept("u1", age=1801 if bad else 1790)
    tale.works()
    tale.lists("u1")


@TALES.of("the-old-are-removed", "QT-32")
def old_question_stays(tale: Tale, bad: bool) -> None:
    tale.kept("u1", age=1800)
    for _ in range(4):
        tale.polls()
        tale.wait(30)
    if not bad:
        tale.removes("u1")
    tale.now -= 100_000_000


def expires(tale: Tale, *names: str) -> None:
    """Questions are too old, and a cleaning turn removes them."""
    tale.kept(*(names or ("u1",)), age=1801)
    tale.polls()
    tale.fresh()
    tale.removes(*(names or ("u1",)))


@TALES.of("the-old-are-rejected", "QT-10", "QT-32")
def listed_question_is_not_rejected(tale: Tale, bad: bool) -> None:
    expires(tale)
    tale.lists("u1")
    if not bad:
        tale.rejects("que_u1")


@TALES.of("expiry-looks-for-the-question", "QT-32")
def expired_question_is_forgotten(tale: Tale, bad: bool) -> None:
    expires(tale)
    if not bad:
        tale.lists("u1")


@TALES.of("expired-are-looked-for-twice", "QT-32")
def expired_question_is_looked_for_again_and_again(tale: Tale, bad: bool) -> None:
    expires(tale)
    for _ in range(4 if bad else 2):
        tale.lists()
        tale.wait(0.2)


@TALES.of("rejects-are-for-the-expired", "QT-10", "QT-44")
def reject_is_tried_again(tale: Tale, bad: bool) -> None:
    expires(tale)
    tale.lists("u1")
    tale.rejects("que_u1", reply=ERROR)
    if bad:
        tale.rejects("que_u1")


@TALES.of("rejects-are-for-the-expired", "QT-32", "I9")
def open_question_is_rejected(tale: Tale, bad: bool) -> None:
    if bad:
        tale.kept("u1", age=600)
        tale.polls()
    else:
        expires(tale)
    tale.lists("u1")
    tale.rejects("que_u1")


@TALES.of("failed-rejects-warn", "QT-44")
def failed_reject_leaves_no_trace(tale: Tale, bad: bool) -> None:
    expires(tale)
    tale.lists("u1")
    tale.rejects("que_u1", reply=ERROR)
    if not bad:
        tale.log("OpenCode reject: HTTP 500", "warning")


@TALES.of("expiry-takes-the-buttons", "QT-32", "QT-44")
def buttons_outlive_their_question(tale: Tale, bad: bool) -> None:
    expires(tale)
    tale.lists()
    if not bad:
        tale.edits()


@TALES.of("handling-is-spared", "QT-32", "I9")
def question_expires_while_it_is_answered(tale: Tale, bad: bool) -> None:
    tale.kept("u1", age=1799)
    tale.works()
    tale.lists()
    tale.wait(3)
    if bad:
        tale.fresh()
    tale.removes("u1")


# -- polling ------------------------------------------------------------------------------------


@TALES.of("polling-goes-on", "QT-44", "QT-45", "I6")
def listener_stops_after_a_reset(tale: Tale, bad: bool) -> None:
    tale.polls(reply=Unreached("reset"))
    tale.wait(5)
    if not bad:
        tale.goes_on()


@TALES.of("polling-goes-on", "QT-04", "QT-30")
def failures_in_a_row(tale: Tale, bad: bool) -> None:
    tale.polls(reply=no(502))
    tale.wait(0.1 if bad else 5)
    tale.goes_on()


@TALES.of("busy-polls-are-spaced", "I6")
def polls_in_a_row(tale: Tale, bad: bool) -> None:
    press = tale.press("qopt:u1:0")
    tale.polls(press)
    tale.wait(0.01 if bad else 0.3)
    tale.polls(press)


@TALES.of("polls-end", "QT-45", "I6")
def poll_without_a_limit(tale: Tale, bad: bool) -> None:
    tale.polls(reply=NO_ANSWER, takes=60 if bad else 40)


@TALES.of("offsets-follow-handling", "I3", "I6")
def update_is_confirmed_before_it_is_handled(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    tale.polls(offset=9002 if bad else 9001)


@TALES.of("failures-keep-the-offset", "QT-45", "I3")
def failure_skips_updates(tale: Tale, bad: bool) -> None:
    tale.polls(tale.text("hello"), offset=0)
    tale.polls(reply=NO_ANSWER, offset=9002)
    tale.polls(offset=9005 if bad else 9002)


@TALES.of("failing-links-are-named", "QT-41", "QT-45")
def fetch_failed_and_nobody_knows_where(tale: Tale, bad: bool) -> None:
    tale.polls(reply=NO_ANSWER)
    tale.log("fetch failed" if bad else "Telegram getUpdates: no answer", "warning")
    tale.goes_on()


@TALES.of("the-log-tells", "QT-49")
def line_of_the_evidence_is_missing(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.log(f"{PREFIX} 📥 收到 callback_query: data=qcustom:u1")
    tale.polls(tale.press("qcustom:u1"))
    tale.claims(awaitingText=True, expectedUserId=ALICE, awaitingSince=1)
    if not bad:
        tale.log(f"{PREFIX} 📋 getPending(u1): type=question")
    number = tale.says("please reply", forced=True)
    tale.lets_go(customPromptMessageId=number)
    tale.toasts("reply to it")
    tale.polls(tale.text("use blue", reply_to=number))
    tale.log(f"{PREFIX} 📨 收到 message: from=7001 replyTo={number}")
    tale.claims("u1")
    tale.answers(value="use blue")
    tale.log(f"{PREFIX} {SETTLED.removeprefix(PREFIX)}que_u1")


# -- OpenCode and Telegram ------------------------------------------------------------------------


@TALES.of("lists-show-what-is-open", "QT-12", "QT-48")
def closed_question_is_listed(tale: Tale, bad: bool) -> None:
    tale.asked()
    tale.closed()
    tale.lists(*(["u1"] if bad else []))


@TALES.of("lists-show-what-is-open", "QT-12", "QT-48")
def question_of_another_project_is_listed(tale: Tale, bad: bool) -> None:
    tale.asked("u1")
    tale.asked("u2", directory="/other")
    tale.lists("u1", *(["u2"] if bad else []))


@TALES.of("items-say-who-asks", "QT-11", "QT-48")
def listed_question_has_no_session(tale: Tale, bad: bool) -> None:
    tale.lists(item("u1", sessionID=None if bad else "ses_1"))


@TALES.of("answers-complete-the-tool", "QT-12", "QT-13")
def reply_changes_nothing(tale: Tale, bad: bool) -> None:
    tale.asked()
    call = tale.asks(LISTENER, OPENCODE, tale.post("que_u1", "reply", {"answers": [["A"]]}))
    if not bad:
        tale.closed()
    tale.gets(call, LISTENER, OPENCODE, None, HttpResponse(200, True))


@TALES.of("first-close-wins", "QT-13", "I1", "I9")
def answered_question_is_rejected(tale: Tale, bad: bool) -> None:
    tale.asked()
    tale.closed(by="tui")
    if bad:
        tale.closed(how="rejected", state="error")


@TALES.of("tools-end-by-answers", "QT-01", "QT-13")
def tool_is_completed_by_nobody(tale: Tale, bad: bool) -> None:
    tale.asked()
    if not bad:
        tale.asks(LISTENER, OPENCODE, tale.post("que_u1", "reply", {"answers": [["A"]]}))
    tale.closed()


@TALES.of("confirmed-stays-confirmed", "I3")
def confirmed_update_comes_again(tale: Tale, bad: bool) -> None:
    hello = tale.text("hello")
    tale.polls(hello, offset=9001)
    tale.polls(hello, offset=9002 if bad else 9001)


@TALES.of("private-texts-stay", "QT-30")
def private_group_is_overheard(tale: Tale, bad: bool) -> None:
    told = tale.text("hello") if bad else tale.press("qopt:u1:0")
    tale.polls(told, token="private")
