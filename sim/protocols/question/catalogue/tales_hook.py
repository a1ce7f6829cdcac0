"""Tales of the hook and of the store's files."""

from __future__ import annotations

import json

from sim.core.http import Unreached
from sim.core.op import NO_ANSWER
from sim.protocols.catalogue import Tales
from sim.protocols.question.catalogue.tale import Tale
from sim.protocols.question.catalogue.tale_values import MESSAGES, keyboard, no
from sim.protocols.question.constants import HOOK, LISTENER, LOCK_SUFFIX, STORE, STORE_FILE
from sim.protocols.question.hook.texts import ONE_VALUE, OTHERS_UNANSWERED
from sim.protocols.question.store.operations import (
    Content,
    CreateFile,
    Done,
    ReadFile,
    WriteFile,
)

TALES = Tales(Tale)
GARBAGE = '{"u1": {"type": "ques'


@TALES.of("hooks-react-to-questions", "QT-02")
def buttons_for_another_tool(tale: Tale, bad: bool) -> None:
    call = tale.before(tool="bash" if bad else "question")
    tale.writes(HOOK, u1={})
    tale.sends()
    tale.returned(call)


@TALES.of("hooks-return-in-time", "QT-03", "QT-04")
def hook_waits_for_the_answer(tale: Tale, bad: bool) -> None:
    call = tale.before()
    tale.wait(30 if bad else 3)
    tale.returned(call)


@TALES.of("hooks-return-in-time", "QT-03")
def hook_never_returns(tale: Tale, bad: bool) -> None:
    call = tale.before()
    if not bad:
        tale.returned(call)


@TALES.of("hooks-never-throw", "QT-01", "QT-04")
def hook_throws_because_the_chat_is_down(tale: Tale, bad: bool) -> None:
    tale.returned(tale.before(), "connection refused" if bad else "")


@TALES.of("entries-copy-the-call", "QT-14", "QT-31")
def entry_of_another_session(tale: Tale, bad: bool) -> None:
    tale.before()
    tale.writes(HOOK, u1={"sid": "ses_9" if bad else "ses_1"})


@TALES.of("entries-copy-the-call", "QT-14", "QT-46")
def entry_with_other_options(tale: Tale, bad: bool) -> None:
    tale.before()
    options = [{"label": one, "value": one} for one in ("A", "B", *(["C"] if bad else []))]
    tale.writes(HOOK, u1={"options": options})


@TALES.of("entries-are-whole", "QT-05", "QT-31")
def entry_without_a_timestamp(tale: Tale, bad: bool) -> None:
    tale.before()
    tale.writes(HOOK, u1={"timestamp": None} if bad else {})


@TALES.of("written-before-sent", "QT-05", "QT-15")
def buttons_before_the_entry(tale: Tale, bad: bool) -> None:
    tale.kept()
    tale.before()
    if not bad:
        tale.writes(HOOK, u1={})
    tale.sends()


@TALES.of("buttons-answer-for-options", "QT-16")
def no_button_for_a_free_answer(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.before()
    tale.sends(keys=keyboard("u1")[:-1] if bad else None)


@TALES.of("buttons-answer-for-options", "QT-16", "QT-46")
def buttons_out_of_order(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    keys = keyboard("u1")
    tale.before()
    tale.sends(keys=[keys[1], keys[0], keys[2]] if bad else keys)


@TALES.of("the-rest-is-said", "QT-46")
def second_question_is_not_mentioned(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.before(more=({"question": "And?", "options": []},))
    tale.sends(text="Q" if bad else f"Q {OTHERS_UNANSWERED.format(count=1)}")


@TALES.of("the-rest-is-said", "QT-46")
def choice_of_several_is_not_mentioned(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.before(multiple=True)
    tale.sends(text="Q" if bad else f"Q {ONE_VALUE}")


@TALES.of("one-message-per-question", "QT-16", "I1")
def buttons_twice_after_a_lost_answer(tale: Tale, bad: bool) -> None:
    tale.kept("u1", "u2")
    tale.before()
    tale.sends(reply=Unreached("reset" if bad else "refused"))
    tale.sends("u2")


@TALES.of("unknown-sends-keep-entries", "I3")
def entry_is_removed_though_the_buttons_may_be_shown(tale: Tale, bad: bool) -> None:
    call = tale.before()
    tale.writes(HOOK, u1={})
    tale.sends(reply=NO_ANSWER if bad else no(403))
    tale.removes("u1", by=HOOK)
    tale.returned(call)


@TALES.of("refused-sends-leave-nothing", "QT-31")
def entry_stays_after_a_refusal(tale: Tale, bad: bool) -> None:
    call = tale.before()
    tale.writes(HOOK, u1={})
    tale.sends(reply=no(400))
    if not bad:
        tale.removes("u1", by=HOOK)
    tale.returned(call)


@TALES.of("message-ids-are-stored", "QT-31")
def entry_does_not_know_its_message(tale: Tale, bad: bool) -> None:
    call = tale.before()
    tale.writes(HOOK, u1={"messageId": None})
    tale.sends()
    if not bad:
        tale.writes(HOOK, u1={"messageId": MESSAGES["u1"]})
    tale.returned(call)


@TALES.of("nothing-comes-back", "QT-20", "I2")
def late_write_brings_an_entry_back(tale: Tale, bad: bool) -> None:
    tale.before()
    tale.writes(HOOK, u1={})
    if bad:
        tale.removes("u1")
    tale.writes(HOOK, u1={"messageId": 101})


# -- the files ------------------------------------------------------------------------


@TALES.of("entries-do-not-vanish", "QT-05", "I3")
def entry_is_lost_beside_another_s_change(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.writes(HOOK, u2={}, u1=None if bad else {})


@TALES.of("entries-do-not-vanish", "QT-20", "QT-21", "QT-26", "QT-42", "QT-43")
def entry_is_removed_before_it_is_answered(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.works()
    if not bad:
        tale.answers()
    tale.removes("u1")


@TALES.of("entries-do-not-vanish", "QT-29")
def entry_is_gone_after_a_text_for_another_bot(tale: Tale, bad: bool) -> None:
    tale.waits()
    tale.polls(tale.text("@napsta_bot deploy"))
    if bad:
        tale.removes("u1")


@TALES.of("writes-are-atomic", "QT-05")
def file_is_written_in_place(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    path = STORE_FILE if bad else STORE_FILE + ".new"
    tale.calls(LISTENER, STORE, WriteFile(path, "{}"), Done())


@TALES.of("changes-are-locked", "QT-05", "I3")
def file_is_changed_without_the_lock(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.locks(HOOK if bad else LISTENER)
    tale.renames(LISTENER)


@TALES.of("broken-files-are-kept", "QT-05")
def garbage_is_written_over(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.puts(GARBAGE)
    if not bad:
        tale.puts_aside(GARBAGE)
    tale.entries.clear()
    tale.renames(LISTENER)


@TALES.of("broken-files-are-kept", "QT-05")
def garbage_that_was_read_is_written_over(tale: Tale, bad: bool) -> None:
    """Otherwise it comes after the look: nobody could have seen it."""
    tale.kept("u1")
    tale.locks(LISTENER)
    whole = json.dumps(tale.entries)
    if bad:
        tale.puts(GARBAGE)
    tale.calls(LISTENER, STORE, ReadFile(STORE_FILE), Content(GARBAGE if bad else whole))
    if not bad:
        tale.puts(GARBAGE)
    tale.renames(LISTENER)


@TALES.of("broken-files-are-read-again", "QT-05")
def half_a_file_is_put_aside_at_once(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.puts(GARBAGE)
    for _ in range(1 if bad else 4):
        tale.calls(LISTENER, STORE, ReadFile(STORE_FILE), Content(GARBAGE))
    tale.puts_aside(GARBAGE)


@TALES.of("broken-files-are-told", "QT-05")
def nobody_hears_of_a_broken_store(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.polls()
    tale.puts(GARBAGE)
    tale.puts_aside(GARBAGE)
    if not bad:
        tale.says("the store was broken")


def _meets_a_lock(tale: Tale, seconds: float, owner: str, age: float = 0) -> None:
    """The listener tries for a lock that somebody has, for so long."""
    text = json.dumps({"owner": owner, "at": tale.now_ms - round(age * 1_000), "id": "x"})
    for _ in range(round(seconds * 10)):
        request = CreateFile(STORE_FILE + LOCK_SUFFIX, "mine")
        tale.calls(LISTENER, STORE, request, Content(text))
        tale.wait(0.09)


@TALES.of("stale-locks-are-taken-over", "I6")
def lock_of_a_dead_process_stops_everybody(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    _meets_a_lock(tale, 1.9, "killed#1" if bad else "hook#1")


@TALES.of("stale-locks-are-taken-over", "I6")
def old_lock_stops_everybody(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    _meets_a_lock(tale, 1.9, "hook#1", age=20 if bad else 5)


@TALES.of("stale-locks-are-taken-over", "I6")
def lock_whose_owner_dies_meanwhile_stops_everybody(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    text = json.dumps({"owner": "hook#1", "at": tale.now_ms, "id": "x"})
    for look in range(23 if bad else 18):
        if look == 16:
            tale.crashes(HOOK)
        tale.calls(LISTENER, STORE, CreateFile(STORE_FILE + LOCK_SUFFIX, "mine"), Content(text))
        tale.wait(0.09)


@TALES.of("lock-waits-end", "QT-04")
def waiting_for_a_lock_without_end(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    _meets_a_lock(tale, 8 if bad else 2, "hook#1")


@TALES.of("one-listener-polls", "I1")
def two_listeners_poll(tale: Tale, bad: bool) -> None:
    tale.kept("u1")
    tale.starts("listener-2")
    tale.leases("listener-2" if bad else LISTENER)
    tale.polls()
