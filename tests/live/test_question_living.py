"""The terminal UI on a served OpenCode and a served Telegram."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
import trio

from sim.live.bridging import Work
from tests.live.strangers import eventually, served
from tests.live.test_bridge import are_through, bridging, serving, settings, shown
from tests.live.test_living import status_of
from tests.tui.stage import Typed, perform, press, settled
from tui.feeds.live import Control, live_session
from tui.screens.living_faults import entries_for
from tui.shot import screen_text

pytestmark = pytest.mark.trio


async def test_a_button_pressed_by_the_menu_of_acts_answers_the_question(tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    screens: list[str] = []

    async def script(pilot) -> None:  # type: ignore[no-untyped-def]
        await press(pilot, "f", Typed("Alice  presses production"), "enter")
        await settled(pilot)
        screens.append(screen_text(pilot.app))

    async with served(serving(record)) as session:
        project = session.opened.hints["project"]
        async with bridging(Work(settings(session, tmp_path / "pending.json"), (project,))):
            await eventually(partial(shown, session, "Which environment"))
            seen = await trio.to_thread.run_sync(live_session, session.opened.control)
            await trio.to_thread.run_sync(perform, seen, script)
            told = await eventually(partial(are_through, session, 1))
    assert "presses production on 101: done, from step" in screens[0]
    assert '"production"' in told[0]["output"]


async def test_all_that_the_menu_offers_can_be_done() -> None:
    async with served(serving()) as session:
        control = Control.at(session.opened.control)
        present = await trio.to_thread.run_sync(control.present)
        entries = [one for one in entries_for(present) if one.value is not None]
        acts = [
            one.value for one in entries if one.value.path not in ("/crash", "/restart", "/sleep")
        ]
        statuses = {await trio.to_thread.run_sync(status_of, control, act) for act in acts}
    assert {"/ask", "/answer", "/dismiss", "/message", "/http", "/fault"} <= {a.path for a in acts}
    assert statuses <= {200, 409}
