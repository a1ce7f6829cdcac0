"""What the person, or the agent's tool use, does at the desktop to send a frame.

Each entry says under which conditions the desktop may send it at all. Where it
may not, nothing is sent, and a note says why.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from sim.core.op import Note, Save
from sim.protocols.hook import (
    HOOK_FEATURE_PROVIDER_BIND,
    HOOK_FEATURE_PROVIDER_PREFS,
    MESSAGES,
    BindRevoke,
    Message,
    PrefsGet,
    parse_hook_message,
)
from sim.protocols.hook.desktop import (
    asks,
    behavior,
    connection,
    lifecycle,
    slack_binding,
    tools,
)
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.records import Lane
from sim.protocols.hook.desktop.ties import agreed, binding_of, has_teams, neutral_ties

Fields = dict[str, Any]
Operation = Callable[[Desk, Lane, str, Fields], Awaitable[str | None]]


async def operate(desk: Desk, frame: str, fields: Mapping[str, Any]) -> None:
    """Send this frame with these fields, the rest filled in, if that is allowed now."""
    operation = OPERATIONS.get(frame)
    lane = desk.lanes.get(str(fields.get("provider", _lane_of(frame))))
    if operation is None:
        why: str | None = "nobody at a desktop sends this"
    elif lane is None:
        why = "there is no such channel here"
    else:
        why = await operation(desk, lane, frame, dict(fields))
    if why is not None:
        await desk.perform(Note("not sent", {"frame": frame, "why": why}))


def _lane_of(frame: str) -> str:
    return "telegram" if frame.startswith("provider.") else "slack"


def made(desk: Desk, frame: str, fields: Fields) -> Any:
    """The body of a frame; None when the parser would refuse it (HK-203)."""
    cls = MESSAGES[frame]
    wire = cls.enclose("f", 1, fields)
    verdict = parse_hook_message(wire)
    return verdict.message.body if verdict.ok else None


async def _ask(desk: Desk, lane: Lane, frame: str, fields: Fields, about: str = "") -> str | None:
    body = made(desk, frame, {"requestId": desk.port.new_id(), **fields})
    if body is None:
        return "the frame would be refused"
    after = desk.settings.request_timeout_us
    if frame == PrefsGet.TYPE and not desk.rules.prefs_time_out:
        after = 0
    return None if await asks.ask(desk, lane, body, after, about) else "not connected"


async def _bind_start(desk: Desk, lane: Lane, frame: str, fields: Fields) -> str | None:
    fields.pop("email", None)  # only old desktops say it (HK-86)
    if not has_teams(desk, lane):
        fields.pop("teamId", None)
    body = made(desk, frame, fields)
    if body is None:
        return "the frame would be refused"
    return None if await slack_binding.start(desk, lane, body) else "not connected"


async def _bind_revoke(desk: Desk, lane: Lane, frame: str, fields: Fields) -> str | None:
    if desk.rules.revoke_by_team and not has_teams(desk, lane):
        if fields.get("pendingOnly"):
            return "the server knows no such form"
        fields = {}
    body = made(desk, frame, fields)
    if body is None:
        return "the frame would be refused"
    return None if await desk.send_turn(lane, body) else "not connected"


async def _prefs(desk: Desk, lane: Lane, frame: str, fields: Fields) -> str | None:
    if not has_teams(desk, lane):
        fields.pop("teamId", None)
    return await _ask(desk, lane, frame, fields)


async def _provider_bind(desk: Desk, lane: Lane, frame: str, fields: Fields) -> str | None:
    if not agreed(desk, lane, HOOK_FEATURE_PROVIDER_BIND) or not lane.is_ready:
        return "the channel is not offered"
    ties = neutral_ties(desk, lane)
    if ties.mutation is not None:
        return "another request is under way"
    fields.setdefault("provider", lane.name)
    if frame == "provider.bind.cancel":
        fields.setdefault("attemptId", ties.attempt)
    elif frame == "provider.bind.revoke":
        bound = ties.binding
        fields.setdefault("bindingId", None if bound is None else bound.binding)
    request = str(fields.setdefault("requestId", desk.port.new_id()))
    if made(desk, frame, fields) is None:
        return "there is nothing to do that to"
    ties.mutation = request
    ties.is_settled = True
    if frame == "provider.bind.cancel":
        ties.state = "cancelled"  # a confirmation that won the race still counts (RC-88)
    return await _ask(desk, lane, frame, fields)


async def _provider_prefs(desk: Desk, lane: Lane, frame: str, fields: Fields) -> str | None:
    if not agreed(desk, lane, HOOK_FEATURE_PROVIDER_PREFS) or not lane.is_ready:
        return "the channel is not offered"
    bound = binding_of(desk, lane)
    if bound is None:
        return "not bound"
    fields.setdefault("provider", lane.name)
    if fields.get("scopeId") is None and "bindingId" not in fields:
        fields["bindingId"] = bound.binding
    fields.setdefault("bindingId", None)
    fields.setdefault("scopeId", None)
    return await _ask(desk, lane, frame, fields, bound.binding)


async def _behavior(desk: Desk, lane: Lane, frame: str, fields: Fields) -> str | None:
    bound = binding_of(desk, lane)
    if not behavior.is_offered(desk, lane):
        return "the settings are not offered"
    if bound is None:
        return "not bound"
    fields.setdefault("provider", lane.name)
    fields.setdefault("bindingId", bound.binding)
    if not desk.rules.no_empty_patch and frame == "provider.behavior.set":
        cls, id, now = MESSAGES[frame], desk.port.new_frame_id(), desk.port.now_ms()
        fields.setdefault("requestId", desk.port.new_id())
        whatever = Message.of_wire(cls, cls.enclose(id, now, fields), id, now)
        return None if await desk.send_message(lane, whatever) else "not connected"
    return await _ask(desk, lane, frame, fields, bound.binding)


async def _tool(desk: Desk, lane: Lane, frame: str, fields: Fields) -> str | None:
    if not has_teams(desk, lane):
        fields.pop("teamId", None)
    elif desk.rules.team_of_session and desk.last_session is not None and desk.last_session.team:
        fields.setdefault("teamId", desk.last_session.team)
    fields.setdefault("tool", "callTool")
    body = made(desk, frame, {"requestId": desk.port.new_id(), **fields})
    if body is None:
        return "the frame would be refused"
    await tools.call(desk, lane, body)
    return None


async def _lifecycle(desk: Desk, lane: Lane, frame: str, fields: Fields) -> str | None:
    desk.lifecycle = bool(fields.get("enabled", not desk.lifecycle))
    await desk.perform(Save("lifecycle", desk.lifecycle))
    if not lifecycle.is_offered(desk, lane):
        return "the server takes it with the next hello only"
    if not await lifecycle.tell(desk, lane):
        await connection.redial(desk, lane)
    return None


OPERATIONS: dict[str, Operation] = {
    "bind.start": _bind_start,
    "bind.revoke": _bind_revoke,
    "prefs.get": _prefs,
    "prefs.set": _prefs,
    "provider.bind.start": _provider_bind,
    "provider.bind.cancel": _provider_bind,
    "provider.bind.revoke": _provider_bind,
    "provider.prefs.get": _provider_prefs,
    "provider.prefs.set": _provider_prefs,
    "provider.behavior.get": _behavior,
    "provider.behavior.set": _behavior,
    "tool.request": _tool,
    "lifecycle.preference": _lifecycle,
}


async def toggle(desk: Desk, name: str, *, is_on: bool) -> None:
    """The person switches a channel on or off."""
    lane = desk.lanes.get(name or next(iter(desk.lanes)))
    if lane is None or lane.is_off != is_on:
        return
    if lane.name != "slack":
        await connection.switch(desk, lane, is_on=is_on)
        return
    lane.is_off = not is_on
    if not is_on and has_teams(desk, lane):
        # Confirmed bindings stay; only a sign-in that is under way is void (HK-94).
        await desk.send_turn(lane, BindRevoke(pending_only=True))
        if not lane.is_off:
            return  # switched on again meanwhile
    await slack_binding.switch(desk, lane, is_on=is_on)
