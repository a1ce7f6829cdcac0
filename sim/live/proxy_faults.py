"""Faults that a proxy lets strike: which frame, on whose connection, and what then.

In the words of the scenario language::

    lose:turn.progress#2            the second turn.progress never arrives
    lose:ping                       no ping ever arrives
    duplicate:turn.end#1=1s         arrives again, 1 s later
    delay:task.ack=3s               each task.ack is 3 s late, and what comes behind it
    cut:after=turn.end#1            the connection ends when the first turn.end has passed
    cut:rst:before=turn.end#1       … and turn.end is lost with it
    half-open:after=welcome=30s     nothing passes for 30 s, and nobody is told
    hold:D->S:after=task.ack=5s     frames of the desktop stay in flight for 5 s
    release:D->S:after=pong#3       … or until then
    heal:after=ping#2               a half-open connection carries again (when it comes in)

A frame is ``[HOST[.LANE]:][D->S:|S->D:]TYPE[#N]``. ``TYPE`` is a frame of the protocol,
``"any text"`` in quotes for one that it does not know, ``binary``, ``text`` (no frame at
all), ``*`` for each, ``next`` for the next that is no ping or pong. ``#N`` is counted per
host, lane and direction, over all connections; nothing in it depends on time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal

import attrs

from sim.core.errors import UsageError
from sim.world.fault import CUTS

Verb = Literal["lose", "duplicate", "delay", "cut", "hold", "release", "heal"]
VERBS = ("lose", "duplicate", "delay", "cut", "half-open", "hold", "release", "heal")
ANY, NEXT, BINARY, TEXT = "*", "next", "binary", "text"
NEXT_IS_NOT = ("ping", "pong")
SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "": 1.0}

_WAIT = re.compile(r"(?P<number>\d{1,6}(?:\.\d{1,3})?)(?P<unit>ms|s|m|)")
_FRAME = re.compile(
    r"(?:(?P<who>[A-Z]\w*(?:\.\w+)?):)?(?:(?P<way>\w+->\w+):)?"
    r'(?P<type>"[^"]+"|[\w.*-]+)(?:#(?P<nth>\d{1,9}))?'
)


class NoSuchWord(UsageError):
    """What was said cannot be meant. ``what`` is wrong, ``allowed`` would have been understood."""

    def __init__(self, what: str, allowed: tuple[str, ...]) -> None:
        super().__init__(f"{what}; allowed here: {', '.join(allowed)}")
        self.what = what
        self.allowed = allowed


@attrs.frozen
class WayWord:
    """A direction that has a name; ``lane``: on connections of this kind only ("": on all)."""

    by_client: bool
    lane: str = ""


Ways = Mapping[str, WayWord]
WAYS: Ways = {"D->S": WayWord(True), "S->D": WayWord(False)}


def way_name(ways: Ways, track: str, by_client: bool) -> str:
    """What the direction of a frame is called on a connection such as ``D.slack``."""
    lane = track.partition(".")[2]
    found = (name for name, way in ways.items() if way.by_client is by_client)
    return next(name for name in found if ways[name].lane in ("", lane))


@attrs.frozen
class FrameWord:
    """Which frames are meant. ``who`` "" is anybody, ``by_client`` None either way,
    ``nth`` None each of them; ``lane``: of connections of this kind only ("": of all)."""

    type: str
    who: str = ""
    by_client: bool | None = None
    nth: int | None = None
    lane: str = ""

    def covers(self, track: str, by_client: bool, type: str, *others: str) -> bool:
        """Whether a frame counts; ``track`` is ``D.slack``, ``others`` are more names of it."""
        if self.lane and track.partition(".")[2] != self.lane:
            return False
        if self.who and track != self.who and not track.startswith(f"{self.who}."):
            return False
        if self.by_client is not None and self.by_client is not by_client:
            return False
        if self.type == NEXT:
            return type not in NEXT_IS_NOT
        return self.type == ANY or self.type in (type, *others)


@attrs.frozen
class Strike:
    """What is to happen. ``way``: whose frames are held (True: the client's), ``how``: of a
    cut; ``wait_s``: how late, or how long, None: for ever (a copy: at once)."""

    verb: Verb
    how: str = "fin"
    way: bool | None = None
    wait_s: float | None = None

    @property
    def is_of_frame(self) -> bool:
        """Whether a frame is struck, and not its connection."""
        return self.verb in ("lose", "duplicate", "delay")


@attrs.define(eq=False)
class Rule:
    """One ``--fault``. ``before``: the connection is struck in place of the frame's arrival."""

    text: str
    frame: FrameWord
    strike: Strike
    before: bool = False
    counts: dict[str, int] = attrs.Factory(dict)
    is_spent: bool = False
    ways: Ways = attrs.Factory(lambda: WAYS)

    def meets(self, track: str, by_client: bool, type: str, *others: str) -> bool:
        """Count a frame; whether it is the one."""
        if self.is_spent or not self.frame.covers(track, by_client, type, *others):
            return False
        # Both directions in one count would depend on who is faster.
        place = f"{track} {way_name(self.ways, track, by_client)}"
        nth = self.counts[place] = self.counts.get(place, 0) + 1
        if self.frame.type == NEXT:
            self.is_spent = sum(self.counts.values()) == (self.frame.nth or 1)
            return self.is_spent
        return self.frame.nth in (None, nth)


class Rules:
    """All that are in force."""

    def __init__(self, rules: Iterable[Rule] = ()) -> None:
        self.rules = list(rules)

    def add(self, rule: Rule) -> None:
        """From now on."""
        self.rules.append(rule)

    def met_by(self, track: str, by_client: bool, type: str, *others: str) -> list[Rule]:
        """The rules that a frame meets, in the order of their giving.

        Of those about the next frame one at most: two of them mean two frames.
        """
        met: list[Rule] = []
        for rule in self.rules:
            is_taken = rule.frame.type == NEXT and any(one.frame.type == NEXT for one in met)
            if not is_taken and rule.meets(track, by_client, type, *others):
                met.append(rule)
        if any(rule.is_spent for rule in met):
            self.rules = [rule for rule in self.rules if not rule.is_spent]
        return met


def parse_rule(text: str, types: Iterable[str], ways: Ways = WAYS) -> Rule:
    """Read one ``--fault``; ``types`` are the frames that the protocol knows, ``ways`` its
    directions.

    Raises UsageError naming the place and the allowed words.
    """
    verb, _, rest = text.strip().partition(":")
    if verb not in VERBS:
        raise _wrong(text, f"{verb!r} is no fault", VERBS)
    known = tuple(types)
    if verb in ("lose", "duplicate", "delay"):
        word, wait = _waiting(text, rest)
        if verb == "delay" and wait is None:
            raise _wrong(text, "say how late", ("delay:FRAME=3s",))
        if verb == "lose" and wait is not None:
            raise _wrong(text, "nothing is late about a frame that is lost", ("lose:FRAME",))
        kind: Verb = "lose" if verb == "lose" else "delay" if verb == "delay" else "duplicate"
        frame = read_frame_word(text, word, known, ways)
        return Rule(text, frame, Strike(kind, wait_s=wait), ways=ways)
    return _rule_of_link(text, verb, rest, known, ways)


def _rule_of_link(text: str, verb: str, rest: str, known: tuple[str, ...], ways: Ways) -> Rule:
    """``cut``, ``half-open``, ``hold``, ``release``, ``heal``: they need a moment."""
    found = re.fullmatch(r"(?:(?P<detail>[^=]*?):)?(?P<moment>after|before)=(?P<rest>.*)", rest)
    if found is None:
        raise _wrong(text, "say when", (f"{verb}:after=FRAME", f"{verb}:before=FRAME"))
    word, wait = _waiting(text, found["rest"])
    strike = strike_of_link(text, verb, found["detail"] or "", wait, ways)
    frame = read_frame_word(text, word, known, ways)
    if frame.nth is None and frame.type != NEXT:
        frame = attrs.evolve(frame, nth=1)
    # Behind a frame would be never: nothing passes before it heals.
    return Rule(
        text, frame, strike, before=found["moment"] == "before" or verb == "heal", ways=ways
    )


def strike_of_link(
    text: str, verb: str, detail: str, wait: float | None = None, ways: Ways = WAYS
) -> Strike:
    """What ``cut:rst`` or ``hold:D->S`` does to a connection. Raises UsageError."""
    if wait is not None and verb not in ("hold", "half-open"):
        raise _wrong(text, "only these last for a time", ("hold", "half-open"))
    match verb:
        case "cut":
            if detail not in ("", *CUTS):
                raise _wrong(text, f"{detail!r} is no way to cut", CUTS)
            return Strike("cut", how=detail or "fin")
        case "hold" | "release":
            if detail not in ways:
                raise _wrong(text, f"{detail!r} is no direction", tuple(ways))
            way = ways[detail].by_client
            return Strike("hold" if verb == "hold" else "release", way=way, wait_s=wait)
        case "half-open" | "heal":
            if detail:
                raise _wrong(text, f"{detail!r} says nothing here", (f"{verb}:after=FRAME",))
            return Strike("heal") if verb == "heal" else Strike("cut", "silent", wait_s=wait)
        case _:
            raise _wrong(text, f"{verb!r} is no fault of a connection", VERBS[3:])


def read_frame_word(text: str, word: str, known: tuple[str, ...], ways: Ways = WAYS) -> FrameWord:
    """``D->S:turn.end#2``. Raises UsageError."""
    found = _FRAME.fullmatch(word)
    if found is None:
        raise _wrong(text, f"{word!r} is no frame", ("TYPE", "TYPE#2", "D->S:TYPE", "D2:TYPE"))
    way, type, nth = found["way"], found["type"], found["nth"]
    if way is not None and way not in ways:
        raise _wrong(text, f"{way!r} is no direction", tuple(ways))
    if nth is not None and int(nth) == 0:
        raise _wrong(text, "frames are counted from 1", (f"{type}#1",))
    is_quoted = type.startswith('"')
    allowed = (*known, ANY, NEXT, BINARY, TEXT)
    if not is_quoted and type not in allowed:
        raise _wrong(text, f"{type!r} is no frame type (put one that the protocol does not "
                     "know in quotes)", allowed)  # fmt: skip
    by_client, lane = (None, "") if way is None else (ways[way].by_client, ways[way].lane)
    name = type.strip('"') if is_quoted else type
    return FrameWord(name, found["who"] or "", by_client, None if nth is None else int(nth), lane)


def _waiting(text: str, rest: str) -> tuple[str, float | None]:
    """What stands before ``=3s``, and the seconds."""
    word, equals, wait = rest.rpartition("=")
    if not equals:
        return rest, None
    return word, read_wait(text, wait)


def read_wait(text: str, wait: str) -> float:
    """Seconds of ``3s``, ``200ms``, ``2m``. Raises UsageError."""
    found = _WAIT.fullmatch(wait)
    if found is None:
        raise _wrong(text, f"{wait!r} is no duration", ("200ms", "3s", "2m"))
    return float(found["number"]) * SECONDS[found["unit"]]


def _wrong(text: str, what: str, allowed: Iterable[str]) -> NoSuchWord:
    return NoSuchWord(f"fault {text!r}: {what}", tuple(allowed))
