"""Acts as JSON, as ``@act HOST {…}`` writes them in a recorded scenario."""

from __future__ import annotations

import json
from typing import Any

from sim.core.op import Frame, OpaqueFrame
from sim.protocols.relay import acts
from sim.protocols.relay.constants import CONTROLLER, NODE, RELAY
from sim.protocols.relay.parse import parse_relay_message
from sim.scenario.playing.puppet import PuppetCloses, PuppetDials, PuppetSends
from sim.scenario.stages.recorded import act_of
from sim.scenario.stages.relay_compose import message_of

_OF_PUPPETS = PuppetSends | PuppetDials | PuppetCloses
_OF_PEERS = (
    acts.Connect
    | acts.Disconnect
    | acts.Redial
    | acts.SwitchPings
    | acts.UseToken
    | acts.RefreshToken
    | acts.SayFrame
    | acts.SayText
    | PuppetSends
    | PuppetDials
    | PuppetCloses
)
_KINDS: dict[str, Any] = {
    RELAY: _OF_PUPPETS,
    CONTROLLER: _OF_PEERS
    | acts.SendCommand
    | acts.LockTab
    | acts.UnlockTab
    | acts.CancelCommand,
    NODE: _OF_PEERS
    | acts.SignIn
    | acts.DeclineSignIn
    | acts.SignOut
    | acts.CloseTab
    | acts.SlowDown
    | acts.FailNext
    | acts.HangNext
    | acts.RefuseCancels
    | acts.ReportProgress
    | acts.EmitUpdate,
}  # fmt: skip


def read_act(kind: str, act: Any) -> Any:
    """The act that a JSON object describes. Raises UsageError saying what is wrong."""
    made = act_of(_KINDS, kind, act)
    if isinstance(made, PuppetSends):
        return PuppetSends(made.peer, read_frame(made.frame), made.link)
    return made


def read_frame(wire: Any) -> Frame:
    """A frame from its wire form, good or bad: puppets may say anything.

    A text, and that of ``{"type": "(bad)", "text": …}``, goes out as it is.
    """
    if isinstance(wire, dict) and wire.get("type") != "(bad)":
        return message_of(wire)
    text = wire["text"] if isinstance(wire, dict) else wire
    text = text if isinstance(text, str) else json.dumps(text)
    verdict = parse_relay_message(text)
    return OpaqueFrame(str(text), verdict.error or "refused", verdict.path, "messageType")
