"""Subscriptions of listeners, and the streams of tests that hold some (DR-18, DR-20)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import attrs

from sim.core.errors import SimInternalError
from sim.protocols.relay.machine import ACTIVE, ASKED, ENDING, OPEN, STREAM, SUBSCRIPTION
from sim.protocols.relay.rules import RelayRules

NOT_FOUND: Final = "listener_not_found"
OWNER_MISMATCH: Final = "listener_owner_mismatch"
NODE_MISMATCH: Final = "listener_node_mismatch"


@attrs.define(eq=False)
class Subscription:
    """One listener that is on, or about to be; known by the requestId of its subscribe.

    ``session`` and ``identity`` are the subscriber's, ``node`` is the node session's name;
    ``asked_off`` counts unsubscribes that are under way.
    """

    request_id: str
    session: str
    node: str
    tab: str | None
    listener: str
    identity: str = ""
    state: str = ASKED
    asked_off: int = 0

    @property
    def is_on(self) -> bool:
        """Whether its updates are delivered."""
        return self.state in (ACTIVE, ENDING)


class Subscriptions:
    """All subscriptions of a relay that have not ended."""

    def __init__(self, rules: RelayRules | None = None) -> None:
        self.rules = rules or RelayRules()
        self._open: dict[str, Subscription] = {}
        self._of_session: dict[str, dict[str, Subscription]] = {}

    def get(self, request_id: str) -> Subscription | None:
        """The subscription of a requestId, None when there is none or it has ended."""
        return self._open.get(request_id)

    def ask(self, wanted: Subscription) -> None:
        """A subscribe was accepted. Raises SimInternalError when its requestId is in use."""
        if wanted.request_id in self._open:
            raise SimInternalError(f"subscription {wanted.request_id} lives; look before asking")
        self._open[wanted.request_id] = wanted
        self._of_session.setdefault(wanted.session, {})[wanted.request_id] = wanted

    def subscribed(self, request_id: str) -> Subscription | None:
        """The node's good result of a subscribe is handled: updates flow from here on.

        None when the subscription has ended meanwhile: its node is to turn it off.
        """
        found = self._open.get(request_id)
        if found is not None:
            found.state = SUBSCRIPTION.step(found.state, "result")
        return found

    def not_subscribed(self, request_id: str, why: str) -> None:
        """A subscribe ended otherwise: ``error``, ``budget ends`` or ``cancel``."""
        found = self._open.get(request_id)
        if found is not None:
            self._end(found, why)

    def refusal(self, request_id: str, session: str, node: str) -> str | None:
        """The code that an unsubscribe by this session at this node is refused with."""
        found = self._open.get(request_id)
        if found is None or not found.is_on:
            return NOT_FOUND
        if found.session != session:
            return OWNER_MISMATCH
        return None if found.node == node else NODE_MISMATCH

    def unsubscribe(self, request_id: str) -> None:
        """An unsubscribe was accepted, queued or sent: updates still flow."""
        found = self._open[request_id]
        found.state = SUBSCRIPTION.step(found.state, "unsubscribe")
        found.asked_off += 1

    def unsubscribed(self, request_id: str, how: str) -> None:
        """An unsubscribe has ended: ``result``, ``error`` or ``budget ends``.

        Only a node's error keeps the subscription, and then only if no other
        unsubscribe is under way.
        """
        found = self._open.get(request_id)
        if found is None:
            return
        found.asked_off -= 1
        if how != "error" and self.rules.silence_after_unsubscribe:
            self._end(found, how)
        elif not found.asked_off:
            found.state = SUBSCRIPTION.step(found.state, "error")

    def update(self, request_id: str, node: str) -> Subscription | str:
        """Whose an update of a node is, or the code that it is refused with."""
        found = self._open.get(request_id)
        if found is None or not (found.is_on or not self.rules.updates_after_result):
            return NOT_FOUND
        if found.node != node:
            return NODE_MISMATCH
        if found.is_on:
            found.state = SUBSCRIPTION.step(found.state, "update")
        return found

    def lose_node(self, node: str) -> list[Subscription]:
        """A node session is over: the subscriptions that were on, whose owners must be told."""
        lost = [one for one in self._open.values() if one.node == node]
        was_on = [one for one in lost if one.is_on]
        self._end_all(lost, "node lost")
        return was_on

    def lose_session(self, session: str) -> list[Subscription]:
        """A subscriber is gone: the subscriptions that were on, to be turned off at their nodes."""
        if not self.rules.updates_to_their_session:
            return []
        lost = list(self._of_session.get(session, {}).values())
        was_on = [one for one in lost if one.is_on]
        self._end_all(lost, "subscriber lost")
        return was_on

    def cut(self, request_ids: Iterable[str]) -> list[Subscription]:
        """The stream that held these was cancelled: those that were on, to be turned off."""
        found = [self._open[one] for one in request_ids if one in self._open]
        was_on = [one for one in found if one.is_on]
        self._end_all(found, "stream cancelled")
        return was_on

    def _end_all(self, some: Iterable[Subscription], trigger: str) -> None:
        for one in some:
            self._end(one, trigger)

    def _end(self, one: Subscription, trigger: str) -> None:
        one.state = SUBSCRIPTION.step(one.state, trigger)
        del self._open[one.request_id]
        its = self._of_session[one.session]
        del its[one.request_id]
        if not its:
            del self._of_session[one.session]


@attrs.define(eq=False)
class Stream:
    """What a command.test goes on with after its result; known by the test's requestId.

    ``listeners`` are the names in its manifest, ``bound`` the requestIds of the
    subscriptions that its owner made to them.
    """

    request_id: str
    session: str
    node: str
    tab: str | None
    listeners: tuple[str, ...]
    bound: list[str] = attrs.field(factory=list)
    state: str = OPEN

    def takes(self, one: Subscription) -> bool:
        """Whether a subscription is one of its listeners: same owner, node, tab and name."""
        place = (self.session, self.node, self.tab)
        return place == (one.session, one.node, one.tab) and one.listener in self.listeners


class Streams:
    """The streams of a relay that have not ended."""

    def __init__(self) -> None:
        self._open: dict[str, Stream] = {}

    def get(self, request_id: str) -> Stream | None:
        """The stream of a test, None when it has ended."""
        return self._open.get(request_id)

    def begin(self, stream: Stream) -> None:
        """A test has answered with a manifest."""
        self._open[stream.request_id] = stream

    def bind(self, one: Subscription) -> Stream | None:
        """The stream that a new subscription belongs to, the oldest if there are several."""
        found = next((stream for stream in self._open.values() if stream.takes(one)), None)
        if found is not None:
            found.state = STREAM.step(found.state, "bind")
            found.bound.append(one.request_id)
        return found

    def of(self, subscription_id: str) -> Stream | None:
        """The stream that holds a subscription."""
        return next((one for one in self._open.values() if subscription_id in one.bound), None)

    def end(self, stream: Stream, trigger: str) -> None:
        """It is over, once: ``cancel``, ``subscribe failed``, ``subscribe timed out``.

        Raises LocalProtocolError for a stream that has ended already.
        """
        stream.state = STREAM.step(stream.state, trigger)
        del self._open[stream.request_id]

    def lose_node(self, node: str) -> list[Stream]:
        """A node session is over: its streams, whose owners must be told."""
        return self._lose([one for one in self._open.values() if one.node == node], "node lost")

    def lose_session(self, session: str) -> list[Stream]:
        """An owner is gone: its streams; nobody is to be told."""
        its = [one for one in self._open.values() if one.session == session]
        return self._lose(its, "subscriber lost")

    def _lose(self, some: list[Stream], trigger: str) -> list[Stream]:
        for one in some:
            self.end(one, trigger)
        return some
