"""What a folder runs with, as the person sees it: Slack's rows and others' (section 12)."""

from __future__ import annotations

from typing import Any

import attrs

from sim.core.op import Note
from sim.protocols.hook import Preference, PrefsState, ProviderPrefsState
from sim.protocols.hook.desktop import asks
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.records import Lane
from sim.protocols.hook.desktop.ties import concerns, neutral_ties, slack_ties
from sim.wire.absent import Absent


async def told(desk: Desk, lane: Lane, frame: PrefsState) -> None:
    """Every prefs.state is shown, late ones too: the last one counts (HK-43, RC-90)."""
    if lane.name != "slack":
        return
    asked = asks.take(desk, frame.reply_to)
    ties = slack_ties(lane)
    ties.is_too_old = False
    if not desk.rules.prefs_shown_whole and ties.prefs is not None:
        new = {(row.workspace, team_of(row)) for row in frame.prefs}
        kept = [row for row in ties.prefs.prefs if (row.workspace, team_of(row)) not in new]
        shown: Any = frame
        frame = attrs.evolve(shown, prefs=(*frame.prefs, *kept))
    ties.prefs = frame
    fact = {
        "what": "prefs",
        "bound": frame.bound,
        "rows": [row.to_wire() for row in frame.prefs],
        "reply_to": frame.reply_to,
    }
    await desk.perform(Note("shown", fact))
    await asks.tell(desk, asked, "answered")


def team_of(row: Preference) -> str:
    """The team that a row is for."""
    return "" if isinstance(row.team_id, Absent) or row.team_id is None else row.team_id


async def too_old(desk: Desk, lane: Lane) -> None:
    """prefs.get was never answered: the page says that the server is too old (HK-150)."""
    slack_ties(lane).is_too_old = True
    await desk.perform(Note("shown", {"what": "prefs", "state": "server too old"}))


async def provider_told(desk: Desk, lane: Lane, frame: ProviderPrefsState) -> None:
    """Shown only for the present confirmed binding (HK-119, RC-92)."""
    if lane.name == "slack" or frame.provider != lane.name:
        return
    if not concerns(desk, lane, frame.binding_id, frame.scope_id):
        await asks.settle(desk, frame.reply_to, "rebound")
        return
    asked = asks.take(desk, frame.reply_to)
    if frame.reply_to is not None and asked is None:
        return  # late
    neutral_ties(desk, lane).prefs = frame
    fact = {
        "what": "provider.prefs",
        "lane": lane.name,
        "binding": frame.binding_id,
        "rows": [row.to_wire() for row in frame.prefs],
        "reply_to": frame.reply_to,
    }
    await desk.perform(Note("shown", fact))
    await asks.tell(desk, asked, "answered")
