"""Acts as JSON, as ``@act HOST {…}`` writes them in a recorded scenario."""

from __future__ import annotations

from typing import Any

import msgspec

from sim.channel import api
from sim.core.errors import UsageError
from sim.protocols.hook import MESSAGES, acts
from sim.scenario.playing.puppet import PuppetDials, PuppetSends
from sim.wire.message import Message

_OF_PEOPLE = api.Say | api.Press | api.Remove | api.Authorize
_KINDS: dict[str, Any] = {
    "person": _OF_PEOPLE,
    **dict.fromkeys(("slack", "telegram", "x"), api.ChannelFault | _OF_PEOPLE),
    "server": acts.ChangeFeature | acts.Adopt | PuppetSends | PuppetDials,
    "desktop": acts.AgentProgresses
    | acts.AgentAsks
    | acts.AgentEnds
    | acts.Retry
    | acts.TypeText
    | acts.AnswerCard
    | acts.Login
    | acts.ChangeWorkspaces
    | acts.ChangeFeature
    | acts.Operate
    | acts.Toggle
    | PuppetSends
    | PuppetDials,
}


def read_act(kind: str, act: Any) -> Any:
    """The act that a JSON object describes. Raises UsageError saying what is wrong."""
    known = _KINDS.get(kind)
    if known is None:
        raise UsageError(f"@act: a {kind} cannot be told anything")
    try:
        made = msgspec.convert(act, known)
    except msgspec.ValidationError as error:
        raise UsageError(f"@act for a {kind}: {error}") from None
    if isinstance(made, PuppetSends):
        return PuppetSends(made.peer, read_frame(made.frame))
    return made


def read_frame(wire: Any) -> Message:
    """A frame from its wire form, good or bad: puppets may say anything."""
    if not isinstance(wire, dict):
        raise UsageError("@act: a frame is a JSON object")
    kind, id, ts = str(wire.get("type")), str(wire.get("id")), wire.get("ts", 0)
    return Message(kind, id, ts, None, wire, MESSAGES.get(kind))
