"""Binding Slack: one account with an old server, several teams with a new one (section 13)."""

from __future__ import annotations

from sim.core.op import Note, StartTimer, StopTimer
from sim.protocols.hook import (
    BIND_FAIL_REASON_NOT_INSTALLED,
    BIND_FAIL_REASON_SUPERSEDED,
    BindStart,
    BindState,
    BindUpdate,
    SlackBinding,
)
from sim.protocols.hook.desktop import connection
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.records import Lane
from sim.protocols.hook.desktop.ties import SlackTies, has_teams, slack_ties
from sim.wire.absent import Absent


def known(value: str | Absent | None) -> str | None:
    """A field that may be absent, null or empty."""
    return None if isinstance(value, Absent) or not value else value


async def updated(desk: Desk, lane: Lane, frame: BindUpdate) -> None:
    """bind.update: one step of a sign-in, or of the binding that came of it."""
    if lane.name != "slack":
        return
    ties = slack_ties(lane)
    ties.last = frame
    # All that it changes, it changes at once: the next one may be here before this is noted.
    if has_teams(desk, lane):
        _change_team(ties, frame)
        is_asked_for = False
    else:
        ties.state = frame.state
        is_asked_for = ties.binds_itself and frame.state in ("none", "pending")
    if is_asked_for or frame.state == "pending":
        ties.binds_itself = False
    if not is_asked_for:
        ties.is_pending = frame.state == "pending"
    fact = {"lane": lane.name, "state": frame.state, "team": known(frame.team_id)}
    # What to do goes by the reason, never by the message (HK-91).
    await desk.perform(Note("binding", {**fact, "reason": known(frame.reason)}))
    if ties.last is not frame:
        return
    if is_asked_for:
        await start(desk, lane, BindStart())
        return
    await _watch(desk, lane, frame)
    is_over = frame.state not in ("confirmed", "pending") and not _waits_for_install(frame)
    if is_over and ties.last is frame and not has_teams(desk, lane):
        await switch(desk, lane, is_on=False)  # with the only binding the connection goes


def _change_team(ties: SlackTies, frame: BindUpdate) -> None:
    team = known(frame.team_id)
    if team is None or frame.state not in ("confirmed", "revoked"):
        return
    mine = [row for row in ties.rows if row.team_id == team]
    ties.rows = without(ties.rows, [team])
    ties.displaced = without(ties.displaced, [team])
    if frame.state == "confirmed":
        row = SlackBinding(
            team_id=team,
            team_name=known(frame.team_name),
            slack_user_id=frame.slack_user_id or "",
            slack_user_name=frame.slack_user_name,
        )
        ties.rows = (*ties.rows, row)
    elif known(frame.reason) == BIND_FAIL_REASON_SUPERSEDED:
        ties.displaced = (*ties.displaced, *mine)  # another device has it now (RC-85)


def without(rows: tuple[SlackBinding, ...], teams: list[str]) -> tuple[SlackBinding, ...]:
    """The rows of all other teams."""
    return tuple(row for row in rows if row.team_id not in teams)


async def _watch(desk: Desk, lane: Lane, frame: BindUpdate) -> None:
    """A sign-in that leads to nothing is given up here, whatever the server does."""
    if frame.state == "pending":
        after = desk.settings.sign_in_us
        await desk.perform(StartTimer("sign in", lane.name, after, background=True))
    elif _waits_for_install(frame):
        after = desk.settings.install_wait_us
        await desk.perform(StartTimer("sign in", lane.name, after, background=True))
    else:
        await desk.perform(StopTimer("sign in", lane.name))


def _waits_for_install(frame: BindUpdate) -> bool:
    reason = known(frame.reason)
    return frame.state == "failed" and reason == BIND_FAIL_REASON_NOT_INSTALLED


async def listed(desk: Desk, lane: Lane, frame: BindState) -> None:
    """bind.state: the whole list; what it lacks another device has now (HK-96)."""
    if lane.name != "slack" or not has_teams(desk, lane):
        return  # as an old desktop (HK-98)
    ties = slack_ties(lane)
    new = [row.team_id for row in frame.bindings]
    lost = without(ties.rows, new)
    if desk.rules.bind_state_replaces:
        ties.displaced = (*without(ties.displaced, [*new, *(r.team_id for r in lost)]), *lost)
        ties.rows = frame.bindings
    else:
        ties.rows = (*lost, *frame.bindings)
    fact = {
        "what": "bindings",
        "teams": [row.team_id for row in ties.rows],
        "displaced": [row.team_id for row in ties.displaced],
    }
    if ties.rows:
        ties.binds_itself = False
    if ties.displaced or ties.rows != frame.bindings:  # else the frame itself says it all
        await desk.perform(Note("shown", fact))
    if not ties.rows and ties.binds_itself and not ties.is_pending:
        # A sign-in that is under way is told right after this.
        after = desk.settings.first_bind_wait_us
        await desk.perform(StartTimer("first bind", lane.name, after))


async def first_bind(desk: Desk, lane: Lane) -> None:
    """No sign-in was told of: ask for one, as the person wanted."""
    ties = slack_ties(lane)
    if ties.binds_itself and not ties.is_pending and not ties.rows:
        ties.binds_itself = False
        await start(desk, lane, BindStart())


async def start(desk: Desk, lane: Lane, body: BindStart) -> bool:
    """Begin to sign in, and watch that it comes to something. → whether it was sent"""
    ties = slack_ties(lane)
    last = ties.last
    if not await desk.send_turn(lane, body):
        return False
    if ties.last is last:  # else the answer is here already
        after = desk.settings.sign_in_us
        await desk.perform(StartTimer("sign in", lane.name, after, background=True))
    return True


async def gave_up(desk: Desk, lane: Lane) -> None:
    """The sign-in has taken too long."""
    ties = slack_ties(lane)
    ties.is_pending = False
    await desk.perform(Note("binding", {"lane": lane.name, "state": "given up"}))
    if not has_teams(desk, lane) and ties.state != "confirmed" and lane.is_ready:
        await switch(desk, lane, is_on=False)


async def switch(desk: Desk, lane: Lane, *, is_on: bool) -> None:
    """Slack goes on or off; going on it binds itself if the server knows of no binding."""
    ties = slack_ties(lane)
    ties.binds_itself = is_on
    await connection.switch(desk, lane, is_on=is_on)
