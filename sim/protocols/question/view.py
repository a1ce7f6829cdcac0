"""What was sent, shown and stored in a run of the question bridge, folded.

``QuestionView.on(event)`` takes the events in order. Oracles, reports and the terminal UI
ask it; it knows nothing but the trace: calls over HTTP with their answers, operations on
the store's disk and what stands in its files, what OpenCode and the logs tell. Who is
what is seen by what it does: who asks for updates is a listener, and so on.

What is new with the last event stands in ``news``: (word, what it is about).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import unquote

import attrs

from sim.core.event import (
    Acted,
    CallAnswered,
    CallApplied,
    CallIssued,
    CallLost,
    Erased,
    Event,
    FaultInjected,
    HostCrashed,
    HostStarted,
    Noted,
    Saved,
    TimerFired,
)
from sim.core.http import HttpRequest
from sim.protocols.question.before import BeforeTool
from sim.protocols.question.constants import LIST_PATH
from sim.protocols.question.store.operations import (
    Content,
    CreateFile,
    Failed,
    FileOperation,
    NotHeld,
    ReadFile,
)
from sim.protocols.question.telegram.plan import CHAT
from sim.protocols.question.view_attempts import Attempts
from sim.protocols.question.view_calls import LIST, OTHER, REJECT, REPLY, CallView, update_of
from sim.protocols.question.view_records import BeforeView, FileView, LogView, ToolView
from sim.protocols.question.view_store import MAIN, StoreFold
from sim.protocols.question.view_threads import Threads
from sim.world.host import START_MS

POLL: Final = "getUpdates"
MS: Final = 1_000
SLOW_DISK_US: Final = 300_000
"""A disk that takes so long is in trouble."""


@attrs.frozen(kw_only=True)
class Surroundings:
    """What a view is told beforehand: the chat whose members may answer, by listener (""
    is any other listener's), the Unix time at which the run begins, None if unknown, the
    tokens of bots that may read no text of a group, and the hosts of people with curl, who
    may ask for what they like."""

    chats: Mapping[str, str] = attrs.field(factory=lambda: {"": CHAT})
    private: frozenset[str] = frozenset()
    visitors: frozenset[str] = frozenset()
    start_ms: int | None = START_MS


def on_time() -> int:
    """How late things may come where nobody puts anything off (µs)."""
    return 0


class QuestionView:
    """The folded state of a run.

    ``calls`` are those over HTTP that are not answered yet, by number; ``stores`` the disks
    by host; ``tools`` the questions by requestID; ``befores`` the tool calls that hooks were
    told of; ``up`` the hosts that live, with the time they came up; ``listed`` the last
    known form of each listed question, by requestID; ``usernames`` how the bots of hosts
    are called. ``late_us``: how much later than due a
    timer may fire (a search puts things off). ``is_log``: what happened between the calls
    is not known.
    """

    def __init__(self, told: Surroundings | None = None, *, is_log: bool = False) -> None:
        self.told = told or Surroundings()
        self.is_log = is_log
        self.late_us: Callable[[], int] = on_time
        self.now = 0
        self.news: list[tuple[str, Any]] = []
        self.calls: dict[int, CallView] = {}
        self.stores: dict[str, StoreFold] = {}
        self.tools: dict[str, ToolView] = {}
        self.befores: list[BeforeView] = []
        self.polls: dict[str, CallView] = {}
        self.up: dict[str, int] = {}
        self.epochs: dict[str, int] = {}
        self.asleep: dict[str, int] = {}
        self.skews: dict[str, int] = {}
        self.listed: dict[str, Mapping[str, Any]] = {}
        self.logs: list[LogView] = []
        self.usernames: dict[str, str] = {}
        self.threads = Threads()
        self.attempts = Attempts(self)
        self._files: dict[int, FileView] = {}
        self._trouble: dict[str, int] = {}
        self._open_befores: dict[int, BeforeView] = {}
        self._handlers: dict[type[Event], Callable[[Any], None]] = {
            CallIssued: self._issued,
            CallApplied: self._applied,
            CallAnswered: self._answered,
            CallLost: self._passed,
            Saved: self._saved,
            Erased: self._erased,
            Noted: self._noted,
            Acted: self._passed,
            TimerFired: self._passed,
            FaultInjected: self._fault,
            HostStarted: self._started,
            HostCrashed: self._crashed,
        }

    @property
    def kinds(self) -> tuple[type[Event], ...]:
        """The event classes that matter here."""
        return tuple(self._handlers)

    def on(self, event: Event) -> None:
        """Take the next event of the trace."""
        handler = self._handlers.get(type(event))
        if handler is not None:
            self.now = event.at
            self.news.clear()
            handler(event)

    # -- questions ---------------------------------------------------------------

    def store(self, host: str) -> StoreFold:
        """The files of a disk."""
        found = self.stores.get(host)
        if found is None:
            found = self.stores[host] = StoreFold(host)
        return found

    def chat_of(self, listener: str) -> str:
        """The chat that a listener serves; "" where that is not known."""
        chats = self.told.chats
        return chats.get(listener, chats.get("", ""))

    def clock_ms(self, host: str) -> int | None:
        """What a host's clock says, Unix milliseconds; None where nobody knows."""
        start = self.told.start_ms
        return None if start is None else start + (self.now + self.skews.get(host, 0)) // MS

    def grace_us(self, host: str = "") -> int:
        """How much later than due a host may be: what it has slept, what a search puts off."""
        return self.late_us() + self.asleep.get(host, 0)

    def is_led_by_another(self, listener: str) -> bool:
        """Whether somebody else has the lease by now, and gets these updates, too; or it
        knows that it has lost it, to whomever."""
        if any(listener in store.deposed for store in self.stores.values()):
            return True
        leases = [store.lease for store in self.stores.values() if store.lease is not None]
        return any(
            one.by not in ("", listener) and not one.owner.startswith(f"{listener}#")
            for one in leases
        )

    def had_trouble(self, host: str, since: int) -> bool:
        """Whether the disk has not let a host do what it wanted, or held nonsense."""
        if any(store.broken_at >= 0 for store in self.stores.values()):
            return True
        broken = [store.last_broken_at for store in self.stores.values()]
        return max(self._trouble.get(host, -1), *broken, -1) >= since

    def tell(self, word: str, fact: Any) -> None:
        """Something is so since this event."""
        self.news.append((word, fact))

    # -- hosts -------------------------------------------------------------------

    def _passed(self, event: Event) -> None:
        """Time has passed, and no more."""

    def _started(self, event: HostStarted) -> None:
        self.up[event.host] = event.at
        self.epochs[event.host] = event.epoch
        self.tell("started", event.host)

    def _crashed(self, event: HostCrashed) -> None:
        self.up.pop(event.host, None)
        for store in self.stores.values():
            store.deposed.pop(event.host, None)
        self.polls.pop(event.host, None)
        for n in [n for n, call in self.calls.items() if call.caller == event.host]:
            del self.calls[n]
        for n in [n for n, b in self._open_befores.items() if event.host in (b.hook, b.opencode)]:
            del self._open_befores[n]
        for tool in self.tools.values():
            if tool.host == event.host and tool.is_open:
                tool.closed_at, tool.state = event.at, "forgotten"
        self.attempts.crashed(event.host)
        self.tell("crashed", event.host)

    def _fault(self, event: FaultInjected) -> None:
        verb, _, rest = event.fault.partition(" ")
        if verb in ("sleep", "skew"):
            host, _, by_us = rest.partition(" ")
            kept = self.asleep if verb == "sleep" else self.skews
            kept[host] = kept.get(host, 0) + int(by_us.removesuffix("us"))

    # -- calls -------------------------------------------------------------------

    def _issued(self, event: CallIssued) -> None:
        request = event.request
        if isinstance(request, HttpRequest):
            call = _call_of(event, request)
            self.calls[event.n] = call
            if call.what == POLL:
                self.polls[event.caller] = call
                self.threads.polls(event.n, event.caller)
            else:
                self.threads.issued(event.n, event.cause, event.caller)
            self.attempts.issued(call, event)
            before = self.served_by(call.n, call.caller) if call.what == "sendMessage" else None
            if before is not None:
                before.sent.append(call)
            self.tell("polled" if call.what == POLL else "issued", call)
        elif isinstance(request, FileOperation):
            self.threads.issued(event.n, event.cause, event.caller)
            self.store(event.callee).learns(getattr(request, "path", ""))
            file = FileView(event.n, event.at, event.caller, event.callee, request)
            self._files[event.n] = file
            self.tell("file", file)
        elif isinstance(request, BeforeTool):
            tool = BeforeView(event.n, event.at, event.caller, event.callee, request)
            self.befores.append(tool)
            self._open_befores[event.n] = tool
            self.threads.began(event.n, event.callee, event.n)
            self.tell("before", tool)

    def _applied(self, event: CallApplied) -> None:
        call = self.calls.get(event.call)
        if call is not None:
            call.applied_at, call.reply = event.at, event.reply
            self.tell("applied", call)
        elif event.call in self._files:
            file = self._files[event.call]
            file.reply = event.reply
            self._look_for_trouble(file)
            self.tell("filed", file)
        before = self._open_befores.pop(event.call, None)
        if before is not None:
            before.returned_at, before.reply = event.at, event.reply
            self.tell("returned", before)

    def _answered(self, event: CallAnswered) -> None:
        call = self.calls.pop(event.call, None)
        self.threads.answered(event.n, event.call)
        if call is None:
            file = self._files.get(event.call)
            if file is not None and event.at - file.at > SLOW_DISK_US:
                self._has_trouble(file)
            if file is not None and file.reply is not None:  # else it may still be carried out
                self.store(file.store).answered(file, event.reply)
                del self._files[event.call]
            return
        call.ended_at, call.answer = event.at, event.reply
        for item in call.items:
            self.listed[str(item.get("id"))] = item
        if call.what == "getMe" and isinstance(call.result, Mapping):
            self.usernames[call.caller] = str(call.result.get("username", ""))
        self.attempts.ended(call)
        self.tell("ended", call)
        is_its = call.what == POLL and call.caller not in self.told.visitors
        if is_its and call.succeeded and isinstance(call.result, list):
            for raw in call.result:
                update = update_of(raw)
                if update is not None:
                    self.attempts.came(call.caller, update, event)

    def _look_for_trouble(self, file: FileView) -> None:
        is_taken = isinstance(file.request, CreateFile) and isinstance(file.reply, Content)
        if is_taken or isinstance(file.reply, (Failed, NotHeld)):
            self._has_trouble(file)

    def _has_trouble(self, file: FileView) -> None:
        self._trouble[file.caller] = self.now
        thread = self.threads.of(file.n, file.caller)
        if thread is not None and thread.before >= 0:
            self._of_before(thread.before).has_trouble = True

    # -- the disk -----------------------------------------------------------------

    def writer(self, cause: int) -> str:
        """Who asked the disk for what follows from this event; "" for nobody.

        A read changes nothing: what is new with it was written by a program that nobody sees.
        """
        file = self._files.get(cause)
        return "" if file is None or isinstance(file.request, ReadFile) else file.caller

    def _saved(self, event: Saved) -> None:
        if not isinstance(event.value, (str, Mapping)) or not self._is_disk(event):
            return
        store, by = self.store(event.host), self.writer(event.cause)
        was_broken = store.broken_at
        changes = store.saved(event.n, event.at, event.key, event.value, by)
        self._changed(event, store, changes, by)
        if store.broken_at >= 0 and was_broken < 0:
            self.tell("broken", store)
        elif was_broken >= 0 and store.broken_at < 0 and store.kind(event.key) == MAIN:
            self.tell("mended", store)

    def _is_disk(self, event: Saved | Erased) -> bool:
        return event.host in self.stores or event.key.startswith("/") or event.cause in self._files

    def _erased(self, event: Erased) -> None:
        if self._is_disk(event):
            store, by = self.store(event.host), self.writer(event.cause)
            changes = store.erased(event.n, event.at, event.key, by)
            self._changed(event, store, changes, by)

    def _changed(self, event: Event, store: StoreFold, changes: Any, by: str) -> None:
        thread = self.threads.of(event.cause, by) if by else None
        for word, entry, before in changes:
            entry.changed_by = by
            self.attempts.entry_changed(word, entry, before, by, thread)
            if word == "entry" and thread is not None and thread.before >= 0:
                self._of_before(thread.before).entries.append(entry)
            self.tell(word, (entry, before))

    def _of_before(self, n: int) -> BeforeView:
        return next(one for one in reversed(self.befores) if one.n == n)

    def served_by(self, n: int, host: str) -> BeforeView | None:
        """The tool call that a hook serves with what event ``n`` is or follows from."""
        thread = self.threads.of(n, host)
        if thread is not None and thread.before >= 0:
            return self._of_before(thread.before)
        mine = self.open_befores(host)
        return mine[0] if len(mine) == 1 else None

    def open_befores(self, hook: str) -> list[BeforeView]:
        """The tool calls that a hook has not returned from."""
        return [one for one in self._open_befores.values() if one.hook == hook]

    # -- what hosts tell ------------------------------------------------------------

    def _noted(self, event: Noted) -> None:
        data: Mapping[str, Any] = event.data if isinstance(event.data, Mapping) else {}
        if event.what == "log":
            level, text = (str(data.get(name, "")) for name in ("level", "text"))
            line = LogView(event.n, event.at, event.host, level, text)
            self.logs.append(line)
            self.tell("log", line)
        elif event.what == "question.asked":
            id = str(data.get("requestID", ""))
            tool = ToolView(
                id, str(data.get("sessionID", "")), str(data.get("callID", "") or ""),
                str(data.get("directory", "")), event.host, event.at,
            )  # fmt: skip
            self.tools[id] = tool
            self.tell("asked", tool)
        elif event.what in ("question.replied", "question.rejected"):
            self._closed(event, data)
        elif type(event.data) is int:
            self.attempts.noted(event.what, event.cause, event.host, event.data)

    def _closed(self, event: Noted, data: Mapping[str, Any]) -> None:
        tool = self.tools.get(str(data.get("requestID", "")))
        if tool is None:
            return
        tool.closes.append(f"{event.what.removeprefix('question.')} by {data.get('by', '')}")
        tool.state = str(data.get("tool_state", tool.state))
        if tool.is_open:
            tool.closed_at, tool.answers = event.at, data.get("answers")
        self.tell("closed", tool)


def _call_of(event: CallIssued, request: HttpRequest) -> CallView:
    """A request by what it asks for."""
    what, id = OTHER, ""
    if request.path.startswith("/bot"):
        what = request.path.rpartition("/")[2]
    elif request.path == LIST_PATH and request.method == "GET":
        what = LIST
    elif request.path.startswith(f"{LIST_PATH}/") and request.method == "POST":
        id, _, last = unquote(request.path).removeprefix(f"{LIST_PATH}/").rpartition("/")
        what = last if last in (REPLY, REJECT) else OTHER
    return CallView(event.n, event.at, event.caller, event.callee, what, request, id)
