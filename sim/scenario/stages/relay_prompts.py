"""Arrows out of a controller or a node, as instructions for the program or person there.

What a controller asks for cannot come from the protocol: commands, locks, cancels and
refreshes are taken from the diagram. A node answers by itself, as its browser does; its
progress, and updates that no traffic of a page makes, are taken from the diagram too.
"""

from __future__ import annotations

from collections.abc import Mapping
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
        wire = self.wire_named(text)
        payload = wire.get("payload", {})
        family = family_of(text.type)
        if self.world.hosts[arrow.source].kind == CONTROLLER:
            act = self._asks(arrow.source, text, family, wire) if family in ASKED else None
        else:
            act = self._reports(text, wire, payload)
        return [] if act is None else [Direction(arrow.source, act)]

    def wire_named(self, text: FrameText) -> dict[str, Any]:
        """The fields that the items give, where they stand; unbound names are left out."""
        wire: dict[str, Any] = {}
        for item in text.items:
            path = item.fields[0] if item.op == "enum" else item.path
            value = item.value
            if isinstance(value, Name):
                value = self.names.get(value.text)
                if value is None:
                    continue
            if item.op != "present":
                wire = set_path(wire, WORDS.place(text.type, path), value)
        return wire

    # -- controllers -------------------------------------------------------------------

    def _asks(
        self, host: str, text: FrameText, family: str, wire: dict[str, Any]
    ) -> acts.Act | None:
        plain = not [name for name in AROUND if name != "requestId" and name in wire]
        act = self._ordinary(host, text, family, wire) if plain else None
        return act or self._literal(host, text, family, wire)

    def _ordinary(
        self, host: str, text: FrameText, family: str, wire: dict[str, Any]
    ) -> acts.Act | None:
        """The act with a name of its own; None where the fields are no usual ones."""
        request, payload = wire.get("requestId", ""), wire.get("payload", {})
        if not isinstance(request, str):
            return None
        if family == "command":
            return self._command(host, text, request, payload)
        usual = {"targetNodeId", "tabSessionId", "lockLeaseMs", "targetRequestId", "refreshToken"}
        if set(payload) - usual or not all(_is_usual(*one) for one in payload.items()):
            return None
        usual_tab = self.composer.newest_tab()
        node, tab = payload.get("targetNodeId", ""), payload.get("tabSessionId") or usual_tab
        match family:
            case "tab_lock":
                return acts.LockTab(tab, node, payload.get("lockLeaseMs"), request)
            case "tab_unlock":
                return acts.UnlockTab(tab, node, request)
            case "command_cancel":
                target = payload.get("targetRequestId") or self._newest()
                return acts.CancelCommand(target, request)
            case _:
                return acts.RefreshToken(payload.get("refreshToken", ""), request)

    def _command(
        self, host: str, text: FrameText, request: str, payload: dict[str, Any]
    ) -> acts.Act | None:
        usual = self.composer.command(
            self.world.hosts[host], text.type if text.type != "command" else self._action(payload)
        )
        action, inner = payload.get("action", usual["action"]), payload.get("payload", {})
        if not isinstance(action, str) or not isinstance(inner, dict):
            return None
        given: dict[str, Any] = {}
        if "tabSessionId" in usual and "tabSessionId" not in payload:
            given["tab"] = usual["tabSessionId"]
        for name, value in payload.items():
            if name in ("action", "payload"):
                continue
            field, kind = _COMMAND.get(name, ("", str))
            if not field or not isinstance(value, kind) or value in (True, False, ""):
                return None
            given[field] = value
        return acts.SendCommand(
            action, completed(usual["payload"], inner), request=request, **given
        )

    def _literal(
        self, host: str, text: FrameText, family: str, wire: dict[str, Any]
    ) -> acts.Act | None:
        """Any fields at all: the frame is written as it stands, envelope and all."""
        usual = self.composer.usual(self.world.hosts[host], "", text.type).wire
        made = {"messageType": family, **{k: v for k, v in wire.items() if k != "payload"}}
        return acts.SayFrame({**made, "payload": completed(usual["payload"], wire.get("payload"))})

    def _action(self, payload: Mapping[str, Any]) -> str:
        action = payload.get("action")
        return action if isinstance(action, str) and action in ACTIONS else "primitive.tab.query"

    def _newest(self) -> str:
        found = [task.request for task in self.standing.tasks.values() if not task.is_over]
        return found[-1] if found else "nothing"

    # -- nodes -------------------------------------------------------------------------

    def _reports(
        self, text: FrameText, wire: dict[str, Any], payload: dict[str, Any]
    ) -> acts.Act | None:
        request = wire.get("requestId")
        if text.type == "listener_update":
            if not {"data", "updateType"} & set(payload):
                return None  # the page's traffic makes it
            if request is None:
                request = next(reversed(self.standing.listeners), "nothing")
            kind = str(payload.get("updateType", "network.response"))
            return acts.EmitUpdate(str(request), payload.get("data"), kind)
        if text.type != "event":
            return None
        fields = {"type": "progress", **payload}
        return acts.ReportProgress(str(request or self._newest()), fields)


def completed(usual: Any, given: Any) -> Any:
    """What is given, and of the usual whatever the given does not speak of."""
    if given is None:
        return usual
    if not isinstance(usual, Mapping) or not isinstance(given, Mapping):
        return given
    merged = {name: completed(usual.get(name), value) for name, value in given.items()}
    return {**usual, **merged}


def _is_usual(name: str, value: Any) -> bool:
    if name == "lockLeaseMs":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, str) and bool(value)
