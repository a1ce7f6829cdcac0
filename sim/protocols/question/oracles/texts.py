"""Custom answers: the prompt, the wait, and whose answer a text is (§4.1, DQ-01, DQ-02, DQ-06)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sim.protocols.question.constants import QUESTION_TTL_MS
from sim.protocols.question.oracles.oracle import (
    MS_US,
    SECOND_US,
    OfListener,
    Owing,
    forces_reply,
)
from sim.protocols.question.view_calls import CUSTOM, OPTION, REPLY, TEXT, CallView, value_in
from sim.protocols.question.view_matching import meant_by
from sim.protocols.question.view_records import Attempt, EntryView

Kept = tuple[EntryView, Mapping[str, Any]]
TTL_US: Final = QUESTION_TTL_MS * MS_US
REPLY_WORDS: Final = ("回复", "reply")


def is_good(attempt: Attempt) -> bool:
    """Whether a press on a custom button has to be taken: a question that is not too old, and
    has not been removed, as one that became so before its turn."""
    entry = attempt.entry
    return (
        attempt.update.kind == CUSTOM
        and not attempt.is_foreign
        and entry is not None
        and entry.is_question
        and entry.is_there
        and not attempt.is_busy
        and attempt.age_us <= TTL_US - SECOND_US
    )


class CustomPressesWait(Owing):
    name = "custom-presses-wait"
    sentence = "A press on the custom button makes the question wait for a text of who pressed."
    catalogue = ("QT-22",)
    obeyed_by = OfListener.obeyed_by
    IN_LOGS = True

    def on_update(self, attempt: Attempt) -> None:
        others = [one for one in self.view.attempts.open_of(attempt.listener) if one is not attempt]
        is_free = not any(one.entry is attempt.entry for one in others)
        if is_good(attempt) and is_free and attempt.entry is not None:
            self.exercised += 1
            entry = attempt.entry
            text = f"{attempt.listener} does not let {entry.id} wait for {attempt.update.user}"
            self.owe(entry.id, attempt.listener, text, 15 * SECOND_US)

    def on_changed(self, kept: Kept) -> str | None:
        entry, before = kept
        if entry.waits and entry.fields.get("expectedUserId") == self._last_presser(entry):
            return self.pay(entry.id)
        if before.get("awaitingText") is not True and entry.waits and entry.attempts:
            asked = [one for one in entry.attempts if one.update.kind == CUSTOM]
            if not asked:
                return f"{entry.id} waits for a text, and nobody has pressed its custom button"
        return None

    def _last_presser(self, entry: EntryView) -> int:
        asked = [one.update.user for one in entry.attempts if one.update.kind == CUSTOM]
        return asked[-1] if asked else 0

    def on_gone(self, kept: Kept) -> None:
        self.forget(kept[0].id)

    def on_aside(self, kept: Kept) -> None:
        self.forget(kept[0].id)

    def on_log(self, line: Any) -> None:
        """A store that refuses is told otherwise."""
        if line.level == "error":
            self.forgive(line.host)


class PromptsAreForced(Owing):
    name = "prompts-are-forced"
    sentence = "Who presses the custom button gets a message that forces a reply."
    catalogue = ("QT-23",)
    obeyed_by = OfListener.obeyed_by
    IN_LOGS = True

    def on_changed(self, kept: Kept) -> None:
        entry, before = kept
        pressed = [one for one in entry.attempts if one.update.kind == CUSTOM]
        if entry.waits and before.get("awaitingText") is not True and pressed:
            host = pressed[-1].listener
            if any(forces_reply(one.body) for one in pressed[-1].told):
                return
            self.exercised += 1
            self.owe(host, host, f"{host} sends no prompt for {entry.id}", 15 * SECOND_US)

    def on_issued(self, call: CallView) -> str | None:
        if call.what != "sendMessage" or not forces_reply(call.body):
            return None
        return self.pay(call.caller)


class PromptsAreRemembered(OfListener):
    name = "prompts-are-remembered"
    sentence = "An entry that waits names the prompt that was sent for it, and no other."
    catalogue = ("QT-24",)
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        """The toast comes last: by then the prompt is known."""
        attempt = call.attempt
        if call.what != "answerCallbackQuery" or attempt is None or not is_good(attempt):
            return None
        prompts = [one for one in attempt.told if forces_reply(one.body)]
        result = prompts[-1].result if prompts else None
        entry = attempt.entry
        if not isinstance(result, Mapping) or entry is None or not entry.waits:
            return None
        if self.view.had_trouble(call.caller, attempt.at):
            return None
        if entry.fields.get("expectedUserId") != attempt.update.user:
            return None
        self.exercised += 1
        if entry.prompt == result.get("message_id"):
            return None
        return f"{entry.id} names the prompt {entry.prompt}, not {result.get('message_id')}"


class PromptsRecommendReplies(OfListener):
    name = "prompts-recommend-replies"
    sentence = "The prompt asks for a reply to it."
    catalogue = ("QT-28",)
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        if call.what != "sendMessage" or not forces_reply(call.body):
            return None
        self.exercised += 1
        text = str(call.body.get("text", "")).lower()
        if any(word in text for word in REPLY_WORDS):
            return None
        return f"{call.caller} prompts without a word about replying: {text!r}"


class TextsFindTheirQuestion(OfListener):
    name = "texts-find-their-question"
    sentence = (
        "A reply answers the question whose prompt it replies to and no other; a plain text the "
        "one that its author was asked for last; any other text answers nothing."
    )
    catalogue = ("QT-25", "QT-26", "QT-27", "QT-29", "I4")
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        if call.what != REPLY:
            return None
        attempt = call.attempt
        if attempt is None or attempt.is_unsure:
            return self._of_nobody(call)
        if attempt.update.kind != TEXT or attempt.entry is None:
            return None
        self.exercised += 1
        meant = attempt.meant
        if attempt.entry in meant:
            return None
        due = meant[-1].id if meant else "none"
        said = attempt.update.text
        return f"{call.caller} answers {attempt.entry.id} with {said!r}, which is for {due}"

    def _of_nobody(self, call: CallView) -> str | None:
        """A text that is for nobody is sent, by whichever handler."""
        value = value_in(call)
        said = [
            one
            for one in self.view.attempts.all
            if one.listener == call.caller and one.value == value
        ]
        if not said or any(one.update.kind != TEXT or one.meant or one.behind for one in said):
            return None
        return f"{call.caller} answers with {value!r}, which is for no question"


class TextsAreTaken(Owing):
    name = "texts-are-taken"
    sentence = (
        "A text that is for an open question is brought to OpenCode, or its author told why not."
    )
    catalogue = ("QT-25", "QT-26", "QT-27")
    obeyed_by = OfListener.obeyed_by
    IN_LOGS = True

    def on_update(self, attempt: Attempt) -> None:
        if attempt.update.kind == TEXT and attempt.meant and not attempt.is_foreign:
            self.exercised += 1
            text = f"{attempt.listener} does nothing about the text {attempt.update.text!r}"
            self.owe(attempt.n, attempt.listener, text, 60 * SECOND_US)

    def on_log(self, line: Any) -> None:
        """A store that refuses ends it in another way, of which the author hears; only, of
        a listener that does not say what its handlers are at nobody knows which text it was."""
        says = any(one.begun_at >= 0 for one in self.view.attempts.all if one.listener == line.host)
        if line.level == "error" and "store" in line.text and not says:
            self.forgive(line.host)

    def on_changed(self, kept: Kept) -> None:
        """What was pressed before the text, and handled after it came, has ended its wait."""
        entry, before = kept
        wait = ("awaitingText", "expectedUserId", "customPromptMessageId")
        if all(before.get(name) == entry.fields.get(name) for name in wait):
            return
        for one in self.view.attempts.all:
            is_overtaken = not entry.waits or entry.asked_id < one.update.id
            if entry in one.meant and is_overtaken and meant_by(one.update, [entry]) is None:
                self.forget(one.n)

    def on_gone(self, kept: Kept) -> None:
        """An earlier text, or a press, was quicker; or the file that it stood in was broken."""
        for one in self.view.attempts.all:
            if kept[0] in one.meant:
                self.forget(one.n)

    on_aside = on_gone

    def on_issued(self, call: CallView) -> str | None:
        if call.attempt is not None:
            self.forget(call.attempt.n)
        if call.attempt is not None and (call.attempt.claim or call.attempt.begun_at >= 0):
            return None
        if call.what in ("list", "sendMessage", REPLY):
            for one in self.view.attempts.open_of(call.caller):
                if one.update.kind == TEXT and (one.is_unsure or call.what == "sendMessage"):
                    self.forget(one.n)
        return None


class OptionsEndTheWait(OfListener):
    name = "options-end-the-wait"
    sentence = "Who presses an option does not wait for a text any more, whatever comes of it."
    catalogue = ("QT-22",)

    def on_issued(self, call: CallView) -> str | None:
        attempt = call.attempt
        if attempt is None or attempt.update.kind != OPTION or call.what != "list":
            return None
        entry = attempt.entry
        if entry is None or len(attempt.lists) > 1:
            return None
        self.exercised += 1
        if not entry.waits:
            return None
        return f"{call.caller} lets {entry.id} wait for a text, though an option was pressed"


class WaitsBelongToTheLast(OfListener):
    name = "waits-belong-to-the-last"
    sentence = "The last who has pressed the custom button owns the wait, with a new prompt."
    catalogue = ("QT-22", "QT-24")
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        attempt = call.attempt
        if call.what != "answerCallbackQuery" or attempt is None or not is_good(attempt):
            return None
        entry = attempt.entry
        if entry is None or not entry.waits or entry.attempts[-1] is not attempt:
            return None
        if self.view.had_trouble(call.caller, attempt.at):
            return None
        self.exercised += 1
        owner = entry.fields.get("expectedUserId")
        if owner == attempt.update.user:
            return None
        return f"{entry.id} waits for {owner}, though {attempt.update.user} has pressed last"


class ContextIsKept(OfListener):
    name = "context-is-kept"
    sentence = "After a failure the entry is as it was: its wait, its prompt, its person."
    catalogue = ("QT-42", "QT-43", "I3")
    IN_LOGS = True
    FIELDS: Final = ("awaitingText", "customPromptMessageId", "expectedUserId", "options", "callID",
                     "sid", "directory", "timestamp")  # fmt: skip

    def on_failed(self, attempt: Attempt) -> None:
        self.exercised += 1

    def on_changed(self, kept: Kept) -> str | None:
        entry, before = kept
        attempt = entry.attempts[-1] if entry.attempts else None
        if attempt is None or attempt.failed_at < 0 or attempt.update.kind != TEXT:
            return None
        if before.get("claimedBy") != attempt.claim or not attempt.claim:
            return None
        for field in self.FIELDS:
            if entry.fields.get(field) != before.get(field):
                return f"{entry.id} has another {field} after a failure: {entry.fields.get(field)}"
        return None
