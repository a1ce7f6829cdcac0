"""What happened in a run, in an order that forgets what does not matter.

Two runs in which every host saw the same things in the same order at the same
times are the same run: hosts share nothing, and behave by what reaches them.
``fingerprint`` hashes just that, so that a run which has been met in another
order of independent things is known again. It looks at no handler's locals:
what a host has seen decides what it is.

``races`` are the pairs whose order matters and could have been the other way
round: the same host saw both, the later one was on its way without the earlier
one's doing, and they stood in no queue together. Other orders are not worth a
try (partial-order reduction).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import attrs

from sim.channel.services import SERVICES
from sim.core.entropy import mix64, origin
from sim.world.activity import Activity
from sim.world.call import CallReply, CallRequest
from sim.world.helm import Helm
from sim.world.item import Item
from sim.world.link import Flight

REACH_US = 12_000_000
TOO_LATE_US = 1_000
# People and chat services are not under test: their handlers run through.
RUNNING_THROUGH = ("person", *SERVICES)


@attrs.define
class Happening:
    """``at`` is its virtual time (µs), ``queue`` the direction of a connection that it
    stood in; ``planned_by``: which happening put it into the plan, -1: the start.

    ``hosts`` are those that it set in motion, ``places`` (name, host) between two ops
    of their handlers.
    """

    key: str
    at: int
    planned_by: int
    queue: str
    hosts: dict[str, None] = attrs.field(factory=dict)
    places: list[tuple[str, str]] = attrs.field(factory=list)


class Track:
    """Listens to a helm during its run; afterwards it is only data.

    ``missed``: which happening (by its number) took which timer out of the plan;
    ``calls``: which one belongs to a call whose caller would not have waited so much (µs) longer.
    """

    def __init__(self, helm: Helm) -> None:
        self.happened: list[Happening] = []
        self.missed: list[tuple[int, str]] = []
        self.calls: list[tuple[int, int]] = []
        self._helm = helm
        self._starts: list[int] = []
        helm.on_happening = self._on_happening
        helm.on_move = self._on_move
        helm.on_fault = self._on_fault
        helm.on_withdrawn = self._on_withdrawn
        self._at_op = helm.at_op
        helm.world.at_op = self._on_op

    def _on_op(self, activity: Activity, value: Any) -> bool:
        if activity.host.kind not in RUNNING_THROUGH and self.happened:
            place = f"{activity.origin}/{activity.ops + 1}"
            self.happened[-1].places.append((place, activity.host.name))
        return self._at_op(activity, value)

    def _on_happening(self, key: str, item: Item) -> None:
        world = self._helm.world
        by = bisect_right(self._starts, item.cause) - 1 if item.cause >= 0 else -1
        self._starts.append(len(world.events))
        at = max(world.now, item.due)
        queue = f"{item.end.link.name} {item.end.host}" if isinstance(item, Flight) else ""
        self.happened.append(Happening(key, at, by, queue))
        if isinstance(item, CallRequest | CallReply):
            left = item.call.deadline - at
            if 0 <= left <= REACH_US:
                self.calls.append((len(self.happened) - 1, left + TOO_LATE_US))

    def _on_move(self, activity: Activity) -> None:
        if self.happened:
            self.happened[-1].hosts[activity.host.name] = None

    def _on_fault(self, name: str) -> None:
        if self.happened:
            self.happened[-1].hosts[f"fault {name}"] = None

    def _on_withdrawn(self, key: str, item: Item) -> None:
        """A time limit that was kept: what kept it could have come too late."""
        number = len(self.happened) - 1
        if (
            number >= 0
            and item.due - self.happened[number].at <= REACH_US
            and item.cause < self._starts[number]
        ):
            self.missed.append((number, key))

    # -- what it means ---------------------------------------------------------------

    def fingerprint(self) -> int:
        """64 bits that depend on what each host saw, in its order, and on nothing else."""
        seen: dict[str, int] = {}
        for one in self.happened:
            for host in one.hosts:
                known = seen.get(host, _start(host))
                seen[host] = mix64(known ^ _start(one.key) ^ mix64(one.at))
        total = 0
        for value in seen.values():
            total ^= mix64(value)
        return total

    def races(self) -> Iterator[tuple[int, int]]:
        """Reversible pairs (earlier, later) by their numbers, near ones first."""
        pasts = self.pasts()
        found: list[tuple[int, int]] = []
        for j, later in enumerate(self.happened):
            past = pasts[later.planned_by] if later.planned_by >= 0 else 0
            for i in range(j - 1, -1, -1):
                earlier = self.happened[i]
                if later.at - earlier.at > REACH_US:
                    break  # and so is all that was before it: a long run has few near pairs
                if (
                    not past >> i & 1
                    and not (earlier.queue and earlier.queue == later.queue)
                    and not earlier.hosts.keys().isdisjoint(later.hosts)
                ):
                    found.append((i, j))
        found.sort(key=lambda pair: (pair[1] - pair[0], pair))
        yield from found

    def pasts(self) -> list[int]:
        """Per happening, as a set of bits: itself and all that it may depend on."""
        pasts: list[int] = []
        last: dict[str, int] = {}
        for number, one in enumerate(self.happened):
            past = 1 << number
            if one.planned_by >= 0:
                past |= pasts[one.planned_by]
            for host in one.hosts:
                if host in last:
                    past |= pasts[last[host]]
                last[host] = number
            pasts.append(past)
        return pasts


@lru_cache(maxsize=1 << 16)
def _start(word: str) -> int:
    return origin(0, word)
