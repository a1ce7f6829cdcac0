"""The fixture ``twin`` of the pytest plugin: play, explore and replay in a test."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import attrs

from sim.core.invariant import Violation
from sim.explore.engine import SerialEngine
from sim.explore.finding import Finding, examine
from sim.explore.replaying import resolve
from sim.explore.schedule import Case, Schedule
from sim.explore.search import Search
from sim.explore.strategies import make_strategy
from sim.explore.trial import judged
from sim.play import load, play
from sim.scenario.load import SUFFIXES
from sim.scenario.playing.result import Result
from sim.scenario.syntax import Scenario
from sim.world.fault import Budget

# A search in a test is one of many: the bounded part of a small scenario, and some walks.
MOST_SCHEDULES = 500


@attrs.frozen(repr=False)
class Replay:
    """What came of a stored failure, for ``assert replay.ok, replay``."""

    scenario: str
    schedule: Schedule
    violations: tuple[Violation, ...]

    @property
    def ok(self) -> bool:
        """Whether it passes now: no invariant broke but those that the diagram expects."""
        return not self.violations

    def __str__(self) -> str:
        if self.ok:
            return f"{self.scenario} passes"
        broken = self.violations[0]
        return (
            f"{self.scenario} still breaks {broken.invariant} at step {broken.step}: {broken.text}"
        )

    def __repr__(self) -> str:
        words = [one.invariant for one in self.violations]
        return f"<Replay {self.scenario} {'breaks ' if words else 'passes'}{', '.join(words)}>"


class Twin:
    """Runs of the simulated hosts. ``folder``: paths are looked up there first.

    ``failures`` are the runs that did not hold: a failed test shows their verdicts.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.failures: list[tuple[Scenario, Result]] = []

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
            raise AssertionError(_told(case, examine(case, outcome), search.schedules))
        return search

    def replay(self, token_or_path: str | Path) -> Replay:
        """Follow a token or a file of ``hooktwin explore``: ``assert replay.ok, replay``.

        Raises UsageError for what leads nowhere.
        """
        wanted = self._found(token_or_path, (".json",))
        case, schedule = resolve(str(wanted))
        broken = judged(case, schedule).violations
        fresh = tuple(one for one in broken if one.invariant not in case.scenario.violates)
        return Replay(case.scenario.name, schedule, fresh)

    def _loaded(self, scenario: Scenario | str | Path) -> Scenario:
        if isinstance(scenario, Scenario):
            return scenario
        return load(self._found(scenario, SUFFIXES))

    def _found(self, wanted: str | Path, suffixes: tuple[str, ...]) -> str | Path:
        """A relative path means a file beside the test, where there is one."""
        if isinstance(wanted, str) and not wanted.lower().endswith(suffixes):
            return wanted
        beside = self._folder / wanted
        return beside if beside.is_file() else wanted


def _names(without: str | Iterable[str]) -> tuple[str, ...]:
    return (without,) if isinstance(without, str) else tuple(without)


def _told(case: Case, finding: Finding, schedules: int) -> str:
    """What was found, for the report of the test."""
    lines = [
        f"{case.scenario.name}: {finding.invariant} broken at step {finding.step} "
        f"(found in schedule {schedules})",
        f"  {finding.text}",
        *(f"  {step.at}  →  {step.do}" for step in finding.schedule.steps),
    ]
    if finding.sentence:
        lines.append(f"  {finding.sentence}")
    if finding.token is not None:
        lines.append(f"reproduce with: hooktwin replay {finding.token}")
    return "\n".join(lines)
