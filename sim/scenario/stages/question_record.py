"""What real services did in a recorded run, as acts of puppets that do it again.

A recording of a bridge has its hook, its listener and its store as twins, and OpenCode and
Telegram as real programs: all that is known of those is what they asked and answered. What
other processes wrote into the store's file shows when it is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import attrs
import msgspec

from sim.core.event import CallAnswered, CallIssued, Erased, Event, Saved
from sim.core.http import HttpRequest, HttpResponse
from sim.protocols.question.acts import BreakStore, LeaveLock
from sim.protocols.question.before import BeforeTool
from sim.protocols.question.constants import (
    LEASE_SUFFIX,
    LOCK_SUFFIX,
    OPENCODE,
    TELEGRAM,
)
from sim.protocols.question.says import of_request
from sim.protocols.question.store.lock import Signed
from sim.protocols.question.store.operations import (
    Content,
    FileOperation,
    RemoveFile,
    RenameFile,
)
from sim.protocols.question.telegram.plan import CHAT
from sim.scenario.stages.question_puppets import PuppetAnswers, PuppetAsks
from sim.world.host import START_MS

SERVICES: Final = (OPENCODE, TELEGRAM)


@attrs.define
class _Record:
    """``asked``: the names of requests that wait; ``files``: what the disk was asked to do."""

    services: Sequence[str]
    asked: dict[int, str] = attrs.field(factory=dict)
    counts: dict[tuple[str, str, str], int] = attrs.field(factory=dict)
    files: dict[int, FileOperation] = attrs.field(factory=dict)
    chat: str = ""
    first: tuple[int, int] = (0, 0)
    """Number and time of the first event of this instant."""

    def take(self, event: Event) -> Iterator[tuple[int, str, Any]]:
        """→ before which event a host did what."""
        if event.at != self.first[1]:
            self.first = (event.n, event.at)
        match event:
            case CallIssued(request=BeforeTool() as told) if event.caller in self.services:
                yield event.n, event.caller, PuppetAsks(event.callee, told)
            case CallIssued() if event.callee in self.services:
                said = of_request(event.request)
                which = (event.caller, event.callee, "" if said is None else said[0])
                self.counts[which] = nth = self.counts.get(which, 0) + 1
                self.asked[event.n] = f"{which[2]} {nth}"
                self.chat = self.chat or _chat_of(event.request)
            case CallAnswered(reply=reply) if event.call in self.asked:
                if isinstance(reply, HttpResponse):
                    reply = msgspec.structs.replace(reply, body=_moved(reply.body, self.chat))
                to = self.asked.pop(event.call)
                yield event.n, event.callee, PuppetAnswers(event.caller, reply, to)
            case CallIssued(request=FileOperation() as request):
                self.files[event.n] = request
            case Saved(key=key, value=text) if self._is_foreign(event):
                yield self.first[0], event.host, _found(key, str(text))
            case Erased(key=key) if self._is_foreign(event):
                yield self.first[0], event.host, _found(key, "")

    def _is_foreign(self, event: Saved | Erased) -> bool:
        """Whether a file has changed by what another process has done."""
        request = self.files.get(event.cause)
        if request is None or isinstance(request, RenameFile | RemoveFile):
            return False
        return not isinstance(event, Saved) or getattr(request, "text", None) != event.value


def _found(path: str, text: str) -> Any:
    """What makes the same of a twin's file; a text where nothing does."""
    if path.endswith(LOCK_SUFFIX) and text:
        return LeaveLock(text=text)
    if path.endswith((LOCK_SUFFIX, LEASE_SUFFIX)):
        return f"another process had {path.rpartition('/')[2]}"
    return BreakStore(text or "{}")


def retold(events: Iterable[Event], services: Sequence[str]) -> Iterator[tuple[int, int, str, Any]]:
    """Before which event, when (µs), which host did what; a text: what nothing repeats. The
    recording's chat becomes the twins' own."""
    record = _Record(services)
    for event in events:
        for n, host, act in record.take(event):
            yield n, event.at, host, act


def ahead_us(events: Iterable[Event]) -> int:
    """How much the clocks of the recording's processes were ahead of those of a run, as the
    first lock or lease that one of them wrote tells."""
    for event in events:
        if isinstance(event, Saved) and event.key.endswith((LOCK_SUFFIX, LEASE_SUFFIX)):
            made = Signed.read(Content(str(event.value))).at
            return (made - START_MS) * 1_000 - event.at if made else 0
    return 0


def _chat_of(request: Any) -> str:
    """Where a message is sent; "" where none is."""
    body = request.body if isinstance(request, HttpRequest) else None
    return str(body.get("chat_id", "")) if isinstance(body, Mapping) else ""


def _moved(value: Any, chat: str) -> Any:
    """The same with the chat's number as a twin's plan has it."""
    if isinstance(value, Mapping):
        return {key: _moved(one, chat) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_moved(one, chat) for one in value]
    is_chat = type(value) in (int, str) and str(value) == chat
    return type(value)(CHAT) if is_chat else value
