"""What a hook reacts to, what it writes and sends, and when it returns (QT-02 … QT-04, DQ-21)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

from sim.protocols.question.before import HookReturned
from sim.protocols.question.constants import (
    CALLBACK_DATA_BYTES,
    CUSTOM_PREFIX,
    HOOK_LIMIT_MS,
    OPTION_PREFIX,
    QUESTION,
)
from sim.protocols.question.hook.texts import ONE_VALUE, OTHERS_UNANSWERED
from sim.protocols.question.oracles.oracle import (
    MS_US,
    SECOND_US,
    OfHook,
    Owing,
    buttons_of,
    named_in,
)
from sim.protocols.question.store.operations import CreateFile, RenameFile, WriteFile
from sim.protocols.question.view_calls import CallView
from sim.protocols.question.view_records import BeforeView, EntryView, FileView, value_of

CHANGES: Final = (CreateFile, RenameFile, WriteFile)
Kept = tuple[EntryView, Mapping[str, Any]]


def options_of(question: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The options of a question that have a label."""
    options = question.get("options")
    found = options if isinstance(options, list) else []
    return [one for one in found if isinstance(one, Mapping) and one.get("label")]


class HooksReactToQuestions(OfHook):
    name = "hooks-react-to-questions"
    sentence = "A hook writes and sends for calls of the question tool only."
    catalogue = ("QT-02",)
    IN_LOGS = True

    def on_before(self, before: BeforeView) -> None:
        self.exercised += before.request.tool != QUESTION

    def on_file(self, file: FileView) -> str | None:
        is_change = isinstance(file.request, CHANGES)
        return self._judge(file.n, file.caller, "writes") if is_change else None

    def on_issued(self, call: CallView) -> str | None:
        return self._judge(call.n, call.caller, "sends") if call.what == "sendMessage" else None

    def _judge(self, n: int, host: str, does: str) -> str | None:
        served = self.view.served_by(n, host)
        if served is not None:
            tool = served.request.tool
            return None if tool == QUESTION else f"{host} {does} for the tool {tool}"
        mine = [one for one in self.view.befores if one.hook == host]
        if mine and not any(one.request.tool == QUESTION for one in mine):
            return f"{host} {does}, and nobody has called the question tool"
        return None


class HooksReturnInTime(Owing):
    name = "hooks-return-in-time"
    sentence = "A hook returns within 5 s, whoever does not answer; it waits for no answer."
    catalogue = ("QT-03", "QT-04")
    obeyed_by = OfHook.obeyed_by
    IN_LOGS = True

    LIMIT_US = HOOK_LIMIT_MS * MS_US + SECOND_US

    def on_before(self, before: BeforeView) -> None:
        self.exercised += 1
        text = f"{before.hook} holds up {before.request.call or 'a tool'}"
        self.owe(before.n, before.hook, f"{text} for more than 5 s", self.LIMIT_US)

    def on_returned(self, before: BeforeView) -> str | None:
        return self.pay(before.n)

    def on_crashed(self, host: str) -> None:
        """Where either side is gone nobody waits any more."""
        super().on_crashed(host)
        for before in self.view.befores:
            if host == before.opencode:
                self.forget(before.n)


class HooksNeverThrow(OfHook):
    name = "hooks-never-throw"
    sentence = "A hook returns without an exception, whatever has happened."
    catalogue = ("QT-01", "QT-04")
    IN_LOGS = True

    def on_returned(self, before: BeforeView) -> str | None:
        self.exercised += 1
        reply = before.reply
        if isinstance(reply, HookReturned) and not reply.threw:
            return None
        return f"{before.hook} throws at {before.request.call}: {getattr(reply, 'threw', reply)}"


class EntriesCopyTheCall(OfHook):
    name = "entries-copy-the-call"
    sentence = "An entry has the session, call and project of the hook's input, and its options."
    catalogue = ("QT-14", "QT-31", "QT-46")
    IN_LOGS = True

    def on_entry(self, kept: Kept) -> str | None:
        entry = kept[0]
        served = (one for one in reversed(self.view.befores) if entry in one.entries)
        mine = list(islice(served, 1)) or self.view.open_befores(entry.by)
        if not entry.by or not mine:
            return None
        self.exercised += 1
        faults = [_difference(entry, one) for one in mine]
        return None if "" in faults else f"{entry.by} writes {entry.id} {faults[0]}"


def _difference(entry: EntryView, before: BeforeView) -> str:
    asked = before.request
    for field, due in (
        ("type", QUESTION),
        ("sid", asked.session),
        ("callID", asked.call),
        ("directory", asked.directory),
    ):
        if entry.fields.get(field) != due:
            return f"with {field} {entry.fields.get(field)!r}, where the call says {due!r}"
    options = options_of(before.questions[0]) if before.questions else []
    due = [(one["label"], value_of(one)) for one in options]
    kept = entry.fields.get("options")
    found = [one for one in kept if isinstance(one, Mapping)] if isinstance(kept, list) else []
    have = [(one.get("label"), value_of(one)) for one in found]
    return "" if have == due else f"with options {have}, where the call has {due}"


class EntriesAreWhole(OfHook):
    name = "entries-are-whole"
    sentence = "An entry has sid, callID, directory, options with labels, and a timestamp."
    catalogue = ("QT-05", "QT-31")
    IN_LOGS = True

    def on_entry(self, kept: Kept) -> str | None:
        return self._judge(kept[0])

    def on_changed(self, kept: Kept) -> str | None:
        return self._judge(kept[0])

    def _judge(self, entry: EntryView) -> str | None:
        if not entry.is_question or entry.is_preloaded:
            return None
        self.exercised += 1
        for name in ("sid", "callID", "directory"):
            if not isinstance(entry.fields.get(name), str):
                return f"{entry.id} has no {name}"
        if type(entry.fields.get("timestamp")) is not int:
            return f"{entry.id} has no timestamp"
        options = entry.fields.get("options")
        if isinstance(options, list) and all(
            isinstance(one, Mapping) and isinstance(one.get("label"), str) for one in options
        ):
            return None
        return f"{entry.id} has no options that can be read: {options!r}"


class WrittenBeforeSent(OfHook):
    name = "written-before-sent"
    sentence = "The entry is in the store before its buttons go out."
    catalogue = ("QT-05", "QT-15")
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        buttons = buttons_of(call.body) if call.what == "sendMessage" else []
        if not buttons or not self.view.stores:
            return None
        self.exercised += 1
        for _, data in buttons:
            if not self._was_written(named_in(data), call.caller):
                return f"{call.caller} sends the button {data}, of which the store knows nothing"
        return None

    def _was_written(self, id: str, hook: str) -> bool:
        """Whether the store has it, or had it until somebody else took it away."""
        known = [store.known[id] for store in self.view.stores.values() if id in store.known]
        return any(one.is_there or one.is_lost or one.gone_by != hook for one in known)


class ButtonsAnswerForOptions(OfHook):
    name = "buttons-answer-for-options"
    sentence = "A message has one button for each option, in order, and one for a free answer."
    catalogue = ("QT-16", "QT-46")
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        buttons = buttons_of(call.body) if call.what == "sendMessage" else []
        entry = self.view.attempts.entry(named_in(buttons[0][1])) if buttons else None
        if entry is None:
            return None
        self.exercised += 1
        options = entry.fields.get("options")
        labels = [one.get("label") for one in options] if isinstance(options, list) else []
        due = [(label, f"{OPTION_PREFIX}{entry.id}:{n}") for n, label in enumerate(labels)]
        if buttons[:-1] != due or buttons[-1][1] != f"{CUSTOM_PREFIX}{entry.id}":
            return f"{call.caller} sends the buttons {buttons} for the options {labels}"
        longest = max(len(data.encode()) for _, data in buttons)
        if longest > CALLBACK_DATA_BYTES:
            return f"{call.caller} sends a button with {longest} bytes of data"
        return None


class TheRestIsSaid(OfHook):
    name = "the-rest-is-said"
    sentence = "A message says so where not all questions, or not all choices, fit in here."
    catalogue = ("QT-46",)

    def on_issued(self, call: CallView) -> str | None:
        before = self.view.served_by(call.n, call.caller) if call.what == "sendMessage" else None
        if before is None or not buttons_of(call.body):
            return None
        questions, text = before.questions, str(call.body.get("text"))
        others = OTHERS_UNANSWERED.format(count=len(questions) - 1)
        if len(questions) > 1:
            self.exercised += 1
            if others not in text:
                return f"{call.caller} does not say that {len(questions) - 1} questions are left"
        if questions and questions[0].get("multiple") is True:
            self.exercised += 1
            if ONE_VALUE not in text:
                return f"{call.caller} does not say that one choice alone can be made"
        return None


class OneMessagePerQuestion(OfHook):
    name = "one-message-per-question"
    sentence = "The buttons go out once; they go out again only where they were refused."
    catalogue = ("QT-16", "I1")
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        before = self.view.served_by(call.n, call.caller) if call.what == "sendMessage" else None
        if before is None or not buttons_of(call.body):
            return None
        self.exercised += 1
        sent = [one for one in before.sent if one is not call and buttons_of(one.body)]
        if all(one.was_refused for one in sent):
            return None
        return f"{call.caller} sends the buttons of {before.request.call} again"


class UnknownSendsKeepEntries(OfHook):
    name = "unknown-sends-keep-entries"
    sentence = "A hook removes an entry only where its message was refused, or never went out."
    catalogue = ("I3",)
    IN_LOGS = True

    def on_ended(self, call: CallView) -> None:
        self.exercised += call.is_unknown and bool(buttons_of(call.body))

    def on_gone(self, kept: Kept) -> str | None:
        entry = kept[0]
        for before in self.view.befores:
            if before.hook != entry.gone_by or entry.gone_by == "":
                continue
            for call in before.sent:
                named = [named_in(data) for _, data in buttons_of(call.body)]
                if entry.id in named and not call.was_refused:
                    return f"{entry.gone_by} removes {entry.id}, whose buttons may be shown"
        return None


class RefusedSendsLeaveNothing(OfHook):
    name = "refused-sends-leave-nothing"
    sentence = "Where the message was refused no entry stays behind."
    catalogue = ("QT-31",)
    IN_LOGS = True

    def on_returned(self, before: BeforeView) -> str | None:
        sent = [one for one in before.sent if buttons_of(one.body)]
        if not sent or not sent[-1].was_refused or before.has_trouble or seconds_left(before) < 1:
            return None
        self.exercised += 1
        named = named_in(buttons_of(sent[-1].body)[0][1])
        if self.view.attempts.entry(named) is None:
            return None
        return f"{before.hook} leaves {named} behind, though its message was refused"


class MessageIdsAreStored(OfHook):
    name = "message-ids-are-stored"
    sentence = "When the hook returns, an entry whose message is out knows its chat and message."
    catalogue = ("QT-31",)
    IN_LOGS = True

    def on_returned(self, before: BeforeView) -> str | None:
        sent = [one for one in before.sent if buttons_of(one.body)]
        result = sent[-1].result if sent else None
        if before.has_trouble or not isinstance(result, Mapping):
            return None
        entry = self.view.attempts.entry(named_in(buttons_of(sent[-1].body)[0][1]))
        if entry is None or seconds_left(before) < 1:
            return None
        self.exercised += 1
        due = (str(sent[-1].body.get("chat_id")), result.get("message_id"))
        have = (entry.chat, entry.fields.get("messageId"))
        return None if have == due else f"{entry.id} has the message {have}, which is {due}"


def seconds_left(before: BeforeView) -> float:
    """How much of its time a hook had left when it returned."""
    return (HOOK_LIMIT_MS * MS_US - (before.returned_at - before.at)) / SECOND_US


class NothingComesBack(OfHook):
    name = "nothing-comes-back"
    sentence = "An entry that was removed stays away: late writes change what is there only."
    catalogue = ("QT-20", "I2")
    IN_LOGS = True

    def on_changed(self, kept: Kept) -> None:
        self.exercised += kept[0].by == OfHook.obeyed_by

    def on_entry(self, kept: Kept) -> str | None:
        entry = kept[0]
        if not entry.is_back or not entry.by:
            return None
        return f"{entry.by} writes {entry.id}, which was removed before"
