"""``hooktwin serve``: the twin server, with twin channels, for real desktops to connect to."""

from __future__ import annotations

import resource
import signal
from collections.abc import Callable
from contextlib import suppress

import attrs
import trio

from sim.live.control import serve_http
from sim.live.doors import Doors
from sim.live.house import House, Plan
from sim.live.routes import control_app
from sim.scenario.playing.result import Failure

GOING_AWAY = 1001
# Seconds for all programs together to take leave.
LEAVE_S = 3.0
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


@attrs.frozen
class Address:
    """Where to listen; port 0 asks for any free one."""

    host: str = "127.0.0.1"
    port: int = 0
    control_port: int = 0
    token: str = ""


@attrs.frozen
class Opened:
    """Where things can be reached: ``urls`` by lane, ``control`` over HTTP."""

    urls: dict[str, str]
    control: str


@attrs.frozen
class Summary:
    """What there was when it ended. ``signal`` 0: the diagram was played to its end, time was
    up, or somebody asked for the end over the control API."""

    signal: int
    frames: int
    events: int
    findings: int
    broken: dict[str, int]
    failures: tuple[Failure, ...]

    @property
    def ok(self) -> bool:
        """No finding, and every line of the diagram came true."""
        return not (self.findings or self.failures)


@attrs.define
class Stop:
    """Why a session ends: a signal's number, or 0; ``failure``: a twin of ours stumbled."""

    signal: int = 0
    event: trio.Event = attrs.Factory(trio.Event)
    failure: Exception | None = None

    def now(self, number: int = 0) -> None:
        """End it."""
        self.signal = self.signal or number
        self.event.set()

    async def within(self, seconds: float | None) -> None:
        """Wait until it is to end, at most so long (None: as long as it takes)."""
        with trio.move_on_after(float("inf") if seconds is None else seconds):
            await self.event.wait()


async def serve(
    plan: Plan,
    address: Address,
    opened: Callable[[Opened], None],
    tell: Callable[[str], None],
    stop: Stop | None = None,
) -> Summary:
    """Serve until a signal comes, ``stop`` says so, or the diagram has been played.

    Raises UsageError when a port or the recording cannot be had.
    """
    allow_many_files()
    stop = stop or Stop()
    house = House(plan, tell)
    failure: Exception | None = None
    async with trio.open_nursery() as nursery:
        try:
            await _open(house, address, nursery, opened, stop)
            await watch_signals(nursery, stop)
            nursery.start_soon(_run, house, stop)
            await stop.within(plan.seconds)
            with trio.move_on_after(LEAVE_S):
                await house.gateway.close_all(GOING_AWAY, "the server is going away")
        except trio.Cancelled:
            raise
        except Exception as error:
            # Raised again outside, where the nursery cannot wrap it in a group.
            failure = error
        finally:
            nursery.cancel_scope.cancel()
            house.end()
    failure = failure or stop.failure
    if failure is not None:
        raise failure
    return _summary(house, stop)


async def _open(
    house: House,
    address: Address,
    nursery: trio.Nursery,
    opened: Callable[[Opened], None],
    stop: Stop,
) -> None:
    doors = Doors(house, nursery, address.token)
    port = await doors.open(address.host, address.port)
    app = control_app(house, stop.now)
    control = await nursery.start(serve_http, app, address.host, address.control_port)
    where = f"[{address.host}]" if ":" in address.host else address.host
    urls = {lane: f"ws://{where}:{port}{path}" for path, lane in doors.paths.items()}
    house.boot()
    opened(Opened(urls, f"http://{where}:{control}"))


async def _run(house: House, stop: Stop) -> None:
    try:
        await house.driver.go(house.over, endless=True)
    except Exception as error:
        stop.failure = error
    finally:
        stop.now()


def _summary(house: House, stop: Stop) -> Summary:
    return Summary(
        stop.signal,
        house.gateway.frames,
        len(house.tail),
        house.findings.count,
        dict(house.findings.broken),
        house.failures(),
    )


async def watch_signals(nursery: trio.Nursery, stop: Stop) -> None:
    """Let SIGINT, SIGTERM and SIGHUP end a session gently; the second one as usual."""
    numbers = [number for name in SIGNALS if (number := getattr(signal, name, None)) is not None]
    wanted = [n for n in numbers if signal.getsignal(n) is not signal.SIG_IGN]

    async def watch(task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        with trio.open_signal_receiver(*wanted) as came:
            task_status.started()
            async for number in came:
                stop.now(number)
                return

    with suppress(RuntimeError):  # outside the main thread nobody gets signals
        await nursery.start(watch)


def allow_many_files() -> None:
    """A socket is an open file, and a shell allows a process few of them by default."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = hard if hard != resource.RLIM_INFINITY else 1 << 16
    if soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, 1 << 16), hard))
