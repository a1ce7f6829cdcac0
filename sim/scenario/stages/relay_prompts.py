"""Arrows out of a controller or a node, as instructions for the program or person there.

What a controller asks for cannot come from the protocol: commands, locks, cancels and
refreshes are taken from the diagram. A node answers by itself, as its browser does; its
progress, and updates that no traffic of a page makes, are taken from the diagram too.
"""

from __future__ import annotations

from typing import Any

import attrs

from sim.protocols.relay import ACTIONS, acts
from sim.protocols.relay.constants import CONTROLLER
from sim.protocols.relay.standing import Standing
from sim.protocols.relay.words import AROUND, WORDS
from sim.scenario.playing.match import Names, set_path
from sim.scenario.playing.stage import Direction
from sim.scenario.stages.relay_compose import Composer, family_of
from sim.scenario.syntax import Arrow, FrameText, Name
from sim.world.world import World

ASKED = ("command", "tab_lock", "tab_unlock", "command_cancel", "refresh")
"""Families that a controller sends because somebody wants it."""
_COMMAND: dict[str, tuple[str, Any]] = {
    "targetNodeId": ("node", str),
    "tabSessionId": ("tab", str),
    "timeoutMs": ("timeout_ms", (int, float)),
    "waitPolicy": ("wait_policy", str),
    "idempotencyKey": ("idempotency_key", str),
    "replayNonce": ("nonce", str),
}


@attrs.define
class Prompter:
    """Makes acts of arrows."""

    world: World
    standing: Standing
    names: Names
    composer: Composer

    def prompts(self, arrow: Arrow, text: FrameText) -> list[Direction]:
        """The acts that make ``arrow.source`` send this frame."""
        given = self._given(text)
        family = family_of(text.type)
        if self.world.hosts[arrow.source].kind == CONTROLLER:
            act = self._asks(arrow.source, text, given) if family in ASKED else None
        else:
            act = self._reports(text, given)
        return [] if act is None else [Direction(arrow.source, act)]

    def _given(self, text: FrameText) -> dict[str, Any]:
        """Values by their places in the frame; names that stand for nothing yet are left out."""
        given: dict[str, Any] = {}
        for item in text.items:
            value = self.names.get(item.value.text) if isinstance(item.value, Name) else item.value
            is_unbound = isinstance(item.value, Name) and value is None
            if item.op != "present" and not is_unbound:
                path = item.fields[0] if item.op == "enum" else item.path
                given[WORDS.place(text.type, path)] = value
        return given

    # -- controllers -------------------------------------------------------------------

    def _asks(self, host: str, text: FrameText, given: dict[str, Any]) -> acts.Act | None:
        """The act with a name of its own, or else the literal frame, envelope and all."""
        wire: Any = self.composer.usual(self.world.hosts[host], "", self._kind(text, given)).wire
        for place, value in given.items():
            wire = set_path(wire, place, value)
        act = self._ordinary(wire, given)
        if act is not None:
            return act
        if "requestId" not in given:
            del wire["requestId"]
        del wire["timestamp"]  # that of the moment in which it is sent
        stamp = {"timestamp": given["timestamp"]} if "timestamp" in given else {}
        return acts.SayFrame({**wire, **stamp})

    def _kind(self, text: FrameText, given: dict[str, Any]) -> str:
        """The action, where the arrow names only the family."""
        action = given.get("payload.action")
        is_action = text.type == "command" and isinstance(action, str) and action in ACTIONS
        return str(action) if is_action else text.type

    def _ordinary(self, wire: dict[str, Any], given: dict[str, Any]) -> acts.Act | None:
        """None where the fields are no usual ones."""
        request, payload = given.get("requestId", ""), wire["payload"]
        around = [name for name in AROUND if name != "requestId" and name in given]
        if around or not isinstance(request, str) or not isinstance(payload, dict):
            return None
        family = wire["messageType"]
        if family == "command":
            return self._command(payload, request, given)
        if not all(_is_usual(*one) for one in payload.items()):
            return None
        node = payload["targetNodeId"] if "payload.targetNodeId" in given else ""
        match family:
            case "tab_lock":
                lease = payload.get("lockLeaseMs")
                return acts.LockTab(payload["tabSessionId"], node, lease, request)
            case "tab_unlock":
                return acts.UnlockTab(payload["tabSessionId"], node, request)
            case "command_cancel":
                return acts.CancelCommand(payload["targetRequestId"], request)
            case _:
                shown = payload["refreshToken"] if "payload.refreshToken" in given else ""
                return acts.RefreshToken(shown, request)

    def _command(
        self, payload: dict[str, Any], request: str, given: dict[str, Any]
    ) -> acts.Act | None:
        action, inner = payload["action"], payload["payload"]
        if not isinstance(action, str) or not isinstance(inner, dict):
            return None
        told: dict[str, Any] = {}
        for name, value in payload.items():
            is_usual = name in ("targetNodeId", "replayNonce") and f"payload.{name}" not in given
            if name in ("action", "payload") or is_usual:
                continue
            field, kind = _COMMAND.get(name, ("", str))
            if not field or not isinstance(value, kind) or value in (True, False, ""):
                return None
            told[field] = value
        return acts.SendCommand(action, inner, request=request, **told)

    def _newest(self) -> str:
        found = [task.request for task in self.standing.tasks.values() if not task.is_over]
        return found[-1] if found else "nothing"

    # -- nodes -------------------------------------------------------------------------

    def _reports(self, text: FrameText, given: dict[str, Any]) -> acts.Act | None:
        request = given.get("requestId")
        fields = {
            place.removeprefix("payload."): value
            for place, value in given.items()
            if place.startswith("payload.")
        }
        if text.type == "listener_update":
            if not {"data", "updateType"} & set(fields):
                return None  # the page's traffic makes it
            if request is None:
                request = next(reversed(self.standing.listeners), "nothing")
            kind = str(fields.get("updateType", "network.response"))
            return acts.EmitUpdate(str(request), fields.get("data"), kind)
        if text.type != "event":
            return None
        return acts.ReportProgress(str(request or self._newest()), {"type": "progress", **fields})


def _is_usual(name: str, value: Any) -> bool:
    if name == "lockLeaseMs":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, str) and bool(value)
