"""Tales of custom answers, of the TTL, of polling, of logs, of OpenCode and of Telegram."""

from __future__ import annotations

from sim.core.http import HttpResponse
from sim.protocols.catalogue import Tales
from sim.protocols.question.catalogue.tale import Tale
from sim.protocols.question.catalogue.tale_values import ALICE, BOB

TALES = Tales(Tale)
ERROR = HttpResponse(500)
ASK = "please reply to this message"


def asked_for(tale: Tale, name: str = "u1", user: int = ALICE) -> None:
    """Somebody presses the custom button, and the entry waits for a text of his."""
    tale.polls(tale.press(f"qcustom:{name}", user=user))
    tale.claims(name, awaitingText=True, expectedUserId=user, awaitingSince=tale.now_ms)


# -- the prompt -------------------------------------------------------------------------


@TALES.of("custom-presses-wait", "QT-22")
def custom_press_changes_nothing(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    if bad:
        tale.polls(tale.press("qcustom:u1"))
        tale.says(ASK, forced=True)
    else:
        asked_for(tale)


@TALES.of("custom-presses-wait", "QT-22")
def option_press_makes_it_wait(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.polls(tale.press("qopt:u1:0" if bad else "qcustom:u1"))
    tale.claims(awaitingText=True, expectedUserId=ALICE)


@TALES.of("prompts-are-forced", "QT-23")
def prompt_forces_no_reply(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    asked_for(tale)
    tale.says(ASK, forced=not bad)


@TALES.of("prompts-are-remembered", "QT-24")
def prompt_is_forgotten(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    asked_for(tale)
    number = tale.says(ASK, forced=True)
    tale.lets_go(customPromptMessageId=None if bad else number)
    tale.toasts("reply to it")


@TALES.of("prompts-recommend-replies", "QT-28")
def prompt_does_not_ask_for_a_reply(tale: Tale, bad: bool) -> None:
    tale.polls()
    tale.says("type your answer" if bad else ASK, forced=True)


@TALES.of("waits-belong-to-the-last", "QT-22", "QT-24")
def first_who_pressed_owns_the_wait(tale: Tale, bad: bool) -> None:
    tale.waits(user=ALICE, prompt=150)
    tale.polls(tale.press("qcustom:u1", user=BOB))
    tale.claims(expectedUserId=ALICE if bad else BOB)
    number = tale.says(ASK, forced=True)
    tale.lets_go(customPromptMessageId=number)
    tale.toasts("reply to it")


@TALES.of("options-end-the-wait", "QT-22")
def option_leaves_the_wait_alone(tale: Tale, bad: bool) -> None:
    tale.waits(prompt=150)
    tale.works()
    tale.writes(u1={} if bad else {"awaitingText": False})
    tale.lists()


# -- whose answer a text is -----------------------------------------------------------------


def two_wait(tale: Tale) -> None:
    """Alice is asked for u1, then for u2."""
    tale.waits("u1", prompt=150, since=1)
    tale.waits("u2", prompt=151, since=2)


def sent_for(tale: Tale, name: str, said: str) -> None:
    """A handler answers a question with a text."""
    tale.claims(name)
    tale.lists("u1", "u2")
    tale.replies(f"que_{name}", said)


@TALES.of("texts-find-their-question", "QT-25", "QT-26")
def reply_goes_to_the_newest(tale: Tale, bad: bool) -> None:
    two_wait(tale)
    tale.polls(tale.text("use blue", reply_to=150))
    sent_for(tale, "u2" if bad else "u1", "use blue")


@TALES.of("texts-find-their-question", "QT-27")
def plain_text_goes_to_the_older(tale: Tale, bad: bool) -> None:
    two_wait(tale)
    tale.polls(tale.text("use blue"))
    sent_for(tale, "u1" if bad else "u2", "use blue")


@TALES.of("texts-find-their-question", "QT-27", "I4")
def word_of_another_person_is_an_answer(tale: Tale, bad: bool) -> None:
    tale.waits("u1", user=ALICE)
    tale.polls(tale.text("hello", user=BOB if bad else ALICE))
    sent_for(tale, "u1", "hello")


@TALES.of("texts-find-their-question", "QT-25", "QT-27")
def reply_to_something_else_is_an_answer(tale: Tale, bad: bool) -> None:
    tale.waits("u1", prompt=150)
    tale.polls(tale.text("use blue", reply_to=99 if bad else 150))
    sent_for(tale, "u1", "use blue")


@TALES.of("texts-find-their-question", "QT-29", "I4")
def word_before_any_press_is_an_answer(tale: Tale, bad: bool) -> None:
    if bad:
        tale.kept("u1")
    else:
        tale.waits("u1")
    tale.polls(tale.text("good morning"))
    sent_for(tale, "u1", "good morning")


@TALES.of("texts-find-their-question", "QT-27", "I4")
def text_answers_what_was_asked_for_later(tale: Tale, bad: bool) -> None:
    tale.waits("u1", since=1)
    tale.kept("u2")
    tale.polls(tale.text("use blue"))
    tale.polls(tale.press("qcustom:u2", message=102))
    tale.claims("u2")
    tale.writes(u2={"awaitingText": True, "expectedUserId": ALICE, "awaitingSince": 2})
    tale.toasts("reply to it")
    tale.lets_go("u2")
    tale.fresh()
    sent_for(tale, "u2" if bad else "u1", "use blue")


@TALES.of("texts-are-taken", "QT-25", "QT-26", "QT-27")
def plain_text_has_no_effect(tale: Tale, bad: bool) -> None:
    two_wait(tale)
    tale.polls(tale.text("use blue"))
    if not bad:
        sent_for(tale, "u2", "use blue")


@TALES.of("context-is-kept", "QT-42", "QT-43", "I3")
def wait_is_forgotten_after_a_failure(tale: Tale, bad: bool) -> None:
    tale.waits("u1", prompt=150)
    tale.polls(tale.text("use blue", reply_to=150))
    tale.claims("u1")
    tale.lists(reply=ERROR)
    tale.lets_go("u1", awaitingText=not bad)
