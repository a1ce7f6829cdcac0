"""A failing schedule as a scenario that fails again when it is run.

The diagram without the lines that it can do without, and the schedule in its
head: seed, rules, latencies, ``@late`` and ``@strike``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import attrs

from sim.core.errors import HooktwinError, UsageError
from sim.explore.droppable import parts_of
from sim.explore.schedule import Case, Schedule, flattened
from sim.explore.trial import RAISES
from sim.play import play, vocabularies
from sim.scenario.parse import parse_scenario
from sim.world.helm import LATE, UNTIL, Step

_DIRECTIVE = re.compile(r"^\s*(?:%%|[Nn]ote\b[^:]*:)\s*@(seed|latency|violates|late|strike|omit)\b")
_RULE = re.compile(r"^\s*(?:%%|[Nn]ote\b[^:]*:)\s*@rule\b")
_LINE = re.compile(r"\bline (\d+)\b")
_START = re.compile(r"^\s*sequenceDiagram\b")
INDENT = "    "


def written(case: Case, schedule: Schedule, title: str, *, whole: bool = False) -> str:
    """The file's text. ``title`` becomes its first comment.

    ``whole``: lines that are left out stay, and are named in the head. It is the
    same run then for certain; without them a line may have another meaning.
    """
    omitted = schedule.dropped | case.scenario.settings.omitted
    schedule = attrs.evolve(schedule, dropped=omitted)
    if whole:
        schedule = attrs.evolve(schedule, dropped=frozenset())
    old = case.scenario.numbered_text.split("\n")
    start = next(n for n, line in enumerate(old, 1) if _START.match(line))
    first = case.scenario.first_line
    kept = [n for n in range(first, len(old) + 1) if _stays(case, schedule, n, old[n - 1])]
    head_size = len(list(_head(case, schedule, title, {}))) + bool(whole and omitted)
    numbers: dict[int, int] = {}
    for place, n in enumerate(kept, 1):
        numbers[n] = place if n <= start else place + head_size
    out: list[str] = []
    for n in kept:
        out.append(old[n - 1])
        if n == start:
            out += _head(case, schedule, title, numbers)
            if whole and omitted:
                numbered = ",".join(str(numbers[line]) for line in sorted(omitted))
                out.append(f"{INDENT}%% @omit {numbered}")
    return "\n".join(out)


def failing(case: Case, schedule: Schedule, invariant: str, title: str) -> str:
    """The file's text, with as many of the left out lines as it takes to fail when it is run.

    A line may be needed that nothing waits for: what a free text means follows from the
    frame below it.
    """
    for kept in ((), *((line,) for line in sorted(schedule.dropped)), tuple(schedule.dropped)):
        dropped = schedule.dropped.difference(kept)
        text = written(case, attrs.evolve(schedule, dropped=dropped), title)
        if _breaks(text, case, invariant):
            return text
    text = written(case, schedule, title, whole=True)
    if _breaks(text, case, invariant):
        return text
    alone = "This file alone does not fail; the file of choices beside it does."
    return written(case, schedule, f"{title} {alone}")


def _breaks(text: str, case: Case, invariant: str) -> bool:
    """Whether ``hooktwin run`` of this text breaks the invariant, or raises where that is it."""
    try:
        scenario = parse_scenario(text, f"{case.scenario.name}.mmd", vocabularies())
        return any(one.invariant == invariant for one in play(scenario, driver="step").violations)
    except UsageError:
        return False
    except HooktwinError:
        return invariant == RAISES


def _stays(case: Case, schedule: Schedule, number: int, text: str) -> bool:
    simple = number in schedule.dropped and number in _simple_lines(case)
    return not (simple or _DIRECTIVE.match(text) or _RULE.match(text))


def _simple_lines(case: Case) -> frozenset[int]:
    """Lines that are a statement of their own; a block's head and end must stay together."""
    parts = parts_of(case.scenario)
    heads = {min(block) for block in parts.blocks}
    return frozenset(line for line in parts.lines if line not in heads)


def _head(case: Case, schedule: Schedule, title: str, numbers: dict[int, int]) -> Iterator[str]:
    yield f"{INDENT}%% {_printable(title)}"
    yield f"{INDENT}%% @seed {schedule.seed}"
    for rule in sorted(case.without):
        yield f"{INDENT}%% @rule -{rule}"
    scenario = flattened(case.scenario) if schedule.flat else case.scenario
    for one in scenario.settings.latencies:
        yield f"{INDENT}%% @latency {one.source}->{one.target} {one.low_us}us..{one.high_us}us"
    for step in schedule.steps:
        yield f"{INDENT}%% {_step(step, numbers)}"


def _printable(title: str) -> str:
    """A title may name a file; a line of a diagram holds no controls and nothing but text."""
    return "".join(sign if sign.isprintable() else "?" for sign in title)


def _step(step: Step, numbers: dict[int, int]) -> str:
    at = _renumbered(step.at, numbers)
    if step.do.startswith(LATE):
        return f'@late "{at}" by {step.do[len(LATE) :]}'
    if step.do.startswith(UNTIL):
        return f'@late "{at}" until "{_renumbered(step.do[len(UNTIL) :], numbers)}"'
    return f'@strike "{_renumbered(step.do, numbers)}" after "{at}"'


def _renumbered(name: str, numbers: dict[int, int]) -> str:
    """Lines have other numbers in the new file."""
    return _LINE.sub(lambda m: f"line {numbers.get(int(m[1]), int(m[1]))}", name)
