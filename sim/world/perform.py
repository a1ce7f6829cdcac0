"""What each op means in the world: one small function per op.

``PERFORM`` maps the op's class to its function. A function gives the op's
result at once, or SUSPENDED when the handler has to wait; then somebody calls
``world.resume`` later. Every driver uses this table: it is why a run is the
same on all of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from sim.core import op as ops
from sim.core.errors import LocalProtocolError
from sim.core.event import Erased, FrameLost, FrameSent, Noted, Saved
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
    end.nth += 1
    n = world.next_n()
    name = end.link.name
    world.record(
        FrameSent(n, world.now, world.cause, name, end.host, end.other.host, end.nth, frame)
    )
    if end.severed:
        world.record(
            FrameLost(n + 1, world.now, n, name, end.host, end.other.host, n, frame.type, "cut")
        )
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


def dial(world: World, activity: Activity, op: ops.Dial) -> Any:
    """Suspends until the server accepts, or the dial comes to nothing."""
    world.dial(activity, op)
    return SUSPENDED


def call_api(world: World, activity: Activity, op: ops.Call) -> Any:
    """Suspends until the reply, or until the deadline."""
    if op.to not in world.hosts:
        raise LocalProtocolError(f"{activity.host.name} calls {op.to!r}, which is no host")
    call.issue(world, activity, op)
    return SUSPENDED


def save(world: World, activity: Activity, op: ops.Save) -> None:
    """Durable at once: there is no write-behind to lose."""
    host = activity.host
    host.store.put(op.key, op.value)
    world.record(Saved(world.next_n(), world.now, world.cause, host.name, op.key, op.value))


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
    foreground = not op.background and op.after_us <= SETTLE_HORIZON_US
    host.timers[key] = timer = TimerItem(host, key, foreground)
    world.schedule(timer, world.now + op.after_us)


def stop_timer(world: World, activity: Activity, op: ops.StopTimer) -> None:
    """A timer of that name is forgotten."""
    timer = activity.host.timers.pop((op.kind, op.key), None)
    if timer is not None:
        world.unschedule(timer)


def sleep(world: World, activity: Activity, op: ops.Sleep) -> Any:
    """Suspends this handler, and no other."""
    activity.pause = Pause(activity, op.for_us <= SETTLE_HORIZON_US)
    world.schedule(activity.pause, world.now + op.for_us)
    return SUSPENDED


def acquire(world: World, activity: Activity, op: ops.Acquire) -> Any:
    """Suspends while another handler is inside."""
    host = activity.host
    if host.locks is None:
        host.locks = {}
    queue = host.locks.get(op.key)
    if queue is None:
        host.locks[op.key] = deque()
        return None
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
    if queue:
        world.resume(queue.popleft(), None)
    else:
        del host.locks[op.key]


def wait(world: World, activity: Activity, op: ops.Wait) -> Any:
    """Suspends until a wake, or until the limit."""
    host = activity.host
    if host.waits is None:
        host.waits = {}
    if op.key in host.waits:
        raise LocalProtocolError(f"{host.name}: two handlers wait for {op.key!r}")
    limit = WaitLimit(host, op.key)
    host.waits[op.key] = (activity, limit)
    world.schedule(limit, world.now + op.timeout_us)
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


def note(world: World, activity: Activity, op: ops.Note) -> None:
    """For views and invariants; the world does not look at it."""
    world.record(
        Noted(world.next_n(), world.now, world.cause, activity.host.name, op.what, op.data)
    )


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
        ops.Note: note,
    }
)
