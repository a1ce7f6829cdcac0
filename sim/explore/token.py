"""Tokens: a schedule in at most 80 characters, to be pasted into a chat.

``SCENARIO/RULES/CODE``: the scenario and the rules that are off stand there
as words; the code holds seed, lines left out and steps. Names are coded by
their hashes, so a token finds its places again as stored names do; reading it
back takes one run, in which every name that occurs is compared.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterable
from typing import Any

import attrs

from sim.core.errors import ScenarioError, UsageError
from sim.explore.droppable import parts_of
from sim.explore.menu import KINDS, Purse, menu
from sim.explore.schedule import Case, Schedule, open_schedule
from sim.explore.trial import play_out
from sim.play import load
from sim.scenario.playing.stage import Stage
from sim.scenario.playing.strikes import Striker
from sim.scenario.syntax import Scenario
from sim.world.activity import Activity
from sim.world.helm import LATE, START, UNTIL, Helm, Step, Strike
from sim.world.item import Item
from sim.world.world import World

LONGEST = 80
STDIN = "-"
VERSION = 1
DELAYS, ORDERS, FAULTS = range(3)


@attrs.frozen
class Coded:
    """A step as the token holds it: hashes, and for a wait its microseconds."""

    at: int
    sort: int
    value: int


def _hash(word: str, bits: int) -> int:
    digest = hashlib.blake2b(word.encode(), digest_size=4).digest()
    return int.from_bytes(digest, "big") >> (32 - bits)


def at_of(word: str) -> int:
    """22 bits of the name of a place."""
    return _hash(word, 22)


def target_of(word: str) -> int:
    """16 bits of the name of what is waited for, or of a fault."""
    return _hash(word, 16)


# -- writing -----------------------------------------------------------------------


def token_of(case: Case, schedule: Schedule) -> str | None:
    """The token; None when it would be too long, or does not lead back to the schedule.

    A scenario that came from standard input cannot be found again by any name, nor one
    whose file has a name that cannot be printed as it is.
    """
    if case.scenario.path == STDIN:
        return None
    rules = "+".join(sorted(case.without))
    token = f"{called(case.scenario)}/{rules}/{_code(case, schedule)}"
    if len(token) > LONGEST or not token.isprintable():
        return None
    return token if read_code(case, token.rpartition("/")[2]) == schedule else None


def called(scenario: Scenario) -> str:
    """The name under which it is found again: that of a shipped one, else its path."""
    # A token that begins with a dash would be taken for an option.
    path = f"./{scenario.path}" if scenario.path.startswith("-") else scenario.path
    try:
        shipped = load(scenario.name)
    except ScenarioError:
        return path
    return scenario.name if shipped.source_text == scenario.source_text else path


def _code(case: Case, schedule: Schedule) -> str:
    data = bytearray([VERSION << 1 | schedule.flat])
    data += _varint(schedule.seed)
    data += _bits(case.scenario, schedule.dropped)
    for step in schedule.steps:
        data += _step(step)
    data.append(_check(data))
    return base64.urlsafe_b64encode(bytes(data)).rstrip(b"=").decode()


def _step(step: Step) -> bytes:
    at = at_of(step.at)
    if step.do.startswith(LATE):
        wait = _varint(int(step.do[len(LATE) :].removesuffix("us")))
        return (at << 2 | DELAYS).to_bytes(3, "big") + wait
    sort, word = (ORDERS, step.do[len(UNTIL) :]) if not step.is_fault else (FAULTS, step.do)
    return (at << 2 | sort).to_bytes(3, "big") + target_of(word).to_bytes(2, "big")


def _bits(scenario: Scenario, dropped: frozenset[int]) -> bytes:
    lines = parts_of(scenario).lines
    number = sum(1 << n for n, line in enumerate(lines) if line in dropped)
    return number.to_bytes((len(lines) + 7) // 8, "big")


def _varint(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def _check(data: bytes | bytearray) -> int:
    return hashlib.blake2b(bytes(data), digest_size=1).digest()[0]


# -- reading -----------------------------------------------------------------------


def split_token(token: str) -> tuple[str, tuple[str, ...], str]:
    """Scenario, rules, code. Raises UsageError for what is no token."""
    words = token.strip().rsplit("/", 2)
    if len(words) < 3 or not words[0] or not words[2]:
        raise UsageError(
            f"{token[:90]!r} is no token; a token has the form SCENARIO/RULES/CODE, "
            "as 'hooktwin explore' prints it"
        )
    name, rules, code = words
    return name, tuple(rule for rule in rules.split("+") if rule), code


def read_code(case: Case, code: str) -> Schedule:
    """The schedule with its names. Raises UsageError for a damaged code."""
    seed, flat, dropped, coded = _decode(case.scenario, code)
    bare = Schedule(seed, (), dropped, flat)
    made: list[_NamingHelm] = []

    def steer(_: Scenario, world: World, stage: Stage) -> Helm:
        made.append(_NamingHelm(world, Striker(world, stage), coded, stage.channels()))
        return made[0]

    run = open_schedule(case, bare, steer)
    play_out(run, made[0])
    run.world.close()
    return attrs.evolve(bare, steps=made[0].named())


def _decode(scenario: Scenario, code: str) -> tuple[int, bool, frozenset[int], list[Coded]]:
    try:
        data = base64.b64decode(code + "=" * (-len(code) % 4), altchars=b"-_", validate=True)
        if len(data) < 3 or _check(data[:-1]) != data[-1]:
            raise ValueError("its check sum is wrong")
        if data[0] >> 1 != VERSION:
            raise ValueError(f"it is of version {data[0] >> 1}, this hooktwin reads {VERSION}")
        place = 1
        seed, place = _read_varint(data, place)
        lines = parts_of(scenario).lines
        size = (len(lines) + 7) // 8
        bits = int.from_bytes(data[place : place + size], "big")
        dropped = frozenset(line for n, line in enumerate(lines) if bits >> n & 1)
        return seed, bool(data[0] & 1), dropped, list(_read_steps(data[:-1], place + size))
    except (ValueError, IndexError, binascii.Error) as error:
        raise UsageError(f"the token's code {code[:60]!r} is damaged: {error}") from None


def _read_steps(data: bytes, place: int) -> Iterable[Coded]:
    while place < len(data):
        head = int.from_bytes(data[place : place + 3], "big")
        place += 3
        if head & 3 == DELAYS:
            value, place = _read_varint(data, place)
        else:
            value = int.from_bytes(data[place : place + 2], "big")
            place += 2
        yield Coded(head >> 2, head & 3, value)


def _read_varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, place


class _NamingHelm(Helm):
    """Follows coded steps, and learns their names from what happens."""

    def __init__(
        self, world: World, strike: Strike, coded: list[Coded], channels: tuple[str, ...]
    ) -> None:
        super().__init__(world, self._strike_coded)
        self.really = strike
        self.coded = coded
        self.channels = channels
        self.at_names: dict[int, str] = {}
        self.target_names: dict[int, str] = {}
        self.faults_coded: dict[int, str] = {}
        self._meet(START)
        self._arm_faults()

    def named(self) -> tuple[Step, ...]:
        """The steps whose names occurred, in the token's order."""
        return tuple(step for step in map(self._name, self.coded) if step is not None)

    def _name(self, one: Coded) -> Step | None:
        at = self.at_names.get(one.at)
        if at is None:
            return None
        if one.sort == DELAYS:
            return Step(at, f"{LATE}{one.value}us")
        known = self.target_names if one.sort == ORDERS else self.faults_coded
        word = known.get(one.value)
        if word is None:
            return None
        return Step(at, UNTIL + word if one.sort == ORDERS else word)

    # -- meeting names ----------------------------------------------------------------

    def unique(self, name: str) -> str:
        key = super().unique(name)
        self._meet(key)
        return key

    def at_op(self, activity: Activity, value: Any) -> bool:
        self._meet(f"{activity.origin}/{activity.ops + 1}")
        return super().at_op(activity, value)

    def _meet(self, name: str) -> None:
        at = at_of(name)
        found = [one for one in self.coded if one.at == at]
        if found and self.at_names.setdefault(at, name) == name and name not in self.table:
            steps = [s for one in found if (s := self._coded_step(name, one)) is not None]
            if steps:
                self.table[name] = steps

    def _coded_step(self, name: str, one: Coded) -> Step | None:
        if one.sort == FAULTS:
            return None
        return Step(name, f"{LATE}{one.value}us" if one.sort == DELAYS else f"{UNTIL}#{one.value}")

    def happens(self, item: Item) -> None:
        super().happens(item)
        target = target_of(self.last)
        self.target_names.setdefault(target, self.last)
        self.happened[f"#{target}"] = None
        self._arm_faults()

    def _arm_faults(self) -> None:
        at = at_of(self.last)
        due = [one for one in self.coded if one.sort == FAULTS and one.at == at]
        if due and self.at_names.setdefault(at, self.last) == self.last:
            self.faults[self.last] = [Step(self.last, f"#{one.value}") for one in due]

    def _strike_coded(self, name: str, _: Helm) -> bool:
        wanted = int(name[1:])
        purse = Purse(dict.fromkeys(KINDS, 1))
        for item in list(self.known_items()):
            for fault in menu(self, self.channels, purse, item):
                if target_of(fault) == wanted:
                    self.faults_coded[wanted] = fault
                    return self.really(fault, self)
        return False
