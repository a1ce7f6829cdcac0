"""How desktops come back, and how they hand their results in again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from sim.core.event import (
    Acted,
    ConnectionClosed,
    ConnectionOpened,
    ConnectionRefused,
    Event,
    FrameDelivered,
    FrameSent,
    HostStarted,
    TimerFired,
)
from sim.core.invariant import Handler
from sim.protocols.hook.acts import Login, Operate, Toggle
from sim.protocols.hook.constants import HOOK_FEATURE_TURN_DELIVERY
from sim.protocols.hook.oracles.connection import STANDBY
from sim.protocols.hook.oracles.oracle import SECOND_US, HookInvariant
from sim.protocols.hook.view import HookView

UNAUTHORIZED = 401
STANDBY_US = 25 * SECOND_US
LOWEST = 0.68  # of the planned delay: downward jitter
FIRST_US = SECOND_US
LONGEST_US = 30 * SECOND_US
REPLAY_US = 75 * SECOND_US
DAY_US = 24 * 60 * 60 * SECOND_US
QUEUE = 20
QUIET_US = 60 * SECOND_US


@attrs.define(eq=False)
class DialView:
    """A client's way back on one lane.

    ``at`` is when the newest attempt came to nothing; ``standby``: the server has sent
    it away politely; ``fresh``: it has not failed since the last welcome. ``denials``
    counts the tokens that were refused since then, ``denied`` whether the newest
    attempt was.
    """

    at: int = -1
    standby: bool = False
    fresh: bool = True
    denials: int = 0
    denied: bool = False

    @property
    def may_renew(self) -> bool:
        """Whether a new token is a reason to dial at once."""
        return self.denied and self.denials == 1


# After this long a desktop gives up a dial that nobody has answered.
DIAL_US = 15 * SECOND_US


class DialFacts:
    """What all oracles of dialling know alike: noting a fact twice changes nothing.

    ``newest`` attempt by (client, lane), ``lives`` the start of a client's present life,
    ``clients`` the (client, lane) of each connection.
    """

    def __init__(self) -> None:
        self.newest: dict[tuple[str, str], int] = {}
        self.lives: dict[str, int] = {}
        self.clients: dict[str, tuple[str, str]] = {}

    def is_newest(self, event: Any) -> bool:
        """An older attempt may come to something, or to nothing, long after."""
        if event.cause < self.lives.get(event.client, -1):
            return False
        number = int(event.link.rpartition("#")[2])
        key = (event.client, event.lane)
        newest = self.newest.get(key, 0)
        if number > newest:
            self.newest[key] = number
        return number >= newest


class DialsAreSpaced(HookInvariant):
    """All ways to be patient; see the classes below.

    ``dials`` by client and lane hold what is not as after a welcome; nothing of the others.
    """

    obeyed_by = "desktop"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self.dials: dict[str, dict[str, DialView]] = {}
        self.disturbed: dict[str, int] = {}
        self.facts: DialFacts = view.shared(DialFacts)

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {
            ConnectionOpened: self._opened,
            ConnectionRefused: self._refused,
            ConnectionClosed: self._closed,
            HostStarted: self._started,
        }

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameDelivered, "welcome"): self._welcomed,
            (Acted, Login): self._forgets,
            (Acted, Toggle): self._forgets,
            (Acted, Operate): self._forgets,
        }

    def _of(self, client: str, lane: str) -> DialView:
        return self.dials.setdefault(client, {}).setdefault(lane, DialView())

    def _opened(self, event: ConnectionOpened) -> str | None:
        self.facts.clients[event.link] = (event.client, event.lane)
        self.view.links.forget_over(self.facts.clients)
        lanes = self.dials.get(event.client)
        if not self.facts.is_newest(event) or lanes is None or event.lane not in lanes:
            return None
        return self.judge(lanes[event.lane], event)

    def _refused(self, event: ConnectionRefused) -> str | None:
        if not self.facts.is_newest(event):
            return None
        dial = self._of(event.client, event.lane)
        text = self.judge(dial, event)
        dial.at = event.at
        dial.denied = event.status == UNAUTHORIZED
        dial.denials += dial.denied
        return text

    def _closed(self, event: ConnectionClosed) -> str | None:
        key = self.facts.clients.get(event.link)
        if key is not None and event.host == key[0]:
            if event.by == event.host and event.code == 1000:
                self._as_new(*key)  # given up, to dial anew
                return None
            dial = self._of(*key)
            dial.standby = (event.code, event.reason) == STANDBY and event.by != event.host
            dial.at = event.at
            dial.denied = False
        return None

    def _started(self, event: HostStarted) -> str | None:
        self.facts.lives[event.host] = event.n
        self.dials.pop(event.host, None)
        return None

    def _welcomed(self, event: FrameDelivered) -> str | None:
        link = self.view.links.get(event.link)
        if link is not None:
            self._as_new(link.client, link.lane)
        return None

    def _forgets(self, event: Acted) -> str | None:
        """What a person does may make a desktop dial anew, at once or a little later."""
        self.disturbed[event.host] = event.at
        self.dials.pop(event.host, None)
        return None

    def _as_new(self, client: str, lane: str) -> None:
        lanes = self.dials.get(client)
        if lanes is not None:
            lanes.pop(lane, None)
            if not lanes:
                del self.dials[client]

    def judge(self, dial: DialView, event: Any) -> str | None:
        """What is wrong with this dial, which succeeded or not."""
        raise NotImplementedError


class DialsBackOff(DialsAreSpaced):
    """Judged by the timers that let a desktop dial: a dial itself may take its time."""

    name = "dials-back-off"
    sentence = "Each attempt to connect that fails doubles the pause before the next."

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        # by (host, lane): when it was due last, and how often since the last welcome
        self._due: dict[tuple[str, str], tuple[int, int]] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {**super().sorted_handlers(), (TimerFired, "dial"): self._dials}

    def _dials(self, event: TimerFired) -> str | None:
        key = (event.host, event.key)
        dial = self._of(*key)
        before, times = self._due.get(key, (event.at, 0))
        if dial.fresh or dial.standby:
            before, times = event.at, 0
        dial.fresh = False
        # Waiting in standby is no attempt that has failed: the pause after it does not grow.
        self._due[key] = (event.at, times + (not dial.standby))
        if not times:
            return None
        self.exercised += 1
        planned = min(FIRST_US << min(times, 10), LONGEST_US)
        gap = event.at - before
        if event.at - self.disturbed.get(event.host, -QUIET_US) < QUIET_US:
            return None
        if gap >= LOWEST * planned:
            return None
        return f"{event.host} dials {gap / SECOND_US:.1f} s after its {times}. attempt to come back"

    def judge(self, dial: DialView, event: Any) -> str | None:
        return None


class StandbyWaits(DialsAreSpaced):
    name = "standby-waits"
    sentence = "A desktop that was sent away as the second of its device waits for half a minute."

    def judge(self, dial: DialView, event: Any) -> str | None:
        if not dial.standby or dial.at < 0 or dial.may_renew:
            return None
        self.exercised += 1
        gap = event.at - dial.at
        if gap >= STANDBY_US:
            return None
        return f"{event.client} dials again {gap / SECOND_US:.1f} s after it was sent into standby"


class TokensAreRenewedOnce(DialsAreSpaced):
    name = "tokens-are-renewed-once"
    sentence = "A token that is refused again, before any welcome, is no reason to dial at once."

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._began: dict[tuple[str, str], int] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {**super().sorted_handlers(), (TimerFired, "dial"): self._begins}

    def _begins(self, event: TimerFired) -> str | None:
        self._began[event.host, event.key] = event.at
        return None

    def _refused(self, event: ConnectionRefused) -> str | None:
        text = super()._refused(event)
        began = self._began.get((event.client, event.lane), event.at)
        if event.at - began > DIAL_US:
            # The desktop had given up by then, and has not learned why.
            dial = self._of(event.client, event.lane)
            dial.denials -= dial.denied
            dial.denied = False
        return text

    def judge(self, dial: DialView, event: Any) -> str | None:
        if not dial.denied or dial.may_renew:
            return None
        if event.at - self.disturbed.get(event.client, -QUIET_US) < QUIET_US:
            return None  # somebody signed in, or switched the lane off and on
        self.exercised += 1
        gap = event.at - dial.at
        if gap >= LOWEST * FIRST_US:
            return None
        return (
            f"{event.client} dials again {gap / SECOND_US:.1f} s after its token was refused "
            f"{dial.denials} times"
        )


class QueuesAreShort(HookInvariant):
    name = "queues-are-short"
    sentence = "At most twenty tasks wait in a session; one more is refused at once."
    from_frames = True
    IN_CALM = 0
    catalogue = ("HK-61",)
    obeyed_by = "desktop"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, "task.ack"): self._acked}

    def _acked(self, event: FrameSent) -> str | None:
        body = self.view.said
        if body is None or body.queue_position is None:
            return None
        self.exercised += 1
        if body.queue_position < QUEUE:
            return None
        return f"{event.sender} lets {self.request} wait behind {body.queue_position} others"


@attrs.define(eq=False)
class EndView:
    """A result of a desktop's: where and when it was sent last; whether it was reported on."""

    lane: str
    at: int
    reported: bool = False


class EndsAreRepeated(HookInvariant):
    """For a lane on which both sides know reports."""

    name = "ends-are-repeated-until-taken"
    sentence = (
        "Where reports are agreed, a result is sent again, by the ladder and after each welcome, "
        "until one has come."
    )
    from_frames = True
    catalogue = ("HK-41", "HK-75")
    obeyed_by = "desktop"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self.ends: dict[tuple[str, str], EndView] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameSent, "turn.end"): self._sent,
            (FrameDelivered, "turn.delivery"): self._reported,
        }

    def _sent(self, event: FrameSent) -> str | None:
        link = self.view.link
        if link is None or HOOK_FEATURE_TURN_DELIVERY not in link.told_features:
            return None
        end = self.ends.setdefault((event.sender, self.request), EndView(link.lane, event.at))
        end.lane, end.at = link.lane, event.at
        return None

    def _reported(self, event: FrameDelivered) -> str | None:
        body = self.view.arrived
        end = None if body is None else self.ends.get((event.receiver, body.request_id))
        if end is not None:
            end.reported = True
        return None

    def at_end(self) -> Iterator[str]:
        view = self.view
        for (host, request), end in self.ends.items():
            desktop = view.desktops.of(host)
            turn = desktop.turns.get(request)
            if end.reported or desktop.logins or turn is None or turn.of:
                continue
            ended_us = turn.row_us if turn.row is not None else turn.end_us
            known = turn.row is not None or view.frames_only
            if not known or view.now - ended_us > DAY_US:
                continue
            self.exercised += 1
            yield from self._late(host, request, end)

    def _late(self, host: str, request: str, end: EndView) -> Iterator[str]:
        if not end.lane:
            return  # which connection it belongs to is not known
        for link in self.view.links.values():
            if (link.client, link.lane) != (host, end.lane) or not link.client_open:
                continue
            if HOOK_FEATURE_TURN_DELIVERY not in link.told_features:
                continue
            agreed = HOOK_FEATURE_TURN_DELIVERY in link.said_features
            if agreed and self.view.now - max(end.at, link.told_us) > REPLAY_US:
                yield f"{host} has given {request} up, which was never reported on"


class NoEndlessReplay(HookInvariant):
    name = "no-endless-replay"
    sentence = "Where no reports are agreed, a result is sent once for each cause."
    catalogue = ("HK-72",)
    obeyed_by = "desktop"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._sent_for: dict[tuple[str, str, int], None] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, "turn.end"): self._sent}

    def _sent(self, event: FrameSent) -> str | None:
        link = self.view.links.get(event.link)
        if link is None or HOOK_FEATURE_TURN_DELIVERY in link.told_features + link.told_before:
            return None
        self.exercised += 1
        key = (event.link, self.request, event.cause)
        if key not in self._sent_for:
            self._sent_for[key] = None
            return None
        return f"{event.sender} sends the end of {self.request} twice over for one cause"
