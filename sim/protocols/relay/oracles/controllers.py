"""What controllers ask for, and what they take for an answer (DR-01, DR-12, DR-21, DR-27)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

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
from sim.protocols.relay.acts import SendCommand
from sim.protocols.relay.constants import ALIAS_COMMAND, ALIAS_SITE, CONTROLLER
from sim.protocols.relay.controller.plan import GRACE_MS
from sim.protocols.relay.oracles.oracle import SECOND_US, OfControllers, RelayInvariant, seconds
from sim.protocols.relay.timeouts import budget_ms, resolved_timeout_ms
from sim.protocols.relay.view import RelayView
from sim.protocols.relay.view_records import SessionView
from sim.wire.exact import plain_object

CALLS = ("command", "command_cancel", "tab_lock", "tab_unlock")
BY_EVENT = ("command_cancel", "tab_lock", "tab_unlock")
KEPT = 1_024
SITE_ACTIONS = ("command.run", "command.test", "command.reddit_posts")


@attrs.define(eq=False)
class CallView:
    """A request as its controller has sent it. ``sent`` times, ``ends`` that it has noted."""

    host: str
    request: str
    link: str
    at: int
    within_us: int
    key: str
    sent: int = 1
    ends: int = 0
    lost_us: int = -1


class OfCalls(RelayInvariant):
    """Looks at the ends that controllers note of what they have sent."""

    obeyed_by = CONTROLLER

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self.calls: dict[tuple[str, str], CallView] = {}

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {ConnectionClosed: self._closed, HostCrashed: self._crashed}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        found: dict[tuple[type[Event], Any], Handler] = {(Noted, "outcome"): self._noted}
        found.update({(FrameSent, family): self._sent for family in CALLS})
        return found

    def _sent(self, event: FrameSent) -> str | None:
        session, payload = self.view.session, self.view.payload
        if session is None or event.sender != session.peer or session.lane != CONTROLLER:
            return None
        if self.view.is_directed(event):
            return None
        request = str(self.view.said.get("requestId"))
        known = self.calls.get((event.sender, request))
        if known is not None and known.link == event.link:
            known.sent += 1
            known.at = event.at
            return None
        timeout = payload.get("timeoutMs")
        number = timeout if isinstance(timeout, int | float) else None
        within = GRACE_MS + (budget_ms(number) if event.frame.type == "command" else 0)
        key = str(payload.get("idempotencyKey", ""))
        call = CallView(event.sender, request, event.link, event.at, within * 1_000, key)
        self.calls[event.sender, request] = call
        if len(self.calls) > KEPT:
            del self.calls[next(iter(self.calls))]
        return self.began(call)

    def _closed(self, event: ConnectionClosed) -> str | None:
        for call in self.calls.values():
            if call.link == event.link and call.host == event.host and not call.ends:
                call.lost_us = event.at
        return None

    def _crashed(self, event: HostCrashed) -> str | None:
        for place in [place for place in self.calls if place[0] == event.host]:
            del self.calls[place]
        return None

    def _noted(self, event: Noted) -> str | None:
        call = self.calls.get((event.host, str(event.data.get("request"))))
        if call is None:
            return None
        call.ends += 1
        return self.ended(call, event)

    def began(self, call: CallView) -> str | None:
        """What is wrong with sending this."""
        return None

    def ended(self, call: CallView, event: Noted) -> str | None:
        """What is wrong with this end of that call."""
        return None


class CallsEndOnce(OfCalls):
    name = "calls-end-once"
    sentence = "A call has one end, whatever comes later."
    catalogue = ("OT-11",)

    def ended(self, call: CallView, event: Noted) -> str | None:
        self.exercised += 1
        if call.ends <= call.sent:
            return None
        return f"{event.host} ends {call.request} again, by {event.data.get('how')}"


class EventsEndNoCommand(OfCalls):
    name = "events-end-no-command"
    sentence = "No event is taken for the end of a command."
    catalogue = ("OT-12",)

    def ended(self, call: CallView, event: Noted) -> str | None:
        self.exercised += 1
        if event.data.get("how") != "event" or event.data.get("name") in BY_EVENT:
            return None
        return f"{event.host} takes an event for the end of {call.request}"


class CallsEndInTime(OfCalls):
    name = "calls-end-in-time"
    sentence = "A call that nobody ends is given up a little after its budget; none hangs."
    catalogue = ("OT-32",)

    def ended(self, call: CallView, event: Noted) -> str | None:
        self.exercised += 1
        late = event.at - call.at - call.within_us
        if call.sent > 1 or late <= 1_000 + self.view.grace_us(event.host):
            return None
        return f"{event.host} ends {call.request} {seconds(late)} after its patience"

    def at_end(self) -> Iterator[str]:
        for call in self.calls.values():
            late = self.view.now - call.at - call.within_us
            over = late > SECOND_US + self.view.grace_us(call.host)
            if not call.ends and over and call.host in self.view.up:
                yield f"{call.host} still waits for the end of {call.request}"


class LostSocketsEndCalls(OfCalls):
    name = "lost-sockets-end-calls"
    sentence = "With a socket end the calls that were made on it, at once."
    catalogue = ("OT-11",)

    def ended(self, call: CallView, event: Noted) -> str | None:
        if call.lost_us < 0:
            return None
        self.exercised += 1
        late = event.at - call.lost_us
        if late <= self.view.grace_us(event.host):
            return None
        return f"{event.host} ends {call.request} {seconds(late)} after the loss of its socket"

    def at_end(self) -> Iterator[str]:
        for call in self.calls.values():
            waited = self.view.now - call.lost_us > SECOND_US + self.view.grace_us(call.host)
            if call.lost_us >= 0 and not call.ends and waited and call.host in self.view.up:
                yield f"{call.host} waits for {call.request}, whose socket was lost"


class RetriesKeepTheKey(OfCalls):
    name = "retries-keep-the-key"
    sentence = "What is sent again has the idempotencyKey of the first try."
    catalogue = ("OT-34",)

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self._again: dict[tuple[str, str], str] = {}

    def ended(self, call: CallView, event: Noted) -> str | None:
        again = event.data.get("retried")
        if again:
            self._again[event.host, str(again)] = call.key
        return None

    def began(self, call: CallView) -> str | None:
        key = self._again.pop((call.host, call.request), None)
        if key is None:
            return None
        self.exercised += 1
        if call.key == key:
            return None
        return f"{call.host} sends {call.request} again under the key {call.key!r}, not {key!r}"


class NoncesAreFresh(OfControllers):
    name = "nonces-are-fresh"
    sentence = "A controller gives each command a nonce of its own."
    from_frames = True
    catalogue = ("OT-31", "OT-51")
    families = ("command",)

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self._used: dict[tuple[str, str], tuple[Any, Any]] = {}
        self._given: dict[str, None] = {}

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {Acted: self._acted}

    def _acted(self, event: Acted) -> str | None:
        if isinstance(event.act, SendCommand) and event.act.nonce:
            self._given[event.act.nonce] = None
        return None

    def judge(self, session: SessionView, event: FrameSent) -> str | None:
        self.exercised += 1
        nonce = str(self.view.payload.get("replayNonce"))
        place = event.link if self.view.frames_only else event.sender, nonce
        frame = self.view.said.get("requestId"), self.view.said.get("timestamp")
        known = self._used.get(place)
        is_same = self.view.frames_only and known == frame  # a log may tell it twice
        if known is not None and not is_same and nonce not in self._given:
            return f"{event.sender} uses the nonce {nonce!r} again"
        self._used[place] = frame
        if len(self._used) > 20 * KEPT:
            del self._used[next(iter(self._used))]
        return None


class TimeoutsFollowThePolicy(OfControllers):
    name = "timeouts-follow-the-policy"
    sentence = (
        "timeoutMs is what the user has said, else what the timeoutPolicy of the command comes to."
    )
    catalogue = ("OT-38",)
    families = ("command",)

    def __init__(self, view: RelayView) -> None:
        super().__init__(view)
        self._acts: dict[int, SendCommand] = {}
        self._policies: dict[tuple[str, str, str, str], Mapping[str, Any]] = {}
        self._lists: dict[tuple[str, str], str] = {}
        self._told: dict[tuple[str, str], tuple[str, tuple[Any, ...]]] = {}

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {Acted: self._acted, HostCrashed: self._crashed}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            **super().sorted_handlers(),
            (FrameDelivered, "result"): self._listed,
            (Noted, "outcome"): self._learnt,
        }

    def _acted(self, event: Acted) -> str | None:
        if isinstance(event.act, SendCommand):
            self._acts[event.n] = event.act
            if len(self._acts) > KEPT:
                del self._acts[next(iter(self._acts))]
        return None

    def _crashed(self, event: HostCrashed) -> str | None:
        for place in [place for place in self._policies if place[0] == event.host]:
            del self._policies[place]
        return None

    def _listed(self, event: FrameDelivered) -> str | None:
        node = self._lists.pop((event.link, str(self.view.said.get("requestId"))), None)
        commands = plain_object(self.view.payload.get("data")).get("commands")
        if node is None or not isinstance(commands, list | tuple):
            return None
        self._told[event.receiver, str(self.view.said.get("requestId"))] = node, tuple(commands)
        return None

    def _learnt(self, event: Noted) -> str | None:
        """A list that comes when its call has ended already teaches nothing."""
        place = event.host, str(event.data.get("request"))
        node, commands = self._told.pop(place, ("", ()))
        for one in map(plain_object, commands):
            policy = one.get("timeoutPolicy")
            if isinstance(policy, dict):
                known = event.host, node, str(one.get("site")).strip().lower()
                self._policies[*known, str(one.get("id"))] = policy
        return None

    def judge(self, session: SessionView, event: FrameSent) -> str | None:
        payload = self.view.payload
        node = str(payload.get("targetNodeId"))
        if payload.get("action") == "command.list":
            self._lists[event.link, str(self.view.said.get("requestId"))] = node
        act = self._acts.get(event.cause)
        if act is None or act.action != payload.get("action"):
            return None
        due = self._due(act, event.sender, node)
        if due is None:
            return None
        self.exercised += 1
        told = payload.get("timeoutMs")
        if told == due:
            return None
        return f"{event.sender} gives {act.action} {told} ms, where {due} are due"

    def _due(self, act: SendCommand, host: str, node: str) -> float | None:
        if act.timeout_ms is not None:
            return act.timeout_ms
        if act.action not in SITE_ACTIONS:
            return None
        site, command = str(act.payload.get("site")).strip().lower(), act.payload.get("command")
        if act.action == "command.reddit_posts":
            site, command = ALIAS_SITE, ALIAS_COMMAND
        policy = self._policies.get((host, node, site, str(command)))
        inputs = plain_object(act.payload.get("input"))
        return None if policy is None else resolved_timeout_ms(policy, inputs)
