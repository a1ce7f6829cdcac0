"""Eight races of the real twins, each with one rule off, and how often chance hits them.

``python -m tests.benchmarks.races [RACE …] [--schedules N]`` plays N random
schedules of each race and prints the share that breaks an invariant. The timed
run of each race holds; the races stand in ``scenarios/hook/races``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import attrs
from rich.console import Console
from rich.table import Table

from sim.explore.schedule import Case
from sim.explore.strategies import RandomWalk
from sim.explore.trial import Try, attempt, plain
from sim.play import load

FOLDER = Path(__file__).parents[2] / "scenarios" / "hook" / "races"
WALKS = ("timings", "uniform", "pct")


@attrs.frozen
class Race:
    """A scenario, the rule that is off, and the invariants that tell."""

    name: str
    rule: str
    broken: tuple[str, ...]

    def case(self, *, seed: int = 1, rules_on: bool = False) -> Case:
        """What a search gets; the fault budget is the file's own."""
        scenario = load(FOLDER / f"{self.name}.mmd")
        return Case.of(scenario, without=() if rules_on else (self.rule,), seed=seed)


RACES: tuple[Race, ...] = (
    Race("race-slow-edit", "ownership-at-write", ("close-out-respects-owner",)),
    Race("race-dedupe-edge", "dedupe-outlives-repeats", ("one-request-per-event",)),
    Race(
        "race-cancel-crosses-end",
        "end-beats-cancel",
        ("finals-are-the-owners-end", "shows-final-state"),
    ),
    Race("race-accepted-lost", "delivery-receipts", ("ends-are-receipted",)),
    Race(
        "race-duplicate-end",
        "publish-once",
        ("replays-publish-nothing", "telegram-answers-anew", "one-answer-is-published"),
    ),
    Race("race-progress-overtakes", "newest-wins", ("shows-final-state",)),
    Race("race-half-open-session", "teardown-per-socket", ("torn-rounds-are-closed-out",)),
    Race("race-press-twice", "one-decision", ("one-decision-per-card",)),
)


def hits(case: Case, walk: str, count: int) -> dict[str, int]:
    """How many of the first ``count`` walks break which invariant first."""
    timed = attempt(case, Try(0, plain(case)))
    found: dict[str, int] = {}
    for tried in RandomWalk(case, walk).propose(count):
        outcome = attempt(case, tried, length=timed.happened)
        for violation in outcome.violations[:1]:
            found[violation.invariant] = found.get(violation.invariant, 0) + 1
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table, one race after the other."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.races", description=__doc__)
    names = [race.name for race in RACES]
    parser.add_argument("races", nargs="*", metavar="RACE", help=f"some of {', '.join(names)}")
    parser.add_argument("--schedules", type=int, default=2_000, help="random schedules of each")
    parser.add_argument("--walks", default=",".join(WALKS), help="how they are drawn")
    parser.add_argument("--rules-on", action="store_true", help="with the rule on: all must hold")
    chosen = parser.parse_args(argv)
    if unknown := set(chosen.races) - set(names):
        parser.error(f"unknown race {', '.join(sorted(unknown))}; known: {', '.join(names)}")
    walks = chosen.walks.split(",")
    if unknown := set(walks) - set(WALKS):
        parser.error(f"unknown walk {', '.join(sorted(unknown))}; known: {', '.join(WALKS)}")
    table = Table("race", "without", *walks, "broken")
    progress = Console(stderr=True)
    wrong = False
    for race in RACES:
        if chosen.races and race.name not in chosen.races:
            continue
        progress.print(f"{race.name} …", style="dim")
        case = race.case(rules_on=chosen.rules_on)
        found = [hits(case, walk, chosen.schedules) for walk in walks]
        rates = [f"{sum(one.values()) / chosen.schedules:.1e}" for one in found]
        broken = sorted({name for one in found for name in one})
        wrong = wrong or (chosen.rules_on and bool(broken))
        table.add_row(race.name, "" if chosen.rules_on else race.rule, *rates, ", ".join(broken))
    Console(width=None if sys.stdout.isatty() else 150).print(table)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
