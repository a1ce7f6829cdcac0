"""The terminal UI on a session that is going on: keys pressed there are felt by a real desktop."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
from trio_websocket import ConnectionClosed

from sim.core.errors import UsageError
from sim.core.event import FaultInjected
from tests.live.strangers import events, served, stranger
from tests.tui.stage import Typed, perform, press, settled
from tui.feeds.live import Control, LiveAct, Refused, live_session
from tui.screens.living_faults import entries_for
from tui.shot import screen_text

pytestmark = pytest.mark.trio


async def test_a_message_and_a_cut_of_the_fault_menu_reach_the_desktop(tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    screens: list[str] = []

    async def script(pilot) -> None:  # type: ignore[no-untyped-def]
        for wanted in ("P  says hello on slack", "D.slack#1  cut rst"):
            await press(pilot, "f", Typed(wanted), "enter")
            await settled(pilot)
            screens.append(screen_text(pilot.app))

    async with served(record=record) as session, stranger(session.slack) as desktop:
        await desktop.hello()
        seen = await trio.to_thread.run_sync(live_session, session.opened.control)
        await trio.to_thread.run_sync(perform, seen, script)
        assert (await desktop.hear("task.dispatch"))["prompt"] == "hello"
        with pytest.raises(ConnectionClosed):
            await desktop.hear("no more")
    assert "P says hello on slack: done, from step" in screens[0]
    assert "cut D.slack#1 rst: done, from step" in screens[1]
    assert [one.fault for one in events(record, FaultInjected)] == ["cut D.slack#1 rst"]
    assert seen.last > 0


async def test_what_the_session_refuses_is_told_with_what_it_would_do(tmp_path: Path) -> None:
    statuses: dict[int, None] = {}
    async with served() as session:
        control = Control.at(session.opened.control)
        with pytest.raises(Refused, match="S is up; possible: /crash"):
            await trio.to_thread.run_sync(
                control.act, LiveAct("restart S", "/restart", {"host": "S"})
            )
        present = await trio.to_thread.run_sync(control.present)
        for entry in entries_for(present):
            if entry.group in ("frame", "channel", "person"):
                statuses[await trio.to_thread.run_sync(status_of, control, entry.value)] = None
        with pytest.raises(UsageError, match="keeps no recording"):
            await trio.to_thread.run_sync(control.recording)
    with pytest.raises(UsageError, match="does not answer"):
        await trio.to_thread.run_sync(control.present)
    assert set(statuses) == {200, 409}, "the menu says nothing that makes no sense"


def status_of(control: Control, act: LiveAct) -> int:
    try:
        waits = control.act(act) is None
    except Refused as refused:
        return refused.status
    assert waits == (act.path in ("/lose", "/duplicate", "/delay", "/pass"))
    return 200
