"""A stage for the server twin: Slack and people for real, desktops held by hand."""

from __future__ import annotations

from typing import Any

import attrs

from sim.channel.api import ChannelFault, Press, Say
from sim.channel.history import ShownMessage
from sim.core.actor import Actor, CloseReason, Port
from sim.core.event import CallIssued, Event, Noted
from sim.core.op import Connection, Dial, Frame, Send
from sim.drivers.step import StepDriver
from sim.hosts.person import Person
from sim.hosts.server import server_host
from sim.hosts.slack import Slack
from sim.protocols.hook import (
    Hello,
    HookBody,
    InteractionCancel,
    InteractionRequest,
    Message,
    Pong,
    TaskAck,
    TurnEnd,
    TurnProgress,
    TurnReopen,
)
from sim.protocols.hook.frames import Button, TaskAttachment, TurnUsage
from sim.protocols.hook.rules import HookRules
from sim.protocols.hook.server import Limits, ServerPlan
from sim.protocols.hook.view import HookView
from sim.wire.absent import ABSENT
from sim.world import fault
from sim.world.world import World

SECOND_US = 1_000_000
MINUTE_US = 60 * SECOND_US


class Puppet(Actor):
    """A desktop that does what the test says, and answers pings if it is ``lively``."""

    __slots__ = ("conns", "play")

    def __init__(self, port: Port, play: Play) -> None:
        super().__init__(port)
        self.play = play
        self.conns: list[Connection] = []

    async def on_act(self, act: Any) -> None:
        if act[0] == "dial":
            conn = await self.perform(Dial("S", act[1]))
            if conn is not None:
                self.conns.append(conn)
        elif isinstance(act[1], Message):
            await self.perform(Send(self.conns[act[0]], act[1]))
        else:
            await self.say(self.conns[act[0]], act[1])

    async def on_frame(self, conn: Connection, frame: Frame) -> None:
        assert isinstance(frame, Message)
        self.play.received.append((self.port.name, conn.name, frame.body))
        if frame.type == "ping" and self.play.lively:
            await self.say(conn, Pong())

    async def on_close(self, conn: Connection, close: CloseReason) -> None:
        self.play.closed.append((conn.name, close.code, close.reason))

    async def say(self, conn: Connection, body: HookBody) -> None:
        frame = Message(body.TYPE, self.port.new_frame_id(), self.port.now_ms(), body)
        await self.perform(Send(conn, frame))


class Play:
    """Helpers that read like the domain. D and D2 are desktops, Alice and Bob people."""

    def __init__(
        self,
        *,
        off: tuple[str, ...] = (),
        limits: Limits | None = None,
        features: tuple[str, ...] = ("turn-reopen-v1",),
        restore: bool = False,
        seed: int = 1,
        preempt: bool = False,
        **more: Any,
    ) -> None:
        self.received: list[tuple[str, str, Any]] = []
        self.closed: list[tuple[str, int, str]] = []
        self.lively = True
        self.world = World(seed, preempt=preempt)
        self.driver = StepDriver(self.world)
        self.view = HookView()
        for kind in self.view.kinds:
            self.world.watch(kind, self.view.on)
        facts: dict[str, Any] = {
            "channels": {"IM": "slack"},
            "bindings": {("slack", "Alice"): "D", ("slack", "Bob"): "D2"},
            "announces": False,
        }
        self.plan = ServerPlan(
            **{**facts, **more},
            rules=attrs.evolve(HookRules(), **dict.fromkeys(off, False)),
            features=features,
            limits=limits or Limits(),
            restore_on_close=restore,
        )
        self.add_hosts()
        for name in list(self.world.hosts):
            self.world.boot(name)
        self.run(0.001)

    def add_hosts(self) -> None:
        """Who is in the world."""
        world = self.world
        world.add_host("S", "server", server_host(self.plan))
        world.add_host("IM", "slack", lambda port: Slack(port, "S"), latency=(80_000, 250_000))
        for name in ("Alice", "Bob"):
            world.add_host(name, "person", lambda port: Person(port, "IM"))
        for name in ("D", "D2"):
            world.add_host(name, "desktop", lambda port: Puppet(port, self))

    # -- time and faults -------------------------------------------------------

    def run(self, seconds: float = 1.0) -> None:
        """Let virtual time pass."""
        self.driver.run(limit_us=self.world.now + int(seconds * SECOND_US))

    def cut(self, nth: int = -1, how: str = "rst", who: str = "D", wait: float = 0.5) -> None:
        fault.cut(self.world, self.puppet(who).conns[nth].link, how)
        self.run(wait)

    def crash(self) -> None:
        fault.crash(self.world, "S")

    def restart(self, wait: float = 1.0) -> None:
        fault.restart(self.world, "S")
        self.run(wait)

    def channel(self, op: str, outcome: str, seconds: float = 0.0, always: bool = False) -> None:
        """The channel answers the next such call like this."""
        self.world.act("IM", ChannelFault(op, outcome, int(seconds * SECOND_US), always))
        self.driver.drain()

    # -- desktops --------------------------------------------------------------

    def puppet(self, who: str = "D") -> Any:
        return self.world.hosts[who].actor

    def dial(self, who: str = "D", lane: str = "slack") -> None:
        self.world.act(who, ("dial", lane))
        self.run(0.3)

    def send(self, body: HookBody, who: str = "D", nth: int = -1, wait: float = 0.5) -> None:
        """A frame on the nth connection of a desktop; runs until it has had its effect."""
        self.world.act(who, (nth, body))
        self.run(wait)

    def send_frame(self, frame: Message, who: str = "D") -> None:
        """A frame exactly as it is."""
        self.world.act(who, (-1, frame))
        self.run(0.5)

    def hello(self, who: str = "D", nth: int = -1, wait: float = 0.5, **fields: Any) -> None:
        facts: dict[str, Any] = {
            "protocol_version": 1,
            "device_id": who,
            "device_name": who,
            "workspaces": ("chat", "web"),
            "agents": ("a",),
        }
        self.send(Hello(**{**facts, **fields}), who, nth, wait)

    def connect(self, who: str = "D", **fields: Any) -> None:
        self.dial(who)
        self.hello(who, **fields)

    def got(self, kind: type[HookBody], who: str = "D", link: str = "") -> list[Any]:
        """The frames of a type that a desktop received (on one of its connections)."""
        return [
            body
            for name, conn, body in self.received
            if name == who and type(body) is kind and conn.startswith(link)
        ]

    def ack(self, request: str, result: str = "accepted", who: str = "D", **more: Any) -> None:
        nth = more.pop("nth", -1)
        body = TaskAck(
            request_id=request,
            result=result,
            reason=more.pop("reason", None),
            session_id=None if result == "rejected" else "s-1",
            queue_position=more.pop("position", None),
        )
        self.send(body, who, nth)

    def progress(self, request: str, text: str, who: str = "D", **more: Any) -> None:
        self.send(TurnProgress(request_id=request, text=text), who, **more)

    def end(
        self,
        request: str,
        status: str = "ok",
        text: str = "",
        who: str = "D",
        files: tuple[str, ...] = (),
        **more: Any,
    ) -> None:
        attached = tuple(TaskAttachment(name=f, mime_type="x/y", data_base64="aA") for f in files)
        body = TurnEnd(
            request_id=request,
            external_key="k",
            session_id="s-1",
            status=status,
            final_text="" if status == "error" else text,
            error_message=text or "broken" if status == "error" else None,
            usage=TurnUsage(duration_ms=None),
            attachments=attached or ABSENT,
        )
        self.send(body, who, **more)

    def reopen(self, request: str, of: str, who: str = "D", **more: Any) -> None:
        body = TurnReopen(
            request_id=request,
            reopen_of=of,
            external_key=more.pop("key", "k"),
            session_id="s-1",
            reason="user-continued",
        )
        self.send(body, who, **more)

    def ask(self, request: str, card: str = "A1", who: str = "D", **more: Any) -> None:
        buttons = tuple(Button(id=b, label=b.title(), style="default") for b in ("yes", "no"))
        body = InteractionRequest(
            request_id=request,
            interaction_id=card,
            kind="permission",
            title="Allow?",
            body="rm",
            buttons=buttons,
        )
        self.send(body, who, **more)

    def take_back(self, request: str, card: str = "A1", reason: str = "timed out") -> None:
        self.send(InteractionCancel(request_id=request, interaction_id=card, reason=reason))

    # -- people ------------------------------------------------------------------

    def say(
        self, text: str, who: str = "Alice", thread: str | None = None, wait: float = 1.0
    ) -> str:
        """Somebody writes; gives the newest requestId."""
        self.world.act(who, Say("", text, thread))
        self.run(wait)
        return next(reversed(self.view.requests), "")

    def press(self, card: str, button: str, who: str = "Alice", wait: float = 1.0) -> None:
        message = self.view.card_of(card)
        assert message is not None
        self.world.act(who, Press("", message.id, button))
        self.run(wait)

    # -- what a reader sees -------------------------------------------------------

    def message(self, subject: str) -> ShownMessage:
        found = self.view.history.about(subject)
        assert found is not None, f"nothing about {subject}"
        return found

    def shows(self, subject: str) -> tuple[str, str]:
        """(chip, text) of the message of a request."""
        message = self.view.message_of(subject)
        assert message is not None, f"nothing about {subject}"
        return message.state, message.text

    def chips(self, subject: str) -> list[str]:
        """All chips that the message had, repetitions left out."""
        message = self.view.message_of(subject)
        assert message is not None
        chips = [version.state for version in message.versions]
        return [c for i, c in enumerate(chips) if i == 0 or chips[i - 1] != c]

    def posts(self) -> int:
        """Messages of the bot about requests."""
        messages = self.view.history.messages.values()
        return sum(m.by_bot and m.role == "request" for m in messages)

    def events(self, kind: type[Event]) -> list[Any]:
        return [event for event in self.world.events if type(event) is kind]

    def notes(self, what: str) -> list[Any]:
        return [event.data for event in self.events(Noted) if event.what == what]

    def calls(self, kind: type[Any]) -> list[Any]:
        """The requests of this kind that were issued to the channel."""
        return [e.request for e in self.events(CallIssued) if type(e.request) is kind]


def failed_task(play: Play) -> str:
    """D is connected and has failed a task of Alice's; gives its requestId."""
    play.connect()
    request = play.say("fix it")
    play.ack(request)
    play.end(request, "error", "e1")
    assert play.shows(request) == ("FAILED", "e1")
    return request


def slow_edit_in_front(play: Play) -> None:
    play.channel("edit", "latency", 3)
    play.progress("K1", "p", wait=0.3)
    play.cut(wait=0.3)


def slow_close_out(play: Play) -> None:
    play.channel("edit", "latency", 3)
    play.cut(wait=0.3)


def refused_close_out(play: Play) -> None:
    play.channel("edit", "rate_limited", 3)
    play.cut(wait=0.5)


DELAYS = (slow_edit_in_front, slow_close_out, refused_close_out)
"""What may keep a close-out back while the next session begins."""
