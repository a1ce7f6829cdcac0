"""Calls of one host's API by another: a request, a gap, a reply.

The request takes the callee's latency to arrive (a channel's API is slower
than a link), is applied when it arrives, and the reply takes a link's latency
back. Either may be lost; then the caller learns nothing until its own time-out
ends the wait with NO_ANSWER.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sim.core.entropy import nth_between, origin
from sim.core.event import CallAnswered, CallApplied, CallIssued, CallLost
from sim.core.http import REFUSED, RESET, Unreached
from sim.core.op import NO_ANSWER
from sim.world import http_fault
from sim.world.item import Item
from sim.world.timer import SETTLE_HORIZON_US

if TYPE_CHECKING:
    from sim.core.op import Call
    from sim.world.activity import Activity
    from sim.world.world import World


class Route:
    """Counts and times what goes from one host's calls to another."""

    __slots__ = ("latency", "nth", "start")

    def __init__(self, seed: int, name: str, latency: tuple[int, int]) -> None:
        self.latency = latency
        self.nth = 0
        self.start = origin(seed, name)

    def draw(self) -> int:
        """The next latency on this route, in microseconds."""
        self.nth += 1
        low, high = self.latency
        return nth_between(self.start, self.nth, low, high)


class PendingCall:
    """One call from issue to answer; ``n`` is the number of its CallIssued event.

    ``outcome`` is what a fault has in store for it (``http_fault``), "" for nothing.
    """

    __slots__ = ("activity", "answered", "deadline", "n", "nth", "op", "outcome", "timeout")

    def __init__(self, activity: Activity, op: Call, n: int, deadline: int, nth: int) -> None:
        self.activity = activity
        self.op = op
        self.n = n
        self.deadline = deadline
        self.nth = nth
        self.answered = False
        self.outcome = ""
        self.timeout: CallTimeout | None = None

    @property
    def label(self) -> str:
        """How choices name it: callee, kind of request, and the count of its route."""
        return f"{self.op.to}.{_word(self.op.request)} {self.caller}/{self.nth}"

    @property
    def caller(self) -> str:
        return self.activity.host.name

    @property
    def kind(self) -> str:
        """The label without its number."""
        return f"{self.op.to}.{_word(self.op.request)} {self.caller}"


def issue(world: World, activity: Activity, op: Call) -> None:
    """Send the request on its way."""
    caller, to, now = activity.host.name, op.to, world.now
    n = len(world.events)
    world.record(CallIssued(n, now, world.cause, caller, to, op.request))
    route = world.route(caller, to)
    due = now + route.draw()
    deadline = now + op.timeout_us
    call = PendingCall(activity, op, n, deadline, route.nth)
    if http_fault.is_http(call):
        call.outcome = world.http_faults.take(call)
    world.cause = n
    world.schedule(CallRequest(call), due)
    if due > deadline:
        await_timeout(world, call)


def _word(request: Any) -> str:
    """How a schedule names the kind of request."""
    word = getattr(request, "word", None)
    if word is None:
        word = getattr(getattr(request, "__struct_config__", None), "tag", None)
    return str(word) if word is not None else type(request).__name__


def await_timeout(world: World, call: PendingCall) -> None:
    """The answer may never come: plan the caller's own time-out.

    Planned only when an answer is late or lost; a time-out for each call would
    fill the heap with things that never happen.
    """
    if call.timeout is None and not call.answered:
        call.timeout = CallTimeout(call)
        call.timeout.cause = call.n
        world.schedule(call.timeout, max(world.now, call.deadline))


def lose(world: World, call: PendingCall, why: str) -> None:
    """The request or its answer is gone."""
    n = world.next_n()
    world.record(CallLost(n, world.now, world.cause, call.caller, call.op.to, call.n, why))
    await_timeout(world, call)


def drop(world: World, call: PendingCall, why: str, unreached: str = RESET) -> None:
    """The callee is gone: whoever asked over HTTP is told so by its own network, and who
    asked a part of its own process sees it gone."""
    if http_fault.is_http(call) or getattr(call.op.request, "ENDS_WITH_CALLEE", False):
        send_back(world, call, Unreached(unreached))
    else:
        lose(world, call, why)


def send_back(world: World, call: PendingCall, reply: Any) -> None:
    """A reply sets out for the caller."""
    due = world.now + world.route(call.op.to, call.caller, reply=True).draw()
    world.schedule(CallReply(call, reply), due)
    if due > call.deadline:
        await_timeout(world, call)


def answer(world: World, call: PendingCall, reply: Any) -> None:
    """Let the caller go on with this reply, once."""
    if call.answered:
        return
    call.answered = True
    if call.timeout is not None:
        world.unschedule(call.timeout)
    activity = call.activity
    host = activity.host
    if activity.epoch != host.epoch or not host.up:
        return
    n = len(world.events)
    world.record(CallAnswered(n, world.now, world.cause, host.name, call.op.to, call.n, reply))
    world.cause = n
    world.resume(activity, reply)


class CallRequest(Item):
    """A request on its way to the callee."""

    __slots__ = ("call",)

    def __init__(self, call: PendingCall) -> None:
        self.due = 0
        self.seq = self.cause = -1
        self.foreground = True
        self.call = call

    def fire(self, world: World) -> None:
        call = self.call
        callee = world.hosts[call.op.to]
        if call.outcome and self._befallen(world, call.outcome):
            return
        if not callee.up:
            drop(world, call, "host is down", REFUSED)
            return
        if callee.asleep_until > world.now:
            world.schedule(self, callee.asleep_until)
            await_timeout(world, call)
            return
        world.start_call(callee, call)

    def _befallen(self, world: World, outcome: str) -> bool:
        """Whether a fault keeps the request from the callee, for now or for good."""
        call = self.call
        if outcome in http_fault.BEHIND:
            return False
        call.outcome = ""
        late_us = http_fault.slow_us(outcome)
        if late_us:
            due = world.now + late_us
            world.schedule(self, due)
            if due > call.deadline:
                await_timeout(world, call)
            return True
        reply = http_fault.instead(outcome)
        if reply is None:
            lose(world, call, "request lost")
        else:
            send_back(world, call, reply)
        return True

    def put_off(self, world: World, due: int | None) -> None:
        if due is None or due > self.call.deadline:
            await_timeout(world, self.call)

    def name(self) -> str:
        return f"apply {self.call.label}"

    def alias(self, symbol: Callable[[str, str], str]) -> str:
        return f"apply {self.call.kind}"


def applied(world: World, call: PendingCall, reply: Any) -> None:
    """The callee's handler returned: its reply sets out for the caller."""
    n = len(world.events)
    op, now, caller = call.op, world.now, call.activity.host.name
    world.record(CallApplied(n, now, world.cause, caller, op.to, call.n, op.request, reply))
    world.cause = n
    if call.outcome:
        reply = http_fault.instead(call.outcome) or NO_ANSWER
    if reply is NO_ANSWER:
        lose(world, call, "answer lost")
    else:
        send_back(world, call, reply)


class CallReply(Item):
    """A reply on its way back."""

    __slots__ = ("call", "reply")

    def __init__(self, call: PendingCall, reply: Any) -> None:
        self.due = 0
        self.seq = self.cause = -1
        self.foreground = True
        self.call = call
        self.reply = reply

    def fire(self, world: World) -> None:
        caller = self.call.activity.host
        if caller.asleep_until > world.now:
            world.schedule(self, caller.asleep_until)
            return
        answer(world, self.call, self.reply)

    def put_off(self, world: World, due: int | None) -> None:
        if due is None or due > self.call.deadline:
            await_timeout(world, self.call)

    def name(self) -> str:
        return f"finish {self.call.label}"

    def alias(self, symbol: Callable[[str, str], str]) -> str:
        return f"finish {self.call.kind}"


class CallTimeout(Item):
    """The caller stops waiting."""

    __slots__ = ("call",)

    def __init__(self, call: PendingCall) -> None:
        op = call.op
        super().__init__(not op.background and op.timeout_us <= SETTLE_HORIZON_US)
        self.call = call

    def fire(self, world: World) -> None:
        caller = self.call.activity.host
        if world.asleep(caller):
            world.schedule(self, caller.asleep_until)
            return
        answer(world, self.call, NO_ANSWER)

    def name(self) -> str:
        return f"give up {self.call.label}"

    def alias(self, symbol: Callable[[str, str], str]) -> str:
        return f"give up {self.call.kind}"
