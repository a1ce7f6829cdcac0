"""What each op means in the world: one small function per op.

``PERFORM`` maps the op's class to its function. A function gives the op's
result at once, or SUSPENDED when the handler has to wait; then somebody calls
``world.resume`` later. Every driver uses this table: it is why a run is the
same on all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from sim.core import op as ops
from sim.core.errors import LocalProtocolError
from sim.core.event import Erased, FrameLost, FrameSent, Noted, Saved
from sim.core.plain import is_plain
from sim.world import call
from sim.world.activity import SUSPENDED, Activity
from sim.world.link import CloseFlight, End, FrameFlight, close_end
from sim.world.timer import SETTLE_HORIZON_US, Pause, TimerItem, WaitLimit

if TYPE_CHECKING:
    from sim.world.world import World


def send(world: World, activity: Activity, op: ops.Send) -> bool:
    """→ whether this end still believed in the connection."""
    return write(world, op.conn, op.frame)


def write(world: World, end: End, frame: ops.Frame) -> bool:
    """Put a frame on the wire, for a handler or for a host's own Trio task."""
    if not end.is_open:
        return False
    end.nth = nth = end.nth + 1
    n = len(world.events)
    name, host, other = end.link.name, end.host, end.other.host
    world.record(FrameSent(n, world.now, world.cause, name, host, other, nth, frame))
    if end.severed:
        world.record(FrameLost(n + 1, world.now, n, name, host, other, n, frame.type, "cut"))
    else:
        flight = FrameFlight(end, frame, n)
        end.put(world, flight)
        if world.on_flight is not None:
            world.on_flight(flight)
    return True


def close(world: World, activity: Activity, op: ops.Close) -> None:
    """This end closes at once; the news travels behind what was sent."""
    shut(world, op.conn, op.code, op.reason)


def shut(world: World, end: End, code: int, reason: str) -> None:
    """Close an end, for a handler or for a host's own Trio task; again is fine."""
    if end.is_open:
        close_end(world, end, code, reason, end.host, tell=False)
        if not end.severed:
            end.put(world, CloseFlight(end, code, reason, end.host))


def _span(activity: Activity, op: Any, us: Any) -> int:
    """A span of virtual time, as an op gives it: whole microseconds, none of them negative."""
    if us.__class__ is not int or us < 0:
        raise LocalProtocolError(
            f"{activity.host.name}/{activity.name}: {type(op).__name__} for {us!r}; "
            "write whole microseconds from 0 on"
        )
    return us


def dial(world: World, activity: Activity, op: ops.Dial) -> Any:
    """Suspends until the server answers, or the dial comes to nothing."""
    if op.to not in world.hosts:
        raise LocalProtocolError(f"{activity.host.name} dials {op.to!r}, which is no host")
    _span(activity, op, op.timeout_us)
    world.dial(activity, op)
    return SUSPENDED


def call_api(world: World, activity: Activity, op: ops.Call) -> Any:
    """Suspends until the reply, or until the deadline."""
    if op.to not in world.hosts:
        raise LocalProtocolError(f"{activity.host.name} calls {op.to!r}, which is no host")
    _span(activity, op, op.timeout_us)
    call.issue(world, activity, op)
    return SUSPENDED


def save(world: World, activity: Activity, op: ops.Save) -> None:
    """Durable at once: there is no write-behind to lose."""
    host = activity.host
    if not is_plain(op.value):
        raise LocalProtocolError(
            f"{host.name}/{activity.name} saves a {type(op.value).__name__} under {op.key!r}; "
            "save what a trace can hold: texts, numbers, tuples, structs"
        )
    key, value = op.key, op.value
    host.store.put(key, value)
    world.record(Saved(len(world.events), world.now, world.cause, host.name, key, value))


def erase(world: World, activity: Activity, op: ops.Erase) -> None:
    """The row is gone at once."""
    host = activity.host
    host.store.drop(op.key)
    world.record(Erased(world.next_n(), world.now, world.cause, host.name, op.key))


def start_timer(world: World, activity: Activity, op: ops.StartTimer) -> None:
    """A timer of that name starts over."""
    host = activity.host
    key = (op.kind, op.key)
    old = host.timers.get(key)
    if old is not None:
        world.unschedule(old)
    after_us = _span(activity, op, op.after_us)
    foreground = not op.background and after_us <= SETTLE_HORIZON_US
    host.timers[key] = timer = TimerItem(host, key, foreground)
    world.schedule(timer, world.now + after_us)


def stop_timer(world: World, activity: Activity, op: ops.StopTimer) -> None:
    """A timer of that name is forgotten."""
    timer = activity.host.timers.pop((op.kind, op.key), None)
    if timer is not None:
        world.unschedule(timer)


def sleep(world: World, activity: Activity, op: ops.Sleep) -> Any:
    """Suspends this handler, and no other."""
    for_us = _span(activity, op, op.for_us)
    activity.pause = Pause(activity, for_us <= SETTLE_HORIZON_US)
    world.schedule(activity.pause, world.now + for_us)
    return SUSPENDED


def acquire(world: World, activity: Activity, op: ops.Acquire) -> Any:
    """Suspends while another handler is inside."""
    host = activity.host
    if host.locks is None:
        host.locks = {}
    queue = host.locks.get(op.key)
    if queue is None:
        host.locks[op.key] = [activity]
        return None
    if queue[0] is activity:
        raise LocalProtocolError(
            f"{host.name}/{activity.name} enters section {op.key!r}, in which it is already; "
            "it would wait for itself"
        )
    queue.append(activity)
    return SUSPENDED


def release(world: World, activity: Activity, op: ops.Release) -> None:
    """The next in the queue is inside now."""
    host = activity.host
    if host.locks is None or op.key not in host.locks:
        raise LocalProtocolError(
            f"{host.name}/{activity.name} leaves section {op.key!r}, which nobody entered"
        )
    queue = host.locks[op.key]
    del queue[0]
    if queue:
        world.resume(queue[0], None)
    else:
        del host.locks[op.key]


def wait(world: World, activity: Activity, op: ops.Wait) -> Any:
    """Suspends until a wake, or until the limit."""
    host = activity.host
    if host.waits is None:
        host.waits = {}
    if op.key in host.waits:
        raise LocalProtocolError(f"{host.name}: two handlers wait for {op.key!r}")
    timeout_us = _span(activity, op, op.timeout_us)
    limit = WaitLimit(host, op.key)
    host.waits[op.key] = (activity, limit)
    world.schedule(limit, world.now + timeout_us)
    return SUSPENDED


def wake(world: World, activity: Activity, op: ops.Wake) -> bool:
    """→ whether somebody waited; that handler goes on behind this one."""
    waits = activity.host.waits
    waiting = None if waits is None else waits.pop(op.key, None)
    if waiting is None:
        return False
    world.unschedule(waiting[1])
    world.resume(waiting[0], op.value)
    return True


def spawn(world: World, activity: Activity, op: ops.Spawn) -> None:
    """The new activity begins when this one comes to a gap."""
    world.start(activity.host, op.run, op.name, world.cause)


def lives(world: World, activity: Activity, op: ops.Lives) -> bool:
    """→ whether that life goes on; a host that sleeps is alive."""
    host = world.hosts.get(op.host)
    return host is not None and host.up and op.epoch in (0, host.epoch)


def note(world: World, activity: Activity, op: ops.Note) -> None:
    """For views and invariants; the world does not look at it."""
    n = len(world.events)
    world.record(Noted(n, world.now, world.cause, activity.host.name, op.what, op.data))


Performer = Callable[["World", Activity, Any], Any]


class Performers(dict[type[Any], Performer]):
    """A table that says what is wrong when it is asked for anything but an op."""

    def __missing__(self, kind: type[Any]) -> Performer:
        raise LocalProtocolError(
            f"a handler awaits {kind.__name__}, which is no op; "
            "handlers await nothing but self.perform(op)"
        )


PERFORM: Mapping[type[Any], Performer] = Performers(
    {
        ops.Send: send,
        ops.Close: close,
        ops.Dial: dial,
        ops.Call: call_api,
        ops.Save: save,
        ops.Erase: erase,
        ops.StartTimer: start_timer,
        ops.StopTimer: stop_timer,
        ops.Sleep: sleep,
        ops.Acquire: acquire,
        ops.Release: release,
        ops.Wait: wait,
        ops.Wake: wake,
        ops.Spawn: spawn,
        ops.Lives: lives,
        ops.Note: note,
    }
)
