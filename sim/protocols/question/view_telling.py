"""Whose each message is that a listener writes: what it has claimed, or what it turns away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sim.protocols.question.texts import STORE_BROKEN
from sim.protocols.question.view_calls import TEXT, CallView
from sim.protocols.question.view_records import Attempt
from sim.protocols.question.view_threads import Thread
from sim.protocols.question.view_turns import in_turn

if TYPE_CHECKING:
    from sim.protocols.question.view_attempts import Attempts

SAY: Final = "sendMessage"


class Telling:
    """Gives each message and edit to an attempt, as far as that is known."""

    def __init__(self, attempts: Attempts) -> None:
        self._attempts = attempts

    def told(self, call: CallView, thread: Thread | None, found: Attempt | None) -> None:
        """A message or an edit; ``found`` is what its handler has claimed an entry for."""
        is_said = thread is not None and thread.update >= 0
        if is_said:
            pass  # the handler says whose it is
        elif found is None and self._attempts.view.is_log:
            texts = [one for one in self._attempts.open_of(call.caller) if one.update.kind == TEXT]
            texts = [one for one in texts if one.failed_at >= 0 or one.settled_at >= 0] or texts
            found = texts[0] if len(texts) == 1 and call.what == SAY else None
        elif found is None or (found.is_over and not found.owes_words):
            found = self._refused(call, thread) or self._turned_away(call, thread, found) or found
        if found is not None:
            call.attempt = found
            found.told.append(call)
            self._attempts.working.speaks(found)
            is_done = call.says_failed or found.failed_at >= 0 or found.settled_at >= 0
            # Its handler says one thing: that the entry was lost to others, too.
            is_done = is_done or ((is_said or bool(found.claim)) and is_plain(call))
            if call.what == SAY and found.update.kind == TEXT and is_done:
                self._attempts.over(found)

    def _refused(self, call: CallView, thread: Thread | None) -> Attempt | None:
        """A press or a text whose author is told of a store that refuses: nothing was claimed."""
        if not call.says_failed:
            return None
        pressed = None if thread is None else thread.toasted
        if pressed is not None and not pressed.claim and not pressed.told:
            return pressed
        idle = [one for one in self._attempts.open_of(call.caller) if not one.claim]
        found = next((one for one in idle if one.update.kind == TEXT), None)
        if found is not None:
            self._attempts.over(found)
        return found

    def _turned_away(
        self, call: CallView, thread: Thread | None, before: Attempt | None
    ) -> Attempt | None:
        """A text whose author is told that it comes too late, or too early: nothing was
        claimed. ``before`` is what its handler was at before, which has had its word."""
        if call.what != SAY or thread is None or not is_plain(call):
            return None
        if before is not None and not before.has_had_word(call):
            return None
        texts = [one for one in self._attempts.open_of(call.caller) if one.update.kind == TEXT]
        idle = [one for one in texts if not one.claim and self._may_be(one, thread, before)]
        found = next(iter(in_turn(idle, thread)), None)
        if found is not None:
            self._attempts.over(found)
        return found

    def _may_be(self, text: Attempt, thread: Thread, before: Attempt | None) -> bool:
        """Whether a handler may be at a text: it waits where the one before was, or began
        the handler, and nothing else that came with it could have."""
        if before is not None:
            return before.entry in (text.entry, *text.meant, *text.behind)
        with_it = [
            one for one in self._attempts.all if one.n == thread.root and one.update.kind == TEXT
        ]
        return with_it == [text]


def is_plain(call: CallView) -> bool:
    """Whether a message says something to somebody: no buttons, no prompt, no alarm."""
    return "reply_markup" not in call.body and call.body.get("text") != STORE_BROKEN
