"""Tales: a few events made by hand, and their bad twin that a watcher must complain of.

A tale is a function ``(tale, bad)``; it is told twice, once well and once with
the one thing in it that the row forbids. Nothing runs: no world, no twin. The
desktop is D on its connection D.slack#1 to S, the channel is IM, the person Alice.
"""

from __future__ import annotations

import copy
from typing import Any

from sim.channel.api import Done, EditMessage, PostMessage
from sim.core.event import (
    CallAnswered,
    CallApplied,
    CallIssued,
    ConnectionClosed,
    ConnectionOpened,
    Erased,
    FrameDelivered,
    FrameLost,
    FrameSent,
    Noted,
    Saved,
)
from sim.protocols.handmade import Handmade
from sim.protocols.hook.frames import MESSAGES
from sim.protocols.hook.oracles.oracle import HookInvariant
from sim.protocols.hook.parse import parse_hook_message
from sim.protocols.hook.server.stored import Final, RequestRow, RoundRow
from sim.protocols.hook.server.texts import WORKING_TEXT
from sim.protocols.hook.view import HookView
from sim.wire.message import Message


class Tale(Handmade):
    """Events of the desktop, the server, the channel and Alice."""

    view: HookView
    CALM_S = 600
    LAST = "IM"

    def __init__(self, invariant: type[HookInvariant]) -> None:
        super().__init__(HookView(), invariant, ("S", "D", "IM"))
        self.frames = 0
        self.link = ""
        self.links = 0
        self.typed = False  # frames are said as a twin says them: never looked at by a parser
        self.nth: dict[tuple[str, str], int] = {}

    # -- connections and frames ---------------------------------------------------

    def dial(self, lane: str = "slack", client: str = "D") -> None:
        """A new connection, the present one from now on."""
        self.links += 1
        self.link = f"{client}.{lane}#{self.links}"
        self.tell(ConnectionOpened, link=self.link, client=client, server="S", lane=lane)

    def connect(
        self, lane: str = "slack", features: tuple[str, ...] = ("turn-reopen-v1",), **hello: Any
    ) -> None:
        """Dial and shake hands."""
        self.dial(lane)
        facts = {"deviceId": "d-1", "features": list(features), "defaultWorkspace": None}
        self.desktop("hello", **{**facts, "workspaces": ["chat", "web"], **hello})
        self.server("welcome", features=list(features))

    def desktop(self, kind: str, /, lost: bool = False, cause: int = -1, **payload: Any) -> int:
        """A frame of the desktop; the number of its delivery (or loss)."""
        return self._frame(kind, self.link.partition(".")[0], "S", lost, cause, payload)

    def server(self, kind: str, /, lost: bool = False, cause: int = -1, **payload: Any) -> int:
        """A frame of the server."""
        return self._frame(kind, "S", self.link.partition(".")[0], lost, cause, payload)

    def _frame(
        self, kind: str, sender: str, receiver: str, lost: bool, cause: int, payload: dict[str, Any]
    ) -> int:
        self.frames += 1
        frame = made(kind, f"{sender}-{self.frames}", payload, typed=self.typed)
        nth = self.nth[self.link, sender] = self.nth.get((self.link, sender), 0) + 1
        where: dict[str, Any] = {"link": self.link, "sender": sender, "receiver": receiver}
        sent = self.tell(FrameSent, cause, nth=nth, frame=frame, **where)
        self.wait(0.05)
        if lost:
            return self.tell(FrameLost, sent, sent=sent, type=kind, why="reset", **where)
        return self.tell(FrameDelivered, sent, sent=sent, type=kind, **where)

    def cut(self) -> None:
        """The connection breaks; both ends notice."""
        client = self.link.partition(".")[0]
        for host, peer in (("S", client), (client, "S")):
            facts: dict[str, Any] = {"code": 1006, "reason": "", "by": "fault"}
            self.tell(ConnectionClosed, link=self.link, host=host, peer=peer, **facts)

    # -- what hosts store, do and note -----------------------------------------------

    def save(self, host: str, key: str, value: Any, cause: int = -1) -> int:
        """A durable row."""
        return self.tell(Saved, cause, host=host, key=key, value=value)

    def erase(self, host: str, key: str, cause: int = -1) -> int:
        """A durable row goes."""
        return self.tell(Erased, cause, host=host, key=key)

    def note(self, host: str, what: str, data: Any, cause: int = -1) -> int:
        """A host tells a fact."""
        return self.tell(Noted, cause, host=host, what=what, data=data)

    def call(self, request: Any, reply: Any = None, cause: int = -1) -> int:
        """The server asks the channel for something, which is applied."""
        facts = {"caller": "S", "callee": "IM"}
        call = self.tell(CallIssued, cause, request=request, **facts)
        self.wait(0.1)
        answer = reply or Done(getattr(request, "message", ""))
        self.tell(CallApplied, call, call=call, request=request, reply=answer, **facts)
        self.tell(CallAnswered, call, call=call, reply=answer, **facts)
        return call

    # -- the life of a task ----------------------------------------------------------

    def store(self, request: str = "R1", state: str = "RUNNING", **more: Any) -> None:
        """The server's row of a request."""
        facts: dict[str, Any] = {
            "event": f"e-{request}", "lane": "slack", "device": "d-1", "person": "Alice",
            "chat": "C1", "thread": "m0", "key": "slack:C1", "prompt": "fix", "workspace": "chat",
            "message": f"m-{request}", "posts": 1, "cancel": False, "created_us": self.now,
            "ended_us": 0, "final": None, "written": True,
        }  # fmt: skip
        row = RequestRow(request=request, state=state, **{**facts, **more})
        self.save("S", f"request/{request}", row)

    def store_round(self, request: str, of: str, state: str = "OPEN", **more: Any) -> None:
        """The server's row of a continuation."""
        facts: dict[str, Any] = {
            "root": "R1", "serial": 1, "connection": self.link, "ended_us": 0,
            "final": None, "written": True,
        }  # fmt: skip
        row = RoundRow(request=request, reopen_of=of, state=state, **{**facts, **more})
        self.save("S", f"round/{request}", row)

    def task(self, request: str = "R1", **dispatch: Any) -> None:
        """Asked for, stored, posted, dispatched and acked."""
        self.store(request, "WAITING")
        self.post(request)
        self.dispatch(request, **dispatch)
        self.desktop("task.ack", requestId=request, **ACCEPTED)
        self.store(request, "RUNNING")

    def dispatch(self, request: str = "R1", **more: Any) -> int:
        """The task goes to the desktop."""
        facts: dict[str, Any] = {"requestId": request, "externalKey": "slack:C1"}
        facts |= {"workspace": "chat", "sessionId": None, "prompt": "fix"}
        return self.server("task.dispatch", **{**facts, **more})

    def post(self, request: str, text: str = WORKING_TEXT, state: str = "WORKING") -> None:
        """The message of a request."""
        post = PostMessage("C1", "m0", text, state, "request", request)
        self.call(post, Done(f"m-{request}"))

    def edit(self, request: str, text: str, state: str, by: str = "") -> None:
        """The message of a request changes."""
        self.call(EditMessage(f"m-{request}", text, state, by=by))

    def end(self, request: str = "R1", status: str = "ok", text: str = "done", **more: Any) -> None:
        """turn.end, with whatever else belongs to its status."""
        facts: dict[str, Any] = {"requestId": request, "externalKey": "slack:C1", "status": status}
        facts |= {"finalText": text, "errorMessage": text if status == "error" else None}
        self.desktop("turn.end", **{**facts, **more})

    def failed(self, request: str = "R1") -> None:
        """A task that failed, and is shown so."""
        self.task(request)
        self.end(request, "error", "disk full")
        self.store(request, "ENDED", ended_us=self.now, final=Final("disk full", "FAILED"))
        self.edit(request, "disk full", "FAILED", f"{request} on {self.link}")

    def reopen(self, request: str = "K1", of: str = "R1", **more: Any) -> int:
        """The desktop goes on with it."""
        facts: dict[str, Any] = {"requestId": request, "reopenOf": of, "externalKey": "slack:C1"}
        return self.desktop("turn.reopen", **{**facts, **more})


ACCEPTED: dict[str, Any] = {
    "result": "accepted", "reason": None, "sessionId": "s-1", "queuePosition": None,
}  # fmt: skip


def made(kind: str, id: str, payload: dict[str, Any], *, typed: bool = False) -> Message:
    """A frame: the example of its type with these fields, good or bad."""
    cls = MESSAGES.get(kind)
    full = {**({} if cls is None else copy.deepcopy(cls.EXAMPLE)), **payload}
    wire = {"v": 1, "type": kind, "id": id, "ts": 1, "payload": full}
    verdict = parse_hook_message(wire)
    if verdict.message is not None:
        return Message(kind, id, 1, verdict.message.body)
    if typed and cls is not None:
        return Message(kind, id, 1, cls.from_wire(full))
    return Message(kind, id, 1, None, wire)
