"""Which question an answer goes to (§6, QT-18, QT-33 … QT-36, QT-47, DQ-03, DQ-04)."""

from __future__ import annotations

from sim.protocols.question.oracles.oracle import OfListener
from sim.protocols.question.view_calls import REPLY, CallView, call_id_of
from sim.protocols.question.view_matching import match_of
from sim.protocols.question.view_records import Attempt


class ListsComeBeforeReplies(OfListener):
    name = "lists-come-before-replies"
    sentence = "An attempt has seen the question in a list of its own before it replies."
    catalogue = ("QT-18",)
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        attempt = call.attempt
        if call.what != REPLY or attempt is None or attempt.is_unsure:
            return None
        self.exercised += 1
        ids = [item.get("id") for one in attempt.lists for item in one.items]
        if call.id in ids:
            return None
        return f"{call.caller} replies to {call.id}, which it has not seen listed"


class RepliesGoToTheQuestion(OfListener):
    name = "replies-go-to-the-question"
    sentence = (
        "The known requestID decides; else the callID; else the only question of the session "
        "that has no other callID and offers the option. Where nothing decides nobody is "
        "answered."
    )
    catalogue = ("QT-11", "QT-33", "QT-34", "QT-35", "QT-36", "QT-47", "QT-50", "I7")
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        attempt = call.attempt
        if call.what != REPLY or attempt is None or attempt.entry is None or attempt.is_unsure:
            return None
        lists = [one for one in attempt.lists if one.succeeded]
        if not lists:
            return None
        self.exercised += 1
        due = due_of(attempt, lists[-1])
        if due == call.id:
            return None
        told = f"which is for {due}" if due else "though nothing says which question is meant"
        return f"{call.caller} replies to {call.id} for {attempt.entry.id}, {told}"


class OtherCallsAreOthers(OfListener):
    name = "other-calls-are-others"
    sentence = "Where the entry and the question both name a call, it is the same call and session."
    catalogue = ("QT-34", "QT-35", "QT-36", "QT-47", "I7")
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        attempt, item = call.attempt, self.view.listed.get(call.id)
        if call.what != REPLY or attempt is None or attempt.entry is None or item is None:
            return None
        self.exercised += 1
        entry = attempt.entry
        mine, its = entry.text("callID"), call_id_of(item)
        if mine and its and mine != its:
            return f"{call.caller} answers {its} with what was chosen for {mine}"
        if not (mine and its) and item.get("sessionID") != entry.text("sid"):
            return f"{call.caller} answers {item.get('sessionID')} for {entry.text('sid')}"
        return None


class FoundIsAnswered(OfListener):
    name = "found-is-answered"
    sentence = "As soon as a list has the question, it is answered, and not looked for again."
    catalogue = ("QT-11", "QT-34", "QT-40", "QT-50")
    IN_LOGS = True

    def on_issued(self, call: CallView) -> str | None:
        attempt = call.attempt
        if attempt is None or attempt.is_unsure or call not in attempt.lists[1:]:
            return None
        self.exercised += 1
        return self._missed(attempt, attempt.lists[-2])

    def _missed(self, attempt: Attempt, before: CallView) -> str | None:
        if attempt.entry is None or attempt.replies or not before.succeeded:
            return None
        due = due_of(attempt, before)
        if not due:
            return None
        return f"{attempt.listener} looks for {due} again, which was listed"


def due_of(attempt: Attempt, listed: CallView) -> str:
    """The question that an attempt has to answer after this list, "" for none."""
    assert attempt.entry is not None
    return match_of(attempt.entry, listed.items, attempt.cached, attempt.update.index)
