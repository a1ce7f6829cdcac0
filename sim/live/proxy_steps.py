"""Faults by the names that searches and traces give them, on real connections.

``@strike "cut D.slack#1 rst" after "deliver D.slack#1 D>S turn.end"`` strikes when that
frame has passed; ``lose deliver D.slack#1 D>S turn.progress ~2`` names the frame itself,
and so does ``lose D.slack#1 D>S 14``, by its number on the connection.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import attrs

from sim.live.proxy_book import Seen
from sim.live.proxy_faults import Strike
from sim.live.proxy_link import Director, Link, Verdict
from sim.world.fault import CUTS
from sim.world.helm import START, Step

DELIVER = "deliver "


@attrs.frozen
class OnFrame:
    """A strike on the frame of that name."""

    frame: str
    strike: Strike


@attrs.frozen
class OnLink:
    """A strike on the connection of that name."""

    link: str
    strike: Strike


def read_fault(name: str) -> OnFrame | OnLink | None:
    """What a fault's name says; None for what makes no sense on a wire."""
    match name.split(" "):
        case ["lose" | "duplicate" as verb, *frame] if frame:
            late = frame.pop() if _is_us(frame[-1]) else ""
            wait = _seconds(late) if late and verb == "duplicate" else None
            strike = Strike("lose") if verb == "lose" else Strike("duplicate", wait_s=wait)
            return OnFrame(" ".join(frame), strike)
        case ["delay", *frame, late] if frame and _is_us(late):
            return OnFrame(" ".join(frame), Strike("delay", wait_s=_seconds(late)))
        case ["cut", link, how] if how in CUTS:
            return OnLink(link, Strike("cut", how=how))
        case ["heal", link]:
            return OnLink(link, Strike("heal"))
        case ["hold" | "release" as verb, link, way] if ">" in way:
            by_client = way.partition(">")[0] == link.partition(".")[0]
            return OnLink(link, Strike("hold" if verb == "hold" else "release", way=by_client))
        case _:
            return None


class Steps(Director):
    """Carries out ``@strike`` lines. ``find`` gives the open connection of a name."""

    def __init__(self, find: Callable[[str], Link | None]) -> None:
        self._find = find
        self._frames: dict[str, list[Strike]] = {}
        self._links: dict[str, list[OnLink]] = {}
        self._counts: dict[str, int] = {}

    def add(self, step: Step) -> bool:
        """One more; False when nobody can carry it out on a wire."""
        fault = read_fault(step.do) if step.is_fault else None
        if isinstance(fault, OnFrame):
            # Its name says which frame it is, whenever it comes.
            self.strike_frame(fault)
            return True
        if fault is None or not (step.at.startswith(DELIVER) or step.at == START):
            return False
        self._links.setdefault(_first(step.at), []).append(fault)
        return True

    def strike_frame(self, fault: OnFrame) -> None:
        """When the frame of that name comes."""
        self._frames.setdefault(_first(fault.frame), []).append(fault.strike)

    def opened(self, link: Link) -> None:
        """A connection has got its name."""
        waiting = self._links.get(START, [])
        for fault in [one for one in waiting if one.link == link.named.link]:
            waiting.remove(fault)
            link.strike(fault.strike)

    def judge(self, link: Link, seen: Seen, message: str | bytes) -> Verdict:
        """A frame has come in: is it one of those?"""
        verdict = Verdict()
        if not (self._frames or self._links):
            return verdict
        name = f"{DELIVER}{seen.link} {seen.sender}>{seen.receiver} {seen.type}"
        nth = self._counts[name] = self._counts.get(name, 0) + 1
        numbered = f"{name} ~{nth}"
        for known in (numbered, seen.name):
            verdict.on_frame += self._frames.pop(known, [])
        for fault in self._links.pop(numbered, []):
            verdict.after.append(partial(self._strike, fault))
        return verdict

    def _strike(self, fault: OnLink) -> None:
        link = self._find(fault.link)
        if link is not None:
            link.strike(fault.strike)


def _first(name: str) -> str:
    """The first of its kind is named without a number."""
    return f"{name} ~1" if name.startswith(DELIVER) and " ~" not in name else name


def _is_us(word: str) -> bool:
    return word.endswith("us") and word[:-2].isascii() and word[:-2].isdigit()


def _seconds(word: str) -> float:
    return int(word[:-2]) / 1_000_000
