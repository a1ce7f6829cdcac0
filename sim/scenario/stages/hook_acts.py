"""Acts as JSON, as ``@act HOST {…}`` writes them in a recorded scenario."""

from __future__ import annotations

from typing import Any

from sim.channel import api
from sim.channel.services import SERVICES
from sim.core.errors import UsageError
from sim.core.op import OpaqueFrame
from sim.protocols.hook import MESSAGES, acts
from sim.protocols.hook.parse import parse_hook_message
from sim.scenario.playing.puppet import PuppetCloses, PuppetDials, PuppetSends
from sim.scenario.stages.recorded import act_of
from sim.wire.message import Message

_OF_PEOPLE = api.Say | api.Press | api.Remove | api.Authorize
_KINDS: dict[str, Any] = {
    "person": _OF_PEOPLE,
    **dict.fromkeys(SERVICES, api.ChannelFault | _OF_PEOPLE),
    "server": acts.ChangeFeature | acts.Adopt | PuppetSends | PuppetDials | PuppetCloses,
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
    | PuppetDials
    | PuppetCloses,
}


def read_act(kind: str, act: Any) -> Any:
    """The act that a JSON object describes. Raises UsageError saying what is wrong."""
    made = act_of(_KINDS, kind, act)
    if isinstance(made, PuppetSends):
        return PuppetSends(made.peer, read_frame(made.frame), made.link)
    return made


def read_frame(wire: Any) -> Message | OpaqueFrame:
    """A frame from its wire form, good or bad: puppets may say anything, also a text that is none.

    Raises UsageError for anything but a JSON object and a string.
    """
    if isinstance(wire, dict) and wire.get("type") == "(bad)":
        wire = wire.get("text")  # as a trace has it
    if isinstance(wire, str):
        parsed = parse_hook_message(wire)
        if parsed.ok:
            return parsed.message
        return OpaqueFrame(wire, parsed.error, parsed.path)
    if not isinstance(wire, dict):
        raise UsageError("@act: a frame is a JSON object, or the text that is none as a string")
    kind, id, ts = str(wire.get("type")), str(wire.get("id")), wire.get("ts", 0)
    return Message(kind, id, ts, None, wire, MESSAGES.get(kind))
