"""Runs the application without a terminal, synchronously: press keys, look at the screen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input

from sim.play import load
from tui.app import HooktwinApp, Looks
from tui.feeds.runner import run_session
from tui.session import Session
from tui.shot import screen_text

WIDE = (120, 36)
SMALL = (80, 24)


def session(name: str = "reopen-teardown", *without: str) -> Session:
    """A run of its own, on the step driver."""
    return run_session(load(name), without=without, driver="step")


@cache
def shared(name: str = "reopen-teardown", *without: str) -> Session:
    """A run that nobody changes, read to its end."""
    made = session(name, *without)
    made.finish()
    return made


TRACES = Path(__file__).parent / "traces"


def recorded(name: str) -> Session:
    """A run that was written long ago: it looks the same whatever the twins do today."""
    made = Session.of_file(TRACES / f"{name}.jsonl")
    made.finish()
    return made


Script = Callable[["Pilot[None]"], Awaitable[Any]]


def perform(
    what: Session | str | None,
    script: Script,
    *,
    size: tuple[int, int] = WIDE,
    looks: Looks | None = None,
    step: int | None = None,
    view: str = "replay",
) -> HooktwinApp:
    """Run the application and let ``script`` press keys; gives the application."""
    app = HooktwinApp(what, looks, step=step, view=view)

    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            await settled(pilot)
            await script(pilot)

    asyncio.run(run())
    return app


class Typed(str):
    """A text that is written into the focused field at once, not key by key."""


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, and write texts; wait where a thread or a view has to come first."""
    for key in keys:
        if isinstance(key, Typed):
            field = pilot.app.screen.focused
            assert isinstance(field, Input), f"{field} is no field to write in"
            field.value += key
            field.cursor_position = len(field.value)
            await pilot.pause()
        else:
            await pilot.press(key)
            if key in SLOW:
                await settled(pilot)


SLOW = ("enter", "f", "slash", "colon", "ctrl+b", *"1234567")


async def settled(pilot: Pilot[None]) -> None:
    """Wait until no worker runs and nothing is left to draw."""
    quiet = 0
    for _ in range(2000):
        await pilot.pause()
        app = pilot.app
        assert isinstance(app, HooktwinApp)
        busy = app.is_typing or any(not worker.is_finished for worker in app.workers)
        quiet = 0 if busy else quiet + 1
        if quiet > 2:
            return
        if busy:
            await asyncio.sleep(0.005)
    raise AssertionError("the screen never came to rest")


def screen_after(
    what: Session | str | None,
    *keys: str,
    size: tuple[int, int] = WIDE,
    looks: Looks | None = None,
    step: int | None = None,
    view: str = "replay",
) -> str:
    """The screen as text when these keys have been pressed."""
    found: list[str] = []

    async def script(pilot: Pilot[None]) -> None:
        await press(pilot, *keys)
        await settled(pilot)
        found.append(screen_text(pilot.app))

    perform(what, script, size=size, looks=looks, step=step, view=view)
    return found[0]
