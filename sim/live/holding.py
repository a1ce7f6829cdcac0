"""A live session from its beginning to its end: signals, a limit of time, a farewell, a summary."""

from __future__ import annotations

import resource
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import attrs
import trio

from sim.live.session import Session
from sim.scenario.playing.result import Failure

GOING_AWAY = 1001
# Seconds for all programs together to take leave.
LEAVE_S = 3.0
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")


@attrs.frozen
class Summary:
    """What there was when it ended. ``signal`` 0: the diagram was played to its end, time was
    up, or somebody asked for the end over the control API. ``unrecorded``: why the recording
    is not whole ("": it is). ``counted`` is what ``frames`` are called."""

    signal: int
    frames: int
    events: int
    findings: int
    broken: dict[str, int]
    failures: tuple[Failure, ...]
    unrecorded: str = ""
    counted: str = "frame"

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


async def hold(
    session: Session[Any],
    stop: Stop,
    begin: Callable[[trio.Nursery], Awaitable[None]],
    seconds: float | None,
    farewell: str,
) -> Summary:
    """Let a session begin, and go on until a signal comes, time is up, ``stop`` says so, or
    its diagram has been played. ``farewell`` is the reason in the Close frames.

    Raises what ``begin`` raises, and what a twin stumbled over.
    """
    allow_many_files()
    failure: Exception | None = None
    async with trio.open_nursery() as nursery:
        try:
            # First: whoever begins may already wait for somebody.
            await watch_signals(nursery, stop)
            await begin(nursery)
            nursery.start_soon(_run, session, stop)
            await stop.within(seconds)
            await _leave(session, farewell)
        except trio.Cancelled:
            raise
        except Exception as error:
            # Raised again outside, where the nursery cannot wrap it in a group.
            failure = error
        finally:
            nursery.cancel_scope.cancel()
            session.end()
    failure = failure or stop.failure
    if failure is not None:
        raise failure
    return Summary(
        stop.signal,
        session.gateway.frames,
        len(session.tail),
        session.findings.count,
        dict(session.findings.broken),
        tuple(_veiled(one, session.secrets.hide) for one in session.failures()),
        session.recording.problem if session.recording is not None else "",
        session.COUNTED,
    )


async def _leave(session: Session[Any], farewell: str) -> None:
    """Hang up everywhere; that is nobody's fault."""
    session.findings.close()
    with trio.move_on_after(LEAVE_S):
        await session.gateway.close_all(GOING_AWAY, farewell)


def _veiled(failure: Failure, hide: Callable[[str], str]) -> Failure:
    return attrs.evolve(failure, expected=hide(failure.expected), happened=hide(failure.happened))


async def _run(session: Session[Any], stop: Stop) -> None:
    try:
        await session.driver.go(session.over, endless=True)
    except Exception as error:
        stop.failure = error
    finally:
        stop.now()


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
