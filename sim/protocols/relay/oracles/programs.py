"""Manners of programs: how they come back, and how they name what they want."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.core.event import (
    Acted,
    ConnectionClosed,
    ConnectionOpened,
    ConnectionRefused,
    Event,
    FrameSent,
    HostCrashed,
    HostStarted,
)
from sim.core.invariant import Handler
from sim.protocols.relay.acts import Connect, Disconnect, ExtractContent, Redial
from sim.protocols.relay.constants import CONTROLLER, EXTRACT_ACTIONS, NODE
from sim.protocols.relay.oracles.oracle import (
    SECOND_US,
    OfControllers,
    RelayInvariant,
    seconds,
)
from sim.protocols.relay.view import RelayView
from sim.protocols.relay.view_records import SessionView

LONGEST_S = 30


class PeersComeBackSlowly(RelayInvariant):
    """For one role: each dial in vain is followed by a pause twice as long as the last."""

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self._refused: dict[str, tuple[int, int]] = {}

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {
            ConnectionRefused: self._in_vain,
            ConnectionOpened: self._anew,
            ConnectionClosed: self._anew,
            HostCrashed: self._anew,
            HostStarted: self._anew,
            Acted: self._anew,
        }

    def _anew(self, event: Any) -> str | None:
        if isinstance(event, Acted) and not isinstance(event.act, Connect | Redial | Disconnect):
            return None
        self._refused.pop(event.client if isinstance(event, ConnectionOpened) else event.host, None)
        return None

    def _in_vain(self, event: ConnectionRefused) -> str | None:
        if event.lane != self.obeyed_by:
            return None
        times, at = self._refused.get(event.client, (0, event.at))
        self._refused[event.client] = times + 1, event.at
        if times < 2:
            return None
        self.exercised += 1
        due = min(1 << (times - 1), LONGEST_S) * SECOND_US * 9 // 10
        if event.at - at >= due:
            return None
        return f"{event.client} dials again {seconds(event.at - at)} after {times} dials in vain"


class ControllersComeBackSlowly(PeersComeBackSlowly):
    name = "controllers-come-back-slowly"
    sentence = "A controller that dials in vain waits twice as long each time, up to 30 s."
    catalogue = ("OT-49",)
    obeyed_by = CONTROLLER


class NodesComeBackSlowly(PeersComeBackSlowly):
    name = "nodes-come-back-slowly"
    sentence = "A node that dials in vain waits twice as long each time, up to 30 s."
    catalogue = ("OT-49",)
    obeyed_by = NODE


class FormatsNameTheAction(OfControllers):
    name = "formats-name-the-action"
    sentence = "Content is extracted by the action of the format that was asked for."
    catalogue = ("OT-39",)
    families = ("command",)

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self._asked: dict[int, str] = {}

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {Acted: self._acted}

    def _acted(self, event: Acted) -> str | None:
        if isinstance(event.act, ExtractContent):
            self._asked[event.n] = event.act.format
            if len(self._asked) > 256:
                del self._asked[next(iter(self._asked))]
        return None

    def judge(self, session: SessionView, event: FrameSent) -> str | None:
        format = self._asked.get(event.cause)
        if format is None:
            return None
        self.exercised += 1
        due = dict(EXTRACT_ACTIONS).get(format)
        action = self.view.payload.get("action")
        if action == due:
            return None
        return f"{event.sender} extracts {format} by {action}, not by {due}"
