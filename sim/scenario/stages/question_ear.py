"""What is said in a question run: requests and answers over HTTP, entries, facts.

The store's file changes by operations of a disk that say nothing to a reader; here each
change is told as what became of an entry, said by the process that made it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import attrs

from sim.core.event import CallAnswered, CallApplied, CallIssued, Erased, Event, Noted, Saved
from sim.core.http import HttpRequest
from sim.protocols.question import words
from sim.protocols.question.says import Says, of_answer, of_change, of_note, of_request
from sim.protocols.question.store.operations import FileOperation, ReadFile
from sim.scenario.playing.ear import Said, Spoken
from sim.scenario.stages.question_ledger import Ledger
from sim.wire.decode import NotJson, decode_json

PLAIN: Final = ("getMe", "getUpdates", words.READ, words.SESSIONS)
"""Requests that say little: nobody misses their arrows."""


@attrs.define(eq=False)
class QuestionEar:
    """``path`` is the file of ``store``; ``entries`` what stands in it, as far as it can be
    read. A ``ledger`` gets all that is heard."""

    store: str
    path: str
    ledger: Ledger | None = None
    entries: Mapping[str, Any] = attrs.field(factory=dict)
    kinds: tuple[type[Event], ...] = (
        CallIssued,
        CallApplied,
        CallAnswered,
        Saved,
        Erased,
        Noted,
    )
    _asked: dict[int, CallIssued] = attrs.field(factory=dict)
    _applied: dict[int, int] = attrs.field(factory=dict)
    _writers: dict[int, str] = attrs.field(factory=dict)

    def heard(self, event: Event) -> Iterable[Said]:
        """See :class:`sim.scenario.playing.ear.Ear`."""
        told = tuple(self._heard(event))
        if self.ledger is not None:
            for one in told:
                self.ledger.on(one)
        return told

    def _heard(self, event: Event) -> Iterable[Said]:
        match event:
            case CallIssued():
                return self._request(event)
            case CallApplied():
                self._applied[event.call] = event.n
                self._writers.pop(event.call, None)
            case CallAnswered():
                return self._answer(event)
            case Saved(host=host, key=key) if host == self.store and key == self.path:
                return self._changes(event)
            case Erased(host=host, key=key) if host == self.store and key == self.path:
                self.entries = {}  # moved aside: nobody has removed an entry
                if self.ledger is not None:
                    self.ledger.standing.clear()
            case Noted():
                return _said(event, event.host, event.host, [of_note(event.what, event.data)])
        return ()

    def _request(self, event: CallIssued) -> Iterable[Said]:
        if isinstance(event.request, FileOperation):
            self._writers[event.n] = event.caller
        if isinstance(event.request, ReadFile):
            says: Says | None = (words.READ, {}) if event.request.path == self.path else None
        else:
            says = of_request(event.request)
        if says is None:
            return ()
        self._asked[event.n] = event
        call = event.n if isinstance(event.request, HttpRequest) else -1
        spoken, is_plain = Spoken(*says, event.request), says[0] in PLAIN
        told = (event.n, event.at, event.cause, event.caller, event.callee, spoken)
        return (Said(*told, is_plain=is_plain, call=call),)

    def _answer(self, event: CallAnswered) -> Iterable[Said]:
        asked = self._asked.pop(event.call, None)
        place = self._applied.pop(event.call, -1)
        if asked is None:
            return ()
        answers = of_answer(asked.request, event.reply)
        return _said(event, event.callee, event.caller, answers, event.reply, place)

    def _changes(self, event: Saved) -> Iterable[Said]:
        """What a write has made of the entries; a half-written file says nothing."""
        try:
            after = decode_json(event.value)
        except NotJson:
            return ()
        if not isinstance(after, dict):
            return ()
        before, self.entries = self.entries, after
        writer = self._writers.get(event.cause, self.store)
        return _said(event, writer, self.store, of_change(before, after))


def _said(
    event: Event,
    sender: str,
    receiver: str,
    says: Iterable[Says | None],
    source: Any = None,
    place: int = -1,
) -> Iterator[Said]:
    told = [one for one in says if one is not None]
    for index, (name, fields) in enumerate(told):
        spoken = Spoken(name, fields, source)
        yield Said(event.n, event.at, event.cause, sender, receiver, spoken, index, place, True)
