"""What servers do with what people say: one request each, /stop and /new."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.channel.api import SEEN, PersonSaid
from sim.core.event import CallApplied, CallIssued, Event, FrameSent, Saved
from sim.core.invariant import Handler
from sim.protocols.hook.machine import OPEN, REDELIVERED, UNENDED
from sim.protocols.hook.oracles.oracle import SECOND_US, HookInvariant
from sim.protocols.hook.server.accounts.rows import CommandRow
from sim.protocols.hook.server.stored import EventRow, RequestRow
from sim.protocols.hook.view import HookView
from sim.protocols.hook.view_records import LinkView, RequestView

PATIENCE_US = 15 * SECOND_US


class OneRequestPerEvent(HookInvariant):
    name = "one-request-per-event"
    sentence = "However often a channel repeats its event, it makes one request."
    catalogue = ("HK-37", "HK-39")
    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._requests: dict[str, str] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(Saved, RequestRow): self._saved}

    def _saved(self, event: Saved) -> str | None:
        row = event.value
        self.exercised += 1
        first = self._requests.setdefault(row.event, row.request)
        if first == row.request:
            return None
        return f"the event {row.event} makes a second request {row.request}, after {first}"


class SeenMeansStored(HookInvariant):
    name = "seen-means-stored"
    sentence = "A channel's event is confirmed only when what follows from it is durable."
    catalogue = ("HK-38",)
    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._stored: dict[str, None] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (Saved, RequestRow): self._request,
            (Saved, EventRow): self._event,
            (Saved, CommandRow): self._request,
            (CallApplied, PersonSaid): self._said,
        }

    def _request(self, event: Saved) -> str | None:
        self._stored[event.value.event] = None
        return None

    def _event(self, event: Saved) -> str | None:
        self._stored[event.key.removeprefix("event/")] = None
        return None

    def _said(self, event: CallApplied) -> str | None:
        said = event.request
        text = said.text.strip()
        if event.reply != SEEN or not said.to_bot or text in ("", "/new"):
            return None  # a /new where nothing has been said needs no memory
        self.exercised += 1
        if said.event in self._stored:
            return None
        return f"{event.callee} confirms {said.event} ({said.text!r}), but nothing is stored of it"


class CancelNamesWhatRuns(HookInvariant):
    name = "cancel-names-what-runs"
    sentence = "task.cancel names a request or round that is at work, on its own connection."
    from_frames = True
    catalogue = ("HK-65", "HK-172")
    obeyed_by = "server"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, "task.cancel"): self._sent}

    def _sent(self, event: FrameSent) -> str | None:
        self.exercised += 1
        over = self.view.rounds.get(self.request)
        if over is not None:
            stored = over.stored
            if over.link == event.link and (stored is None or stored.state == OPEN):
                return None
            return f"{event.sender} cancels round {over.request}, which is {over.state}"
        request = self.view.requests.get(self.request)
        if request is None:
            return f"{event.sender} cancels {self.request!r}, which does not exist"
        row = request.stored
        if row is not None and row.state not in REDELIVERED:
            return f"{event.sender} cancels {request.request}, which is {row.state}"
        return None


class StopReachesTheTask(HookInvariant):
    """A confirmed /stop cancels the running turn of its thread, or there was none."""

    name = "stop-reaches-the-task"
    sentence = "/stop in a thread cancels what runs there, by the id it runs under."
    catalogue = ("HK-65", "HK-172")
    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._stops: list[tuple[str, str, str | None, int]] = []

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(CallApplied, PersonSaid): self._said}

    def _said(self, event: CallApplied) -> str | None:
        said = event.request
        if said.text.strip() == "/stop" and said.to_bot and event.reply == SEEN:
            self._stops.append((event.caller, said.chat, said.thread, self.view.now))
        return None

    def at_end(self) -> Iterator[str]:
        if not self._stops:
            return
        for request in self.view.requests.values():
            row = request.stored
            if row is None or not self._stopped(request, row) or not self._only_one(request):
                continue
            self.exercised += 1
            if row.state in UNENDED and not request.ended and not request.cancels:
                yield f"/stop was said to {request.request}, and no cancel was sent"

    def _stopped(self, request: RequestView, row: RequestRow) -> bool:
        """Whether /stop was said in its thread, and there was time to pass it on."""
        for channel, chat, thread, at in self._stops:
            if (channel, chat, thread) == (request.channel, row.chat, row.thread):
                since = max(at, self._ready_since(row))
                if at > row.created_us and self.view.now - since > PATIENCE_US:
                    return True
        return False

    def _ready_since(self, row: RequestRow) -> int:
        for link in self.view.links.values():
            mine = link.device == row.device and link.serves(row.lane)
            if self.is_foreign(self.view.requests[row.request], link):
                continue
            if mine and link.server_open and link.welcomes:
                return link.welcomed_us
        return self.view.now

    def _only_one(self, request: RequestView) -> bool:
        """Nothing else was at work in its thread that the stop could have meant."""
        place = (request.chat, request.thread)
        return all(
            other is request or (other.chat, other.thread) != place
            for other in self.view.requests.values()
        )


class NewArchivesTheSession(HookInvariant):
    name = "new-archives-the-session"
    sentence = "/new archives the thread's session on its desktop, and only /new does."
    catalogue = ("HK-137",)
    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._archived: dict[str, None] = {}
        self._done_with: dict[str, None] = {}
        self._newest: dict[str, RequestRow | None] = {}
        self._said_new = 0

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (CallIssued, PersonSaid): self._asked,
            (CallApplied, PersonSaid): self._done,
            (FrameSent, "session.archive"): self._archives,
        }

    def _asked(self, event: CallIssued) -> str | None:
        said = event.request
        if said.text.strip() == "/new":
            self._said_new += 1
            if said.event not in self._newest:
                self._newest[said.event] = self._row(said)
        return None

    def _row(self, said: PersonSaid) -> RequestRow | None:
        """The newest request of the thread in which somebody says /new."""
        for request in reversed(self.view.requests.values()):
            row = request.stored
            if row is not None and (row.chat, row.thread) == (said.chat, said.thread):
                return row
        return None

    def _archives(self, event: FrameSent) -> str | None:
        self._archived[self.view.said.external_key] = None
        return None if self._said_new else f"{event.sender} archives a session, nobody said /new"

    def _done(self, event: CallApplied) -> str | None:
        said = event.request
        if said.text.strip() != "/new" or not said.to_bot or event.reply != SEEN:
            return None
        if said.event in self._done_with:
            return None
        self._done_with[said.event] = None
        newest = self._newest.get(said.event)
        link = None if newest is None else self._ready(newest)
        if newest is None or link is None or newest.person != said.person:
            return None
        accounts = self.view.accounts
        if not accounts.may_ask(newest.lane, said.team or "", said.person, newest.device):
            return None
        self.exercised += 1
        if newest.key in self._archived or link.welcomed_us == self.view.now:
            return None
        return f"/new was said in {newest.key}, and its session is not archived"

    def _ready(self, row: RequestRow) -> LinkView | None:
        for link in self.view.links.values():
            mine = link.device == row.device and link.serves(row.lane)
            if mine and link.server_open and link.welcomes:
                return link
        return None
