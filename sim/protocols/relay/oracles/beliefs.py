"""What controllers believe to hold and to hear, while their session lasts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.core.event import (
    Acted,
    ConnectionClosed,
    Event,
    FrameDelivered,
    FrameSent,
    HostCrashed,
    Noted,
)
from sim.core.invariant import Handler
from sim.protocols.relay.acts import Disconnect, Redial
from sim.protocols.relay.constants import CONTROLLER
from sim.protocols.relay.oracles.oracle import SECOND_US, RelayInvariant
from sim.protocols.relay.view import RelayView
from sim.wire.exact import plain_object

KEPT = 1_024


class OfSessions(RelayInvariant):
    """Keeps what a controller may believe, until its session is over."""

    obeyed_by = CONTROLLER

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self.known: dict[str, dict[Any, Any]] = {}

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {ConnectionClosed: self._over, HostCrashed: self._over, Acted: self._acted}

    def _over(self, event: ConnectionClosed | HostCrashed) -> str | None:
        if isinstance(event, HostCrashed) or event.link in self._links(event.host):
            self.known.pop(event.host, None)
        return None

    def _links(self, host: str) -> tuple[str, ...]:
        return tuple(place[0] for place in self.known.get(host, {}))

    def _acted(self, event: Acted) -> str | None:
        if isinstance(event.act, Redial | Disconnect):
            self.known.pop(event.host, None)
        return None

    def of(self, host: str) -> dict[Any, Any]:
        """What this controller may believe; keys begin with the connection."""
        return self.known.setdefault(host, {})


class LocksAreKnown(OfSessions):
    name = "locks-are-known"
    sentence = (
        "A controller believes to hold what was granted to the identity that auth_ack announced, "
        "and not longer than its lease."
    )
    catalogue = ("OT-59", "OT-60", "OT-61")

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self._identities: dict[str, str] = {}
        self._held: dict[tuple[str, str, str], tuple[str, int]] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameDelivered, "auth_ack"): self._admitted,
            (FrameDelivered, "event"): self._told,
            (Noted, "lock"): self._noted,
        }

    def _admitted(self, event: FrameDelivered) -> str | None:
        self._identities[event.receiver] = str(self.view.payload.get("controllerId"))
        return None

    def _told(self, event: FrameDelivered) -> str | None:
        payload = self.view.payload
        kind = payload.get("type")
        if kind not in ("lock_acquired", "lock_renewed"):
            return None
        place = event.link, str(payload.get("targetNodeId")), str(payload.get("tabSessionId"))
        mine = payload.get("lockOwnerControllerId") == self._identities.get(event.receiver)
        self.of(event.receiver)[place] = mine
        return None

    def _noted(self, event: Noted) -> str | None:
        node, tab = str(event.data.get("node")), str(event.data.get("tab"))
        place = event.host, node, tab
        if not event.data.get("held"):
            self._held.pop(place, None)
            return None
        self.exercised += 1
        found = [mine for key, mine in self.of(event.host).items() if key[1:] == (node, tab)]
        if not any(found):
            return f"{event.host} believes to hold {tab}, which it does not"
        link = next((key[0] for key in self.of(event.host) if key[1:] == (node, tab)), "")
        self._held[place] = link, event.at + int(event.data.get("lease_ms", 0)) * 1_000
        return None

    def at_end(self) -> Iterator[str]:
        for (host, _, tab), (link, until) in self._held.items():
            late = self.view.now - until > SECOND_US + self.view.grace_us(host)
            session = self.view.sessions.get(link)
            if late and session is not None and not session.is_left and host in self.view.up:
                yield f"{host} still believes to hold {tab}"


class UpdatesNeedASubscription(OfSessions):
    name = "updates-need-a-subscription"
    sentence = "A controller takes no update of what it has not turned on, or has turned off."
    catalogue = ("OT-17", "OT-20")

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self._asked: dict[tuple[str, str], tuple[str, str]] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameSent, "command"): self._sent,
            (FrameDelivered, "result"): self._answered,
            (FrameDelivered, "event"): self._ended,
            (Noted, "update"): self._taken,
        }

    def _sent(self, event: FrameSent) -> str | None:
        payload = self.view.payload
        action = str(payload.get("action"))
        if action.startswith("listener."):
            target = str(plain_object(payload.get("payload")).get("targetRequestId", ""))
            self._asked[event.link, str(self.view.said.get("requestId"))] = action, target
            if len(self._asked) > KEPT:
                del self._asked[next(iter(self._asked))]
        return None

    def _answered(self, event: FrameDelivered) -> str | None:
        request = str(self.view.said.get("requestId"))
        action, target = self._asked.get((event.link, request), ("", ""))
        if self.view.payload.get("ok") is not True or not action:
            return None
        if action == "listener.subscribe":
            self.of(event.receiver)[event.link, request] = True
        else:
            self.of(event.receiver).pop((event.link, target), None)
        return None

    def _ended(self, event: FrameDelivered) -> str | None:
        if self.view.payload.get("type") == "listener_ended":
            request = str(self.view.said.get("requestId"))
            self.of(event.receiver).pop((event.link, request), None)
        return None

    def _taken(self, event: Noted) -> str | None:
        self.exercised += 1
        request = event.data.get("request")
        if any(key[1] == request for key in self.of(event.host)):
            return None
        return f"{event.host} takes an update of {request!r}, which is not on"
