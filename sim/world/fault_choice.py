"""Faults by name: as schedules store them, and as a search may choose them.

The names are those of FaultInjected events, so that a trace can be written
back as a script and a script gives the same trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import attrs

from sim.world import fault, http_fault
from sim.world.call import CallRequest
from sim.world.link import End, FrameFlight, Link

if TYPE_CHECKING:
    from sim.world.world import World


@attrs.frozen(eq=False)
class FaultChoice:
    """One fault that could strike now. ``kind`` is the word that the budget counts."""

    name: str
    kind: str
    strike: Callable[[], None]


def fault_choices(world: World, budget: fault.Budget) -> list[FaultChoice]:
    """Every fault that the budget still allows, in canonical order."""
    return [choice for choice in _all(world) if getattr(budget, choice.kind) > 0]


def _all(world: World) -> Iterator[FaultChoice]:
    for link in world.links.values():
        if link.client.is_open and link.server.is_open:
            for how in fault.CUTS:
                yield _choice(f"cut {link.name} {how}", "cut", fault.cut, world, link, how)
        for end in link.ends():
            for item in end.flight:
                if isinstance(item, FrameFlight) and not item.again:
                    what = item.name()[8:]
                    yield _choice(f"lose {what}", "lose", fault.lose, world, item)
                    yield _choice(f"duplicate {what}", "duplicate", fault.duplicate, world, item)
    for request in requests(world):
        for outcome in http_fault.MENU:
            name = f"http {request.name()} {outcome}"
            yield _choice(name, "http", http_fault.strike_call, world, request, outcome)
    for host in world.hosts.values():
        if host.up:
            yield _choice(f"crash {host.name}", "crash", fault.crash, world, host.name)


def requests(world: World) -> list[CallRequest]:
    """The HTTP requests on their way that no fault has hit yet, earliest first."""
    planned = (item for item in world.planned() if isinstance(item, CallRequest))
    return [one for one in planned if http_fault.is_http(one.call) and not one.call.outcome]


def _choice(name: str, kind: str, do: Callable[..., None], *args: object) -> FaultChoice:
    return FaultChoice(name, kind, lambda: do(*args))


def strike(world: World, name: str) -> bool:
    """Let the named fault strike now; False when there is nothing of that name."""
    verb, *words = name.split(" ")
    performer = _VERBS.get(verb)
    try:
        return performer is not None and performer(world, words)
    except (ValueError, KeyError):
        return False


def _us(word: str) -> int:
    return int(word.removesuffix("us"))


def _cut(world: World, words: list[str]) -> bool:
    link, how = words
    if how not in fault.CUTS:
        return False
    fault.cut(world, world.links[link], how)
    return True


def _heal(world: World, words: list[str]) -> bool:
    (link,) = words
    fault.heal(world, world.links[link])
    return True


def _end(link: Link, direction: str) -> End:
    sender, receiver = direction.split(">")
    end = link.end_of(sender)
    if end.host != sender or end.other.host != receiver:
        raise KeyError(direction)
    return end


def _hold(world: World, words: list[str]) -> bool:
    link, direction = words
    fault.hold(world, _end(world.links[link], direction))
    return True


def _release(world: World, words: list[str]) -> bool:
    link, direction = words
    fault.release(world, _end(world.links[link], direction))
    return True


def _flight(world: World, words: list[str]) -> FrameFlight | None:
    link, direction, nth, *rest = words
    again = "again" in rest
    for item in _end(world.links[link], direction).flight:
        if isinstance(item, FrameFlight) and item.nth == int(nth) and item.again is again:
            return item
    return None


def _lose(world: World, words: list[str]) -> bool:
    frame = _flight(world, words)
    if frame is not None:
        fault.lose(world, frame)
    return frame is not None


def _duplicate(world: World, words: list[str]) -> bool:
    frame = _flight(world, words)
    if frame is not None:
        fault.duplicate(world, frame, _us(words[3]) if len(words) > 3 else 0)
    return frame is not None


def _delay(world: World, words: list[str]) -> bool:
    frame = _flight(world, words)
    if frame is not None:
        fault.delay(world, frame, _us(words[-1]))
    return frame is not None


def _refuse(world: World, words: list[str]) -> bool:
    where, status, *rest = words
    host, _, lane = where.partition(".")
    (times,) = rest or ["1x"]
    number, count = int(status), int(times.removesuffix("x"))
    if not (lane and 400 <= number <= 599 and 0 < count < 1000):
        return False
    fault.refuse(world, world.hosts[host].name, lane, number, count)
    return True


def _http(world: World, words: list[str]) -> bool:
    """``apply opencode.GET:/question bot/3 reset``, or ``bot>opencode GET:/question 500 2x``."""
    if words[:1] == ["apply"]:
        *name, outcome = words
        found = next((one for one in requests(world) if one.name() == " ".join(name)), None)
        if found is None or not http_fault.is_outcome(outcome):
            return False
        http_fault.strike_call(world, found, outcome)
        return True
    route, word, outcome, *rest = words
    (times,) = rest or ["1x"]
    caller, callee = route.split(">")
    count = int(times.removesuffix("x"))
    if not (http_fault.is_outcome(outcome) and 0 < count <= http_fault.MOST_TIMES):
        return False
    ends = (world.hosts[caller].name, world.hosts[callee].name)
    http_fault.strike_next(world, *ends, word, outcome, count)
    return True


def _crash(world: World, words: list[str]) -> bool:
    (host,) = words
    up = world.hosts[host].up
    fault.crash(world, host)
    return up


def _restart(world: World, words: list[str]) -> bool:
    (host,) = words
    down = not world.hosts[host].up
    fault.restart(world, host)
    return down


def _skew(world: World, words: list[str]) -> bool:
    host, by_us = words
    fault.skew(world, world.hosts[host].name, _us(by_us))
    return True


def _sleep(world: World, words: list[str]) -> bool:
    host, for_us = words
    fault.sleep(world, world.hosts[host].name, _us(for_us))
    return True


_VERBS: dict[str, Callable[[World, list[str]], bool]] = {
    "cut": _cut,
    "heal": _heal,
    "hold": _hold,
    "release": _release,
    "lose": _lose,
    "duplicate": _duplicate,
    "delay": _delay,
    "refuse": _refuse,
    "http": _http,
    "crash": _crash,
    "restart": _restart,
    "skew": _skew,
    "sleep": _sleep,
}
