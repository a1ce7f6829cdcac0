"""Faults: what the network, the machines and their clocks do to a run.

Each function is one imperative verb and leaves a FaultInjected event with the
name that a schedule would store. Faults of a channel's API are not here: the
channel answers for itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import attrs

from sim.core.errors import UsageError
from sim.core.event import FaultInjected, HostCrashed
from sim.world import call
from sim.world.link import CloseFlight, End, FrameFlight, Link

if TYPE_CHECKING:
    from sim.world.world import World

CUTS = ("fin", "rst", "silent")
_COUNT = re.compile("[0-9]{0,6}")


@attrs.frozen
class Budget:
    """How many faults of each kind a search may add to a run."""

    lose: int = 0
    duplicate: int = 0
    delay: int = 0
    cut: int = 0
    crash: int = 0
    channel: int = 0
    http: int = 0

    @classmethod
    def parse(cls, text: str) -> Budget:
        """``cut:1,duplicate:2``. Raises UsageError naming the allowed words."""
        words = tuple(field.name for field in attrs.fields(cls))
        given: dict[str, int] = {}
        for part in filter(None, (p.strip() for p in text.split(","))):
            word, _, number = part.partition(":")
            if word not in words or not _COUNT.fullmatch(number):
                raise UsageError(
                    f"fault {part!r}: write WORD:COUNT with WORD in {', '.join(words)} "
                    "and COUNT up to 999999"
                )
            if word in given:
                raise UsageError(f"fault {part!r}: {word} is counted already; write it once")
            given[word] = int(number or "1")
        return cls(**given)


def _say(world: World, fault: str, target: str) -> None:
    n = world.next_n()
    world.record(FaultInjected(n, world.now, world.cause, fault, target))
    world.cause = n


def cut(world: World, link: Link, how: str = "fin") -> None:
    """Cut a connection: ``fin`` delivers what was sent, ``rst`` drops it, ``silent``
    tells nobody (half-open). One that the server has not seen yet is refused by
    either of the first two."""
    _say(world, f"cut {link.name} {how}", link.name)
    if how == "silent":
        link.silent = True
        for end in link.ends():
            end.hold(world)
        return
    link.silent = False
    dialling = link.is_dialling
    for end in link.ends():
        end.release(world)
        if how == "rst" or dialling:
            end.drop_flight(world, "reset")
    if dialling:
        return
    for end in link.ends():
        # A reset also swept away the news of an earlier cut: send it again.
        if how == "rst" or not end.severed:
            end.severed = True
            end.put(world, CloseFlight(end, 1006, how, "network"))


def heal(world: World, link: Link) -> None:
    """A silent cut ends: what was swallowed is sent again, in order, as TCP does."""
    _say(world, f"heal {link.name}", link.name)
    link.silent = False
    for end in link.ends():
        end.release(world)


def hold(world: World, end: End) -> None:
    """Keep in flight whatever ``end`` sends."""
    _say(world, f"hold {end.link.name} {end.host}>{end.other.host}", end.link.name)
    end.hold(world)


def release(world: World, end: End) -> None:
    """Let go what was held."""
    _say(world, f"release {end.link.name} {end.host}>{end.other.host}", end.link.name)
    end.release(world)


def lose(world: World, frame: FrameFlight) -> None:
    """A frame never arrives (a proxy dropped it; TCP alone would not)."""
    _say(world, f"lose {frame.name()[8:]}", frame.end.link.name)
    frame.end.flight.remove(frame)
    world.unschedule(frame)
    frame.lost(world, "lost")


def duplicate(world: World, frame: FrameFlight, after_us: int = 0) -> None:
    """A frame arrives twice; the copy ``after_us`` later, behind what was sent before it."""
    later = f" {after_us}us" if after_us else ""
    _say(world, f"duplicate {frame.name()[8:]}{later}", frame.end.link.name)
    end = frame.end
    copy = FrameFlight(end, frame.frame, frame.sent)
    copy.nth = frame.nth
    copy.again = True
    if after_us:
        world.at(frame.due + after_us, f"copy {frame.name()[8:]}", lambda: _repeat(world, copy))
    else:
        _repeat(world, copy)


def _repeat(world: World, copy: FrameFlight) -> None:
    if not copy.end.severed:
        copy.end.put(world, copy)


def delay(world: World, frame: FrameFlight, by_us: int) -> None:
    """A frame arrives later, and all behind it no earlier (a stream keeps its order)."""
    _say(world, f"delay {frame.name()[8:]} {by_us}us", frame.end.link.name)
    end = frame.end
    floor = frame.due + by_us
    behind = False
    for item in end.flight:
        behind = behind or item is frame
        if behind:
            due = max(item.due, floor)
            end.last_due = max(end.last_due, due)
            if end.held:
                item.due = due
            else:
                world.schedule(item, due)


def refuse(world: World, host: str, lane: str, status: int, times: int = 1) -> None:
    """The next ``times`` dials of a host on a lane are answered with an HTTP status, not
    with a connection: 401 for a token that is not taken, 503 for a server that is closing."""
    where = f"{host}.{lane}"
    _say(world, f"refuse {where} {status}{f' {times}x' if times > 1 else ''}", host)
    world.refusals.setdefault(where, []).extend([status] * times)


def crash(world: World, name: str) -> None:
    """The process dies: handlers, timers and sockets are gone, what was saved stays."""
    host = world.hosts[name]
    if not host.up:
        return
    _say(world, f"crash {name}", name)
    world.record(HostCrashed(world.next_n(), world.now, world.cause, name, host.epoch))
    links = list(world.links_of(name))
    for activity in [*host.crash(), *world.withdraw(host)]:
        if activity.call is not None:
            call.drop(world, activity.call, "host crashed")
        if activity.pause is not None:
            world.unschedule(activity.pause)
        if world.on_drop is not None:
            world.on_drop(activity)
        activity.drop()
    for link in links:
        end = link.end_of(name)
        end.is_open = False
        if not end.severed:
            end.put(world, CloseFlight(end, 1006, "peer died", name))


def restart(world: World, name: str) -> None:
    """The process comes back over what it had stored."""
    if not world.hosts[name].up:
        _say(world, f"restart {name}", name)
        world.boot(name)


def skew(world: World, name: str, by_us: int) -> None:
    """Move one host's clock by ``by_us`` (its timers are not affected)."""
    _say(world, f"skew {name} {by_us}us", name)
    world.hosts[name].skew_us += by_us


def sleep(world: World, name: str, for_us: int) -> None:
    """A closed laptop lid: nothing is handled, timers are late, sockets stay."""
    _say(world, f"sleep {name} {for_us}us", name)
    world.hosts[name].asleep_until = world.now + for_us
