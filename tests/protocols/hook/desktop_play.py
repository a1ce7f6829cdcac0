"""A stage for the desktop twin: one desktop in a real world, opposite a hand-held server."""

from __future__ import annotations

from typing import Any

import attrs

from sim.core.actor import Actor, CloseReason, Port
from sim.core.op import Close, Connection, Frame, Send
from sim.drivers.step import StepDriver
from sim.protocols.hook import HookBody, Message, Pong, TaskDispatch, TaskSource, Welcome
from sim.protocols.hook.desktop import Desktop, DesktopConfig, DesktopSettings
from sim.protocols.hook.rules import HookRules
from sim.wire.absent import ABSENT
from sim.world.fault import crash
from sim.world.host import Host
from sim.world.world import World

SECOND_US = 1_000_000
FEATURES = ("turn-reopen-v1", "session-picker-v1", "multi-team")


class HandHeldServer(Actor):
    """Welcomes each hello if told so; else does only what the test says."""

    __slots__ = ("play",)

    def __init__(self, port: Port, play: Play) -> None:
        super().__init__(port)
        self.play = play

    async def on_open(self, conn: Connection) -> None:
        self.play.sockets.append(conn)

    async def on_frame(self, conn: Connection, frame: Frame) -> None:
        assert isinstance(frame, Message)
        self.play.received.append((conn.name, frame.body))
        if frame.type == "hello" and self.play.welcomes:
            await self.say(conn, Welcome(server_name="S", features=self.play.features))
        elif frame.type == "ping" and self.play.pongs:
            await self.say(conn, Pong())

    async def on_close(self, conn: Connection, close: CloseReason) -> None:
        self.play.closed.append((conn.name, close.code, close.reason))

    async def on_act(self, act: Any) -> None:
        conn, body = act
        if isinstance(body, tuple):
            await self.perform(Close(conn, *body))
        else:
            await self.say(conn, body)

    async def say(self, conn: Connection, body: Any) -> None:
        frame = body
        if isinstance(body, HookBody):
            frame = Message(body.TYPE, self.port.new_frame_id(), self.port.now_ms(), body)
        await self.perform(Send(conn, frame))


class Play:
    """Helpers that read like the domain."""

    def __init__(
        self,
        *,
        rules_off: tuple[str, ...] = (),
        welcomes: bool = True,
        features: tuple[str, ...] = FEATURES,
        start: bool = True,
        settings: DesktopSettings | None = None,
        **config: Any,
    ) -> None:
        self.received: list[tuple[str, Any]] = []
        self.sockets: list[Any] = []
        self.closed: list[tuple[str, int, str]] = []
        self.welcomes = welcomes
        self.pongs = False
        self.features = features
        rules = attrs.evolve(HookRules(), **dict.fromkeys(rules_off, False))
        config.setdefault("workspaces", ("chat", "web"))
        self.config = DesktopConfig(
            "d-1", rules=rules, settings=settings or DesktopSettings(), **config
        )
        self.world = World(7)
        self.driver = StepDriver(self.world)
        self.world.add_host("S", "server", lambda port: HandHeldServer(port, self))
        self.host: Host = self.world.add_host(
            "D", "desktop", lambda port: Desktop(port, self.config)
        )
        if start:
            self.world.boot("S")
            self.world.boot("D")
            self.pass_time(1)

    # -- what happens ----------------------------------------------------------

    @property
    def conn(self) -> Any:
        """The newest socket, at the server's end."""
        return self.sockets[-1]

    def pass_time(self, seconds: float) -> None:
        self.driver.run(limit_us=self.world.now + int(seconds * SECOND_US))

    def stay(self, seconds: float) -> None:
        """Time passes on a connection that lives: the server answers pings."""
        while seconds > 0:
            self.pass_time(min(seconds, 20))
            self.say(Pong(), 0)
            seconds -= 20

    def say(self, body: Any, seconds: float = 0.5, conn: Any = None) -> None:
        """The server writes a frame, and some time passes."""
        self.world.act("S", (conn or self.conn, body))
        self.pass_time(seconds)

    def do(self, act: Any, seconds: float = 0.5) -> None:
        """The person or the agent at the desktop acts."""
        self.world.act("D", act)
        self.pass_time(seconds)

    def dispatch(self, request: str, key: str = "slack:T:C:1", **more: Any) -> None:
        seconds = more.pop("seconds", 0.5)
        conn = more.pop("conn", None)
        self.say(dispatched(request, key, **more), seconds, conn)

    def close(self, code: int = 1000, reason: str = "") -> None:
        """The server closes the newest socket."""
        self.world.act("S", (self.conn, (code, reason)))
        self.pass_time(0.2)

    def go_offline(self) -> None:
        """The server's process dies: the desktop notices, and cannot come back."""
        crash(self.world, "S")
        self.pass_time(0.2)

    def come_back(self, seconds: float = 40) -> None:
        self.world.boot("S")
        self.pass_time(seconds)

    def restart_desktop(self, seconds: float = 2) -> None:
        crash(self.world, "D")
        self.world.boot("D")
        self.pass_time(seconds)

    def desktop(self) -> Desktop:
        """The actor in its present life."""
        assert isinstance(self.host.actor, Desktop)
        return self.host.actor

    # -- what is seen ----------------------------------------------------------

    def frames(self, type: str = "", request: str = "") -> list[Any]:
        """What the server received so far, of this type and about this request."""
        return [
            body
            for _, body in self.received
            if (not type or type == body.TYPE)
            and (not request or getattr(body, "request_id", "") == request)
        ]

    def types(self) -> list[str]:
        return [body.TYPE for _, body in self.received]

    def last(self, type: str, request: str = "") -> Any:
        return self.frames(type, request)[-1]

    def forget(self) -> None:
        """Look only at what comes from now on."""
        self.received.clear()


def dispatched(request: str, key: str = "slack:T:C:1", **more: Any) -> TaskDispatch:
    """A task as a server sends it, in the folder ``chat`` unless told otherwise."""
    fields: dict[str, Any] = {
        "workspace": "chat",
        "session_id": None,
        "prompt": "do it",
        "options": ABSENT,
        "attachments": ABSENT,
        "source": TaskSource(im="slack"),
    }
    return TaskDispatch(request_id=request, external_key=key, **{**fields, **more})
