"""The world: hosts, connections, pending items, a clock, and the trace.

``enabled()`` gives every step that is possible now in canonical order and
``apply(choice)`` takes one; a timed run takes the earliest each time, which is
what ``next_item()`` gives without building the list. Handlers that can go on
wait in ``ready``; the driver moves them (``advance``), because suspending is
the only thing in which drivers differ.

With ``preempt`` every op is a place where something else may happen first:
a handler that could go on at once becomes a choice too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Coroutine, Iterator, MutableSequence
from typing import Any

from sim.core import ambient
from sim.core.errors import SimInternalError
from sim.core.event import Acted, BadFrame, ConnectionClosed, Event, HostStarted
from sim.core.http import REFUSED
from sim.core.op import Dial, Frame, OpaqueFrame
from sim.world.activity import SUSPENDED, Activity
from sim.world.agenda import Agenda
from sim.world.call import PendingCall, Route, applied, await_timeout, drop
from sim.world.carrier import Carrier
from sim.world.choice import Choice
from sim.world.dial import DialRequest
from sim.world.host import ActorFactory, Host
from sim.world.http_fault import HttpFaults
from sim.world.link import Attempt, End, FrameFlight, Link
from sim.world.perform import PERFORM

LINK_LATENCY_US = (20_000, 80_000)

Watcher = Callable[[Any], None]


class World(Agenda):
    """All the state of one run. Make one per run; it is never reused."""

    def __init__(self, seed: int = 0, *, preempt: bool = False) -> None:
        super().__init__()
        self.seed = seed
        self.at_op: Callable[[Activity, Any], bool] | None = None
        self.preempt = preempt
        self.hosts: dict[str, Host] = {}
        self.links: dict[str, Link] = {}
        self._links_of: dict[str, dict[str, Link]] = {}
        self.latencies: dict[tuple[str, str], tuple[int, int]] = {}
        self.events: MutableSequence[Event] = []  # a live world keeps only its tail
        self.watchers: dict[type[Event], list[Watcher]] = {}
        self.ready: deque[tuple[Activity, Any]] = deque()
        self.on_drop: Callable[[Activity], None] | None = None
        # Asked after each op that needs no wait: True, the handler stops there.
        # Runs the Trio tasks of user-written hosts, where the driver can.
        self.guests: Any = None
        # Carries what is due over real sockets; None: it has arrived by then.
        self.carrier: Carrier | None = None
        # Takes the calls of those hosts that stand for programs outside, by name.
        self.outlets: dict[str, Callable[[PendingCall], None]] = {}
        self.on_flight: Callable[[FrameFlight], None] | None = None
        # What faults have in store for the next dials of a client's lane ("D.slack").
        self.refusals: dict[str, list[int]] = {}
        self.http_faults = HttpFaults()
        self._generations: dict[tuple[str, str], int] = {}
        self._routes: dict[tuple[str, str, bool], Route] = {}

    # -- building ------------------------------------------------------------

    def add_host(
        self,
        name: str,
        kind: str,
        factory: ActorFactory,
        *,
        latency: tuple[int, int] | None = None,
    ) -> Host:
        """A host that is still down. ``latency`` (µs) is that of calls to its API."""
        if name in self.hosts:
            raise SimInternalError(f"two hosts named {name!r}")
        self.hosts[name] = host = Host(self, name, kind, factory, latency)
        return host

    def watch(self, kind: type[Event], watcher: Watcher) -> None:
        """Call ``watcher`` with each event of exactly this class, when it is recorded."""
        self.watchers.setdefault(kind, []).append(watcher)

    def boot(self, name: str) -> None:
        """Start a host, or start it again: a new actor over the durable store."""
        host = self.hosts[name]
        if host.up:
            raise SimInternalError(f"host {name!r} is up already; crash it before it starts again")
        host.up = True
        host.epoch += 1
        n = self.next_n()
        self.record(HostStarted(n, self.now, self.cause, name, host.epoch))
        host.actor = host.factory(host)
        self.start(host, host.actor.on_start(), "on_start", n)

    def close(self) -> None:
        """Throw the world away with all its unfinished handlers.

        A run that ends before everything is done should end like this; Python
        would else complain about coroutines that nobody awaited.
        """
        for activity, _ in self.ready:
            if not activity.parked:
                activity.drop()
        self.ready.clear()
        self.clear()
        for host in self.hosts.values():
            for activity in host.waiting or ():
                activity.drop()
            host.waiting = None

    # -- the trace -----------------------------------------------------------

    def next_n(self) -> int:
        """The number that the next event will have."""
        return len(self.events)

    def record(self, event: Event) -> None:
        """Append an event and show it to those who watch its kind."""
        self.events.append(event)
        for watcher in self.watchers.get(event.__class__, ()):
            watcher(event)

    # -- choices -------------------------------------------------------------

    def settled(self) -> bool:
        """Nothing is pending but heartbeats, time limits and far-off retries."""
        return self.pending == 0 and not self.ready

    @property
    def preempt(self) -> bool:
        """Whether every op is a place where something else may happen first."""
        return self._preempt

    @preempt.setter
    def preempt(self, on: bool) -> None:
        self._preempt = on
        self.at_op = self._stop if on else None

    def enabled(self) -> list[Choice]:
        """Every step that is possible now; the first is the timed run's.

        Handlers begin in the order of what began them: two frames of one
        connection are delivered in order, and so are they first looked at. Of
        those that have not begun only the first is a choice.
        """
        new = next((activity for activity, _ in self.ready if not activity.started), None)
        ready = [Choice(activity=a) for a, _ in self.ready if a.started or a is new]
        return ready + [Choice(item=item) for item in self.planned() if item.enabled()]

    def apply(self, choice: Choice) -> None:
        """Take one step of :meth:`enabled`. Raises SimInternalError for a stale one."""
        if choice.item is not None:
            if choice.item.seq == -1 or not choice.item.enabled():
                raise SimInternalError(f"choice {choice.name!r} is no longer enabled")
            self.fire(choice.item)
            return
        for entry in self.ready:
            if entry[0] is choice.activity:
                self.ready.remove(entry)
                self.advance(*entry)
                return
        raise SimInternalError(f"choice {choice.name!r} is no longer enabled")

    # -- handlers ------------------------------------------------------------

    def start(self, host: Host, coro: Coroutine[Any, Any, Any], name: str, cause: int) -> Activity:
        """A new activity, ready to run."""
        activity = Activity(host, coro, name, cause)
        self.ready.append((activity, None))
        if self.helm is not None:
            self.helm.moves(activity)
        return activity

    def resume(self, activity: Activity, value: Any) -> None:
        """A waiting handler gets its result and may go on."""
        if activity.epoch == activity.host.epoch and activity.host.up:
            activity.cause = self.cause
            self.ready.append((activity, value))
            if self.helm is not None:
                self.helm.moves(activity)

    def withdraw(self, host: Host) -> list[Activity]:
        """The host crashed: none of its handlers can go on. Gives those not yet waiting."""
        gone = [a for a, _ in self.ready if a.host is host and not a.parked]
        alive = [entry for entry in self.ready if entry[0].host is not host]
        self.ready.clear()
        self.ready.extend(alive)
        return gone

    def advance(self, activity: Activity, value: Any) -> bool:
        """Run a handler up to its next gap; True while it is not finished.

        Every driver moves handlers through here and nowhere else.
        """
        host = activity.host
        if activity.epoch != host.epoch or not host.up:
            return False
        self.cause = activity.cause
        activity.started = True
        token = ambient.HOST.set(host)
        try:
            send = activity.coro.send
            at_op = None if host.one_at_a_time else self.at_op
            while True:
                op = send(value)
                value = PERFORM[type(op)](self, activity, op)
                if value is SUSPENDED:
                    if not activity.parked:
                        host.suspend(activity)
                    if activity.call is not None:
                        await_timeout(self, activity.call)
                    return True
                if at_op is not None and at_op(activity, value):
                    return True
        except StopIteration as stop:
            if activity.parked:
                host.finished(activity)
            if activity.call is not None:
                applied(self, activity.call, stop.value)
            return False
        except Exception as error:
            error.add_note(f"in {host.name}/{activity.name} at step {len(self.events)}")
            raise
        finally:
            self.cause = -1
            ambient.HOST.reset(token)

    def _stop(self, activity: Activity, value: Any) -> bool:
        """With ``preempt``. In front: left alone, a handler goes on up to its gap."""
        self.ready.appendleft((activity, value))
        return True

    def asleep(self, host: Host) -> bool:
        """Whether the host's lid is closed."""
        return host.asleep_until > self.now

    def act(self, name: str, act: Any) -> None:
        """Somebody directs the person, agent or channel ``name`` now."""
        host = self.hosts[name]
        n = len(self.events)
        self.record(Acted(n, self.now, self.cause, name, act))
        if host.up and host.actor is not None:
            self.start(host, host.actor.on_act(act), "on_act", n)

    def deliver(self, end: End, frame: Frame, n: int) -> None:
        """A frame reached ``end``; event ``n`` says so."""
        host = self.hosts[end.host]
        actor = host.actor
        if actor is not None:  # start(), which would be called more often than anything
            self.ready.append((Activity(host, actor.on_frame(end, frame), "on_frame", n), None))
            if self.helm is not None:
                self.helm.moves(self.ready[-1][0])

    def note_bad(self, end: End, frame: OpaqueFrame, sent: int, n: int) -> None:
        """What event ``n`` delivered is no frame to whoever parses."""
        actor = self.hosts[end.host].actor
        if actor is not None and not actor.READS_TEXT:
            where = (end.link.name, end.host)
            self.record(BadFrame(self.next_n(), self.now, n, *where, sent, frame.error, frame.path))

    def tell_closed(self, end: End, event: ConnectionClosed) -> None:
        """The connection ended under ``end``."""
        host = self.hosts[end.host]
        if host.actor is not None:
            self.start(host, host.actor.on_close(end, event), "on_close", event.n)

    def tell_open(self, end: End, n: int) -> None:
        """A client connected; ``end`` is the server's."""
        host = self.hosts[end.host]
        if host.actor is not None:
            self.start(host, host.actor.on_open(end), "on_open", n)

    def tell_timer(self, host: Host, kind: str, key: str, n: int) -> None:
        """A timer of the host is due."""
        if host.actor is not None:
            self.start(host, host.actor.on_timer(kind, key), "on_timer", n)

    # -- connections and calls -------------------------------------------------

    def latency(self, source: str, target: str) -> tuple[int, int]:
        """(lowest, highest) latency in µs of frames and replies between two hosts."""
        return self.latencies.get((source, target), LINK_LATENCY_US)

    def dial(self, activity: Activity, op: Dial) -> None:
        """A handler connects; it goes on when it is accepted or refused."""
        client = activity.host.name
        lane = (client, op.lane)
        generation = self._generations[lane] = self._generations.get(lane, 0) + 1
        link = Link(f"{client}.{op.lane}#{generation}", op.lane, generation, op.info)
        link.client = End(link, client, self.latency(client, op.to), self.seed)
        link.server = End(link, op.to, self.latency(op.to, client), self.seed)
        link.client.other, link.server.other = link.server, link.client
        self.links[link.name] = link
        for host in (client, op.to):
            self._links_of.setdefault(host, {})[link.name] = link
        attempt = Attempt(link, activity)
        self.schedule(attempt, self.now + op.timeout_us)
        link.client.put(self, DialRequest(link.client, attempt))

    def refusal(self, link: Link) -> int:
        """The HTTP status that a fault has in store for this dial, used up with it; 0: none."""
        lane = f"{link.client.host}.{link.lane}"
        waiting = self.refusals.get(lane)
        if not waiting:
            return 0
        if len(waiting) == 1:
            del self.refusals[lane]
        return waiting.pop(0)

    def links_of(self, host: str) -> Iterator[Link]:
        """The connections in which a host believes, in order of dialling."""
        for link in self._links_of.get(host, {}).values():
            if link.end_of(host).is_open:
                yield link

    def forget_link(self, link: Link) -> None:
        """Both ends are closed and nothing is in flight."""
        if self.links.pop(link.name, None) is not None:
            for host in (link.client.host, link.server.host):
                self._links_of[host].pop(link.name, None)

    def route(self, caller: str, callee: str, reply: bool = False) -> Route:
        """Where calls (or replies to them) between two hosts take their latency from."""
        key = (caller, callee, reply)
        route = self._routes.get(key)
        if route is None:
            usual = None if reply else self.hosts[callee].latency
            latency = self.latencies.get((caller, callee), usual or LINK_LATENCY_US)
            name = f"{'reply' if reply else 'call'} {caller}>{callee}"
            self._routes[key] = route = Route(self.seed, name, latency)
        return route

    def start_call(self, callee: Host, call: PendingCall) -> None:
        """The request arrived: run the callee's handler for it."""
        if callee.actor is None:
            drop(self, call, "host has no API", REFUSED)
            return
        outlet = self.outlets.get(callee.name)
        if outlet is not None:
            outlet(call)
            return
        handler = callee.actor.on_call(call.caller, call.op.request)
        self.start(callee, handler, "on_call", call.n).call = call
