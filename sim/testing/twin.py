"""The fixture ``twin`` of the pytest plugin: play, explore and replay in a test."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import attrs

from sim.core.invariant import Violation
from sim.explore.engine import SerialEngine
from sim.explore.finding import examine
from sim.explore.replaying import resolve
from sim.explore.schedule import Case, Schedule
from sim.explore.search import Search
from sim.explore.strategies import make_strategy
from sim.explore.trial import judged
from sim.play import load, play
from sim.scenario.load import SUFFIXES
from sim.scenario.playing.result import Result
from sim.scenario.syntax import Scenario
from sim.testing.mistakes import told_at_the_call
from sim.testing.telling import (
    choices_in_a_line,
    from_here,
    replay_command,
    tell_choices,
    tell_finding,
)
from sim.world.fault import Budget

# A search in a test is one of many: the bounded part of a small scenario, and some walks.
MOST_SCHEDULES = 500


@attrs.frozen(repr=False)
class Replay:
    """What came of a stored failure, for ``assert replay.ok, replay``.

    ``command`` is what to paste to see it again.
    """

    case: Case
    schedule: Schedule
    violations: tuple[Violation, ...]
    command: str

    @property
    def scenario(self) -> str:
        """The name of what was played."""
        return self.case.scenario.name

    @property
    def ok(self) -> bool:
        """Whether it passes now: no invariant broke but those that the diagram expects."""
        return not self.violations

    def __str__(self) -> str:
        """All of it: step, text, choices in words, the line to paste."""
        if self.ok:
            return f"{self.scenario} passes"
        broken = self.violations[0]
        return "\n".join(
            (
                f"{self.scenario} still breaks {broken.invariant} at step {broken.step}: "
                f"{broken.text}",
                *tell_choices(self.case, self.schedule),
                f"reproduce with: {self.command}",
            )
        )

    def __repr__(self) -> str:
        """In one line. pytest cuts out its middle, so the ends are what is needed most."""
        if self.ok:
            return f"<Replay {self.scenario} passes>"
        broken = self.violations[0]
        others = "".join(f", {one.invariant}" for one in self.violations[1:])
        return (
            f"<Replay {self.scenario} breaks {broken.invariant} at step {broken.step}{others}: "
            f"{broken.text}; choices: {choices_in_a_line(self.schedule)}; "
            f"reproduce with: {self.command}>"
        )


class Twin:
    """Runs of the simulated hosts. ``folder``: paths are looked up there first.

    ``failures`` are the runs that did not hold, ``broken`` the replays that still fail: a
    failed test shows their verdicts.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.failures: list[tuple[Scenario, Result]] = []
        self.broken: list[Replay] = []

    @told_at_the_call
    def play(
        self,
        scenario: Scenario | str | Path,
        *,
        seed: int | None = None,
        without: str | Iterable[str] = (),
        driver: str = "trio",
    ) -> Result:
        """Run a scenario (by path, by name, or parsed): ``assert result.ok, result``.

        Raises ScenarioError with line and column for a file that cannot be read.
        """
        found = self._loaded(scenario)
        result = play(found, seed=seed, without=_names(without), driver=driver)
        if not result.ok:
            self.failures.append((found, result))
        return result

    @told_at_the_call
    def explore(
        self,
        scenario: Scenario | str | Path,
        *,
        without: str | Iterable[str] = (),
        faults: str | Budget | None = None,
        max_schedules: int = MOST_SCHEDULES,
        strategy: str = "portfolio",
        deviations: int = 2,
        seed: int | None = None,
    ) -> Search:
        """Search for a schedule that breaks an invariant; fail the test with what was found.

        ``faults`` may be added (``"cut:1"``; default: the file's ``@faults``), at most
        ``max_schedules`` are tried. The search that is returned knows how many there were
        (``schedules``) and whether these were all (``complete``). Raises AssertionError with the
        shrunk schedule and what to paste, UsageError for unknown names.
        """
        __tracebackhide__ = True
        budget = Budget.parse(faults) if isinstance(faults, str) else faults
        case = Case.of(self._loaded(scenario), without=_names(without), faults=budget, seed=seed)
        plan = make_strategy(strategy, case, deviations)
        search = Search(case, plan, SerialEngine(case), most=max_schedules)
        search.run()
        if search.interrupted:
            raise KeyboardInterrupt
        for outcome in search.found.values():
            raise AssertionError(tell_finding(case, examine(case, outcome), search.schedules))
        return search

    @told_at_the_call
    def replay(self, token_or_path: str | Path, *, all_rules: bool = False) -> Replay:
        """Follow a token or a file of ``hooktwin explore``: ``assert replay.ok, replay``.

        ``all_rules``: with every rule on, also those that were off when it was found.
        Raises UsageError for what leads nowhere.
        """
        wanted = self._found(token_or_path, (".json",))
        case, schedule = resolve(str(wanted), all_rules=all_rules)
        broken = judged(case, schedule).violations
        fresh = tuple(one for one in broken if one.invariant not in case.scenario.violates)
        command = replay_command(str(wanted), all_rules=all_rules)
        replay = Replay(case, schedule, fresh, command)
        if not replay.ok:
            self.broken.append(replay)
        return replay

    def _loaded(self, scenario: Scenario | str | Path) -> Scenario:
        if isinstance(scenario, Scenario):
            return scenario
        return load(self._found(scenario, SUFFIXES))

    def _found(self, wanted: str | Path, suffixes: tuple[str, ...]) -> str | Path:
        """A relative path means a file beside the test, where there is one."""
        if isinstance(wanted, str) and not wanted.lower().endswith(suffixes):
            return wanted
        beside = self._folder / wanted
        return from_here(beside) if beside.is_file() else wanted


def _names(without: str | Iterable[str]) -> tuple[str, ...]:
    return (without,) if isinstance(without, str) else tuple(without)
