"""``hooktwin bridge``: the twin's own hook and listener between a real OpenCode and Telegram.

The same actors as in a simulation, in a world that keeps real time: their calls go out over
HTTP, their store is a real file. In that world the bots' tokens are placeholders; the real
ones exist only at the door.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import attrs
import trio

from sim.core.entropy import real_uuid4
from sim.core.errors import UsageError
from sim.core.event import Event, Noted
from sim.core.http import HttpRequest, HttpResponse, Unreached
from sim.core.trace import Header
from sim.drivers.http_asking import Endpoint
from sim.drivers.wall import WallDriver
from sim.live.bridge_settings import BridgeSettings
from sim.live.bridge_variables import BOT_TOKEN, HOOK_TOKEN
from sim.live.calling import ask_as
from sim.live.disk import RealDisk, owner_of, perform
from sim.live.outlet import Outlet
from sim.live.outsider import Outsider
from sim.live.recording import Recording
from sim.live.secrets import Secrets
from sim.live.tail import Tail
from sim.live.wallclock import show_real_time
from sim.protocols.question.before import BeforeTool
from sim.protocols.question.constants import (
    HOOK,
    KINDS,
    LEASE_SUFFIX,
    LISTENER,
    LOCK_SUFFIX,
    OPENCODE,
    STORE,
    TELEGRAM,
)
from sim.protocols.question.hook.plan import HookPlan
from sim.protocols.question.hook.twin import Hook
from sim.protocols.question.listener import Listener, ListenerPlan
from sim.protocols.question.store.lock import Signed
from sim.protocols.question.store.operations import Content, Held, ReadFile, RemoveFile
from sim.protocols.question.store.plan import PendingPlan
from sim.world import fault
from sim.world.world import World

HOOK_BOT: Final = "the-bot-that-asks"
LISTENER_BOT: Final = "the-bot-that-listens"
"""What stands for the tokens within the world."""
HOOK_TIMEOUT_US: Final = 6_000_000
CLOCK_S: Final = 5.0
"""How often the world's clock is set: a machine that slept has another time of day."""
TELEGRAM_S: Final = 10.0
Tell = Callable[[str], None]


@attrs.define
class Bridge:
    """Hook and listener at work. Raises UsageError when the recording cannot be made."""

    settings: BridgeSettings
    tell: Tell
    record: Path | None = None
    asked: int = attrs.field(default=0, init=False)
    """Questions that were handed to the hook."""
    secrets: Secrets = attrs.field(factory=Secrets, init=False)
    world: World = attrs.field(init=False)
    driver: WallDriver = attrs.field(init=False)
    opencode: Endpoint = attrs.field(init=False)
    telegram: Endpoint = attrs.field(init=False)
    recording: Recording | None = attrs.field(default=None, init=False)
    _outlets: list[Outlet] = attrs.field(factory=list, init=False)

    def __attrs_post_init__(self) -> None:
        settings = self.settings
        for token in (settings.token, settings.hook_token):
            self.secrets.keep(token)
            self.secrets.keep(token.partition(":")[2])
        for url in (settings.opencode, settings.telegram):
            self.secrets.keep(urlsplit(url).password or "")
        self.tell = self.secrets.telling(self.tell)
        self.opencode, self.telegram = Endpoint(settings.opencode), Endpoint(settings.telegram)
        # No two runs may draw the same ids: buttons of the last one still stand in the chat.
        self.world = world = World(int(real_uuid4().replace("-", ""), 16) >> 65)
        self.driver = WallDriver(world)
        world.events = Tail(sink=self._write)
        self._add_hosts()
        if self.record is not None:
            header = Header(
                scenario="bridge",
                protocol="question",
                seed=world.seed,
                driver="live",
                hosts=tuple((kind, kind) for kind in KINDS),
                outside=(OPENCODE, TELEGRAM),
            )
            self.recording = Recording(self.record, header, self.secrets)
        world.watch(Noted, self._noted)
        show_real_time(world)

    def _add_hosts(self) -> None:
        world, settings = self.world, self.settings
        hook = HookPlan(token=HOOK_BOT, chat=settings.chat, pending=self._pending(HOOK))
        listener = ListenerPlan(
            token=LISTENER_BOT, chat=settings.chat, pending=self._pending(LISTENER)
        )
        makers = {
            OPENCODE: Outsider,
            HOOK: lambda port: Hook(port, hook),
            STORE: RealDisk,
            LISTENER: lambda port: Listener(port, listener),
            TELEGRAM: Outsider,
        }
        for name in KINDS:
            world.add_host(name, name, makers[name], latency=(0, 0))
        for one in KINDS:
            for other in KINDS:
                world.latencies[one, other] = (0, 0)
        for name, ask in ((OPENCODE, self.opencode.ask), (TELEGRAM, self._ask_telegram)):
            self._outlets.append(outlet := Outlet(self.driver, ask))
            world.outlets[name] = outlet.take

    def _pending(self, role: str) -> PendingPlan:
        settings = self.settings
        return PendingPlan(
            path=settings.store,
            mode=settings.mode,
            owner=self._owner(role),
            lock_wait_ms=settings.lock_wait_ms,
        )

    def _owner(self, role: str) -> str:
        """How locks and the lease call this bridge: there may be others in its process."""
        return owner_of(f"{role}.{self.world.seed:x}")

    # -- what leaves the world -----------------------------------------------------------

    async def _ask_telegram(self, request: HttpRequest) -> HttpResponse | Unreached:
        """A call of the Bot API, with the token that its placeholder means."""
        _, bot, method = request.path.split("/", 2)
        token = {HOOK_BOT: self.settings.hook_token, LISTENER_BOT: self.settings.token}[
            bot.removeprefix("bot")
        ]
        path = f"/bot{token}/{method}"
        return await self.telegram.ask(
            HttpRequest(request.method, path, request.query, request.body)
        )

    def _write(self, event: Event) -> None:
        if self.recording is not None:
            had = self.recording.problem
            self.recording.write(event)
            if self.recording.problem and not had:
                self.tell(self.recording.problem)

    def _noted(self, event: Noted) -> None:
        """What hook and listener log."""
        if event.what == "log" and isinstance(event.data, dict):
            self.tell(str(event.data.get("text", "")))

    # -- what comes in -------------------------------------------------------------------

    async def before(self, told: BeforeTool) -> None:
        """A question is about to be asked, or stands at the desk: tell the hook."""
        self.asked += 1
        await ask_as(self.driver, OPENCODE, HOOK, told, HOOK_TIMEOUT_US)

    # -- running -------------------------------------------------------------------------

    async def check_bots(self) -> None:
        """Raises UsageError for a token that Telegram does not know."""
        bots = {LISTENER_BOT: BOT_TOKEN}
        if self.settings.hook_token != self.settings.token:
            bots[HOOK_BOT] = HOOK_TOKEN
        for bot, variable in bots.items():
            reply: Any = None
            with trio.move_on_after(TELEGRAM_S):
                reply = await self._ask_telegram(HttpRequest("GET", f"/bot{bot}/getMe"))
            if not isinstance(reply, HttpResponse):
                self.tell(f"Telegram is not reached at {self.settings.telegram}; trying on")
                return
            if reply.status in (401, 404):
                raise UsageError(f"{variable}: Telegram knows no bot with this token")

    async def run(self, nursery: trio.Nursery) -> None:
        """Work until cancelled; a twin that stumbles starts again from its store."""
        for outlet in self._outlets:
            outlet.enter(nursery)
        nursery.start_soon(self._keep_time)
        for name in KINDS:
            if not self.world.hosts[name].up:
                self.world.boot(name)
        while True:
            try:
                await self.driver.go(lambda: False, endless=True)
            except Exception as error:
                self.tell(f"the bridge stumbled: {type(error).__name__}: {error}; it starts again")
                await trio.sleep(1)
                self._restart()

    def _restart(self) -> None:
        self.driver.nudge()
        for name in (HOOK, LISTENER):
            self.world.cause = -1
            fault.crash(self.world, name)
            fault.restart(self.world, name)

    async def _keep_time(self) -> None:
        while True:
            self.driver.nudge()
            show_real_time(self.world)
            await trio.sleep(CLOCK_S)

    async def end(self) -> None:
        """Nothing more happens; what this process has signed is given back."""
        self.world.close()
        for suffix in (LOCK_SUFFIX, LEASE_SUFFIX):
            self._give_back(self.settings.store + suffix)
        if self.recording is not None:
            self.recording.close()
        for endpoint in (self.opencode, self.telegram):
            with suppress(Exception):
                await endpoint.close()

    def _give_back(self, path: str) -> None:
        there = perform(ReadFile(path))
        if isinstance(there, Content):
            owner = Signed.read(there).owner
            if owner in (self._owner(HOOK), self._owner(LISTENER)):
                perform(RemoveFile(path, Held(path, there.text)))
