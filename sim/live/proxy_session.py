"""``hooktwin proxy``: one session, from the first listener to the summary."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import attrs
import msgspec
import trio

from sim.check.judge import Finding
from sim.core.trace import Header
from sim.drivers.websocket import LOOPBACK, bind
from sim.live.control import serve_http
from sim.live.holding import Stop, allow_many_files, watch_signals
from sim.live.proxy import Proxy
from sim.live.proxy_book import Book
from sim.live.proxy_control import Control
from sim.live.proxy_director import RuleDirector
from sim.live.proxy_faults import Rule, Rules
from sim.live.proxy_keys import Keys
from sim.live.proxy_manner import Manner, manner_of
from sim.live.proxy_script import Script
from sim.live.proxy_upstream import Upstream
from sim.live.recording import Recording
from sim.live.secrets import Secrets
from sim.protocols.register import DEFAULT_PROTOCOL
from sim.scenario.syntax import Scenario

Press = Callable[[Callable[[str], None]], Awaitable[None]]


@attrs.frozen
class ProxyPlan:
    """What to stand between, and what to do there. ``control_port`` None: no control API;
    ``seconds`` None: until somebody ends it."""

    upstream: Upstream
    host: str = "127.0.0.1"
    port: int = 0
    control_port: int | None = 0
    recording: Path | None = None
    rules: tuple[Rule, ...] = ()
    scenario: Scenario | None = None
    seconds: float | None = None
    protocol: str = DEFAULT_PROTOCOL


@attrs.frozen
class ProxyOpened:
    """Where it can be reached; ``left_out`` are the lines of the scenario that are not played."""

    url: str
    control: str
    left_out: tuple[tuple[int, str], ...] = ()


@attrs.frozen
class ProxySummary:
    """What there was. ``types``: how many frames by (from the client?, type). ``unrecorded``:
    why the recording is not whole ("": it is)."""

    signal: int
    connections: int
    events: int
    types: dict[tuple[bool, str], int]
    faults: dict[str, int]
    broken: dict[str, int]
    recording: Path | None
    awaited: tuple[str, ...] = ()
    unrecorded: str = ""

    @property
    def ok(self) -> bool:
        """No finding, and the scenario waits for nothing."""
        return not (self.broken or self.awaited)


async def proxy_session(
    plan: ProxyPlan,
    opened: Callable[[ProxyOpened], None],
    tell: Callable[[Finding | str], None],
    stop: Stop,
    keys: Press | None = None,
) -> ProxySummary:
    """Stand between until a signal comes, time is up or ``stop`` says so.

    ``keys`` reads single keys.
    Raises UsageError when a port or the recording cannot be had.
    """
    allow_many_files()
    failure: Exception | None = None
    session = _Session(plan, tell)
    async with trio.open_nursery() as nursery:
        try:
            opened(await session.open(nursery, stop))
            await watch_signals(nursery, stop)
            if keys is not None:
                nursery.start_soon(keys, Keys(session.proxy, session.director, tell).press)
            await stop.within(plan.seconds)
            await session.proxy.leave()
        except Exception as error:
            # Raised again outside, where the nursery cannot wrap it in a group.
            failure = error
        finally:
            nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure
    session.book.finish()
    return session.summary(stop)


class _Session:
    """What is made for one plan, in order: the recording only when the port is ours."""

    book: Book
    proxy: Proxy
    director: RuleDirector

    def __init__(self, plan: ProxyPlan, tell: Callable[[Finding | str], None]) -> None:
        self._plan = plan
        self._secrets = Secrets()
        self._tell = _veiled(self._secrets, tell)
        self._script: Script | None = None

    async def open(self, nursery: trio.Nursery, stop: Stop) -> ProxyOpened:
        """Listen, for clients and for control. Raises UsageError."""
        plan = self._plan
        port, listeners = await bind(plan.port, "the proxy", plan.host)
        try:
            self._make(nursery)
            control = await self._open_control(nursery, stop)
        except BaseException:
            for listener in listeners:
                await trio.aclose_forcefully(listener)
            raise
        nursery.start_soon(self.proxy.serve, listeners)
        left_out = tuple(self._script.left_out) if self._script is not None else ()
        return ProxyOpened(f"ws://{_in_url(plan.host)}:{port}", control, left_out)

    def _make(self, nursery: trio.Nursery) -> None:
        plan = self._plan
        manner = manner_of(plan.protocol)
        kinds = tuple(kind for _, kind in manner.hosts)
        header = Header(protocol=manner.name, driver="live", scenario="proxy",
                        hosts=manner.hosts, outside=kinds)  # fmt: skip
        path, secrets = plan.recording, self._secrets
        recording = None if path is None else Recording(path, header, secrets)
        began = trio.current_time()

        def clock() -> int:
            return round((trio.current_time() - began) * 1_000_000)

        self._script = _script(plan, manner, nursery, self._tell)
        self.book = Book(clock, self._tell, recording, manner, secrets)
        others = () if self._script is None else (self._script,)
        self.director = RuleDirector(Rules(plan.rules), *others)
        self.proxy = Proxy(plan.upstream, self.book, self.director, self._tell, secrets)

    async def _open_control(self, nursery: trio.Nursery, stop: Stop) -> str:
        plan = self._plan
        if plan.control_port is None:
            return ""
        app = Control(self.proxy, self.director).app(stop.now)
        # Whoever may reach the proxy from elsewhere need not be allowed to steer it.
        port: int = await nursery.start(
            serve_http, app, LOOPBACK, plan.control_port, self._secrets.hide_answer
        )
        return f"http://{LOOPBACK}:{port}"

    def summary(self, stop: Stop) -> ProxySummary:
        """What there was."""
        book = self.book
        return ProxySummary(
            stop.signal,
            book.connections,
            book.events,
            dict(book.types),
            dict(book.faults),
            dict(book.broken),
            self._plan.recording,
            () if self._script is None else tuple(self._script.awaited()),
            book.unrecorded,
        )


def _veiled(
    secrets: Secrets, tell: Callable[[Finding | str], None]
) -> Callable[[Finding | str], None]:
    def told(news: Finding | str) -> None:
        if isinstance(news, str):
            tell(secrets.hide(news))
        else:
            tell(msgspec.structs.replace(news, text=secrets.hide(news.text)))

    return told


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _script(
    plan: ProxyPlan, manner: Manner, nursery: trio.Nursery, tell: Callable[[Finding | str], None]
) -> Script | None:
    if plan.scenario is None:
        return None

    def later(wait_s: float, do: Callable[[], None]) -> None:
        async def wait() -> None:
            await trio.sleep(wait_s)
            do()

        nursery.start_soon(wait)

    return Script(plan.scenario, later, tell, manner)
