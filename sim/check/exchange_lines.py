"""Records of calls over HTTP, one JSON object a line, as events.

A line of an exchange has ``from``, ``to``, ``at_ms`` (its start), ``done_ms``, ``request``
(method, path, query, body) and ``response`` (status, body; or ``error``). Beside them there may
be lines of the store (``to: store``, ``request.op: write``, ``response.state``) and of what
OpenCode and its plugin tell (``event``). What else stands in the file says nothing of calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import attrs

from sim.core.event import (
    CallAnswered,
    CallApplied,
    CallIssued,
    Event,
    HostCrashed,
    HostStarted,
    Noted,
    Saved,
)
from sim.core.http import HttpRequest, HttpResponse, Unreached
from sim.core.op import NO_ANSWER
from sim.protocols.question.before import BeforeTool, HookReturned
from sim.protocols.question.store.operations import RenameFile

Line = Mapping[str, Any]
Make = Callable[[int, int], Event]
MS_US: Final = 1_000
FILE: Final = "/pending.json"
TOOL_EVENTS: Final = ("question.asked", "question.replied", "question.rejected")


@attrs.frozen(order=True)
class Moment:
    """When something happened: the end of a call before what begins at the same time."""

    at_ms: float
    rank: int
    line: int
    part: int


class Exchanges:
    """The lines of one record; ``moments()`` are its events in order, with their lines."""

    def __init__(self) -> None:
        self.count = 0
        self.start_ms: int | None = None
        self._parts: list[tuple[Moment, Make]] = []
        self._numbers: dict[int, int] = {}
        self._befores: list[int] = []
        self._seen: dict[str, None] = {}

    def take(self, number: int, line: Line) -> bool:
        """The next line. → whether it says anything of calls, stores or questions."""
        at, source, target = _ms(line.get("at_ms")), str(line.get("from")), str(line.get("to"))
        request, event = line.get("request"), line.get("event")
        if at is None:
            return False
        if isinstance(request, Mapping) and target == "store":
            return self._store(number, at, source, request, line.get("response"))
        if isinstance(request, Mapping) and isinstance(request.get("path"), str):
            self._call(number, at, source, target, request, line)
            return True
        return isinstance(event, str) and self._event(number, at, line, event)

    def moments(self) -> Iterator[tuple[int, Event]]:
        """(line, event) in the order of time."""
        for n, (moment, make) in enumerate(sorted(self._parts, key=lambda part: part[0])):
            yield moment.line, make(n, round(moment.at_ms * MS_US))

    # -- calls ------------------------------------------------------------------------

    def _put(self, at: float, rank: int, line: int, part: int, make: Make) -> None:
        self._parts.append((Moment(at, rank, line, part), make))

    def _starts(self, at: float, line: int, host: str) -> None:
        """A host is there from its first word on."""
        if host not in self._seen:
            self._seen[host] = None
            self._put(at, 1, line, -1, lambda n, us: HostStarted(n, us, -1, host, 1))

    def _call(
        self, line: int, at: float, source: str, target: str, asked: Line, said: Line
    ) -> None:
        self.count += 1
        query = asked.get("query")
        pairs = query.items() if isinstance(query, Mapping) else ()
        request = HttpRequest(
            str(asked.get("method", "GET")),
            str(asked["path"]),
            tuple((str(key), str(value)) for key, value in pairs),
            asked.get("body"),
        )
        self._starts(at, line, source)

        def begins(n: int, us: int) -> Event:
            self._numbers[line] = n
            return CallIssued(n, us, -1, source, target, request)

        self._put(at, 1, line, 0, begins)
        done = _ms(said.get("done_ms"))
        if done is None or "response" not in said:
            return
        reply = _reply(said["response"])
        done = max(done, at)  # a clock that was set back meanwhile
        rank = 0 if done > at else 1

        def applied(n: int, us: int) -> Event:
            call = self._numbers[line]
            return CallApplied(n, us, call, source, target, call, request, reply)

        def ends(n: int, us: int) -> Event:
            call = self._numbers[line]
            return CallAnswered(n, us, call, source, target, call, reply)

        if isinstance(reply, HttpResponse):
            self._learn_clock(reply, done)
            self._put(done, rank, line, 1, applied)
        self._put(done, rank, line, 2, ends)

    def _learn_clock(self, reply: HttpResponse, done: float) -> None:
        """Telegram says when it has taken a message, in Unix seconds."""
        result = reply.body.get("result") if isinstance(reply.body, Mapping) else None
        date = result.get("date") if isinstance(result, Mapping) else None
        if self.start_ms is None and type(date) is int and result is not None:
            is_new = "edit_date" not in result and "reply_markup" not in result
            self.start_ms = date * 1_000 - round(done) if is_new else None

    # -- the store, OpenCode, processes ---------------------------------------------------

    def _store(self, line: int, at: float, source: str, asked: Line, said: Any) -> bool:
        state = said.get("state") if isinstance(said, Mapping) else None
        if asked.get("op") != "write" or not isinstance(state, Mapping):
            return True
        stamps = [
            one["timestamp"]
            for one in state.values()
            if isinstance(one, Mapping) and type(one.get("timestamp")) is int
        ]
        if source.startswith("hook") and stamps:
            self.start_ms = max(stamps) - round(at)
        self._starts(at, line, source)

        def asks(n: int, us: int) -> Event:
            self._numbers[line] = n
            return CallIssued(n, us, -1, source, "store", RenameFile(f"{FILE}.new", FILE))

        self._put(at, 1, line, 0, asks)
        self._saved(line, at, state, lambda: self._numbers[line])
        return True

    def _saved(self, line: int, at: float, state: Line, cause: Callable[[], int]) -> None:
        self._put(at, 1, line, 1, lambda n, us: Saved(n, us, cause(), "store", FILE, state))

    def _event(self, line: int, at: float, said: Line, event: str) -> bool:
        host = str(said.get("to"))
        if event in TOOL_EVENTS:
            told = {key: value for key, value in said.items() if key not in ("at_ms", "from", "to")}
            self._put(at, 1, line, 0, lambda n, us: Noted(n, us, -1, "opencode", event, told))
        elif event == "tool.execute.before":
            self._before(line, at, said, host)
        elif event == "hook_returned":
            self._returned(line, at, said)
        elif event == "preload" and isinstance(said.get("state"), Mapping):
            self._saved(line, at, said["state"], lambda: -1)
        elif event == "process_start":
            self._seen[host] = None
            self._put(at, 1, line, 0, lambda n, us: HostStarted(n, us, -1, host, line))
        elif event == "process_kill":
            self._put(at, 1, line, 0, lambda n, us: HostCrashed(n, us, -1, host, line))
        else:
            return False
        return True

    def _before(self, line: int, at: float, said: Line, host: str) -> None:
        given = said.get("input")
        asked: Line = given if isinstance(given, Mapping) else {}
        told = BeforeTool(
            str(asked.get("tool", "")),
            str(asked.get("sessionID", "")),
            str(asked.get("callID", "") or ""),
            said.get("args"),
            str(said.get("directory", "") or ""),
        )
        self._starts(at, line, host)

        def begins(n: int, us: int) -> Event:
            self._befores.append(n)
            return CallIssued(n, us, -1, "opencode", host, told)

        self._put(at, 1, line, 0, begins)

    def _returned(self, line: int, at: float, said: Line) -> None:
        reply = HookReturned(str(said.get("threw") or ""))
        host = str(said.get("from"))

        def ends(n: int, us: int) -> Event:
            call = self._befores.pop(0) if self._befores else -1
            return CallApplied(n, us, call, "opencode", host, call, None, reply)

        self._put(at, 1, line, 0, ends)


def is_exchange(line: Any) -> bool:
    """Whether a decoded line is one of such a record."""
    if not isinstance(line, Mapping) or not {"at_ms", "from", "to"} <= set(line):
        return False
    return isinstance(line.get("event"), str) or isinstance(line.get("request"), Mapping)


def _ms(value: Any) -> float | None:
    is_time = type(value) in (int, float) and 0 <= value < 1e15
    return float(value) if is_time else None


def _reply(said: Any) -> Any:
    """What the caller got."""
    response: Line = said if isinstance(said, Mapping) else {}
    status = response.get("status")
    if type(status) is int and 100 <= status <= 599:
        return HttpResponse(status, response.get("body"))
    error = str(response.get("error", "")).lower()
    if "refused" in error:
        return Unreached("refused")
    return NO_ANSWER if "time" in error or "abort" in error else Unreached("reset")
