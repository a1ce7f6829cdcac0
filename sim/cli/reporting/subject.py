"""What a report is about: a scenario, a trace, or a finding; and the run beside it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import attrs

from sim.cli.reporting.retold import Retold, Tell, rerun_of, retold, retold_file
from sim.core.errors import UsageError
from sim.scenario.playing.result import Result
from sim.scenario.syntax import Scenario

ALL_ON = "all rules on"
UNDISTURBED = "the same run, undisturbed"


@attrs.frozen
class Asked:
    """What the command line named: ``seed`` and ``without`` count for a scenario only."""

    what: str
    seed: int | None = None
    without: tuple[str, ...] = ()
    against: str | None = None


@attrs.frozen
class Subject:
    """One run or two. ``command`` shows the first again; ``choices`` are those of a finding,
    in words. ``alone`` says why nothing stands beside the run, "" where something does.
    """

    name: str
    command: tuple[str, ...]
    runs: tuple[Retold, ...]
    choices: tuple[str, ...] = ()
    alone: str = ""

    @property
    def first(self) -> Retold:
        """The run that is reported."""
        return self.runs[0]


def subject_of(asked: Asked, tell: Tell) -> Subject:
    """Play, read or replay what is asked for. Raises UsageError for what is none of these."""
    made = _reader_of(asked)(asked, tell)
    if asked.against is None:
        return made
    other = subject_of(Asked(asked.against), tell).first
    title = f"{other.title}, {asked.against}" if other.title else asked.against
    return attrs.evolve(made, runs=(made.first, attrs.evolve(other, title=title)), alone="")


def _reader_of(asked: Asked) -> Callable[[Asked, Tell], Subject]:
    what = asked.what
    if is_trace_file(what):
        reader = _of_file
    elif is_finding(what):
        reader = _of_finding
    else:
        return _of_scenario
    if asked.seed is not None or asked.without:
        raise UsageError(f"{what}: --seed and --without are for scenarios; this is what it is")
    return reader


def _exists(what: str) -> bool:
    try:
        return Path(what).exists()
    except (OSError, ValueError):
        return False


def _is_token(what: str) -> bool:
    return not what.endswith((".mmd", ".md", ".mermaid"))


def is_finding(what: str) -> bool:
    """Whether it is called like a token or a stored finding."""
    is_token = what.count("/") >= 2 and not _exists(what) and _is_token(what)
    return what.endswith(".json") or is_token


def is_trace_file(what: str) -> bool:
    """Whether it is a trace, or at least called like one. Raises UsageError for a device."""
    from sim.cli.run_files import refuse_device
    from sim.core.trace import is_trace

    path = Path(what)
    refuse_device(what)
    if _exists(what) and path.is_file():
        with path.open("rb") as file:
            if is_trace(file.read(64)):
                return True
    return what.endswith(".jsonl")


# -- a scenario --------------------------------------------------------------------------------


def _of_scenario(asked: Asked, tell: Tell) -> Subject:
    from sim.cli.reading import read_scenario
    from sim.cli.report.verdict import Asked as Again
    from sim.cli.run_files import check_rules
    from sim.scenario.playing.play import rules_off

    check_rules(asked.without)
    scenario = read_scenario(asked.what)
    result = _play(scenario, asked.seed, asked.without)
    off = sorted(rules_off(scenario, frozenset(asked.without)))
    first = retold(result, scenario, _off(off), tell)
    command = Again(asked.what, "trio", asked.without).command(result.seed)
    if not off:
        return Subject(scenario.name, (command,), (first,), alone=_how_to(command))
    other = _on(scenario)
    second = retold(_play(other, result.seed, ()), other, ALL_ON, tell)
    return Subject(scenario.name, (command,), (first, second))


def _play(scenario: Scenario, seed: int | None, without: tuple[str, ...]) -> Result:
    from sim.play import play

    return play(scenario, seed=seed, without=without, driver="step")


def _on(scenario: Scenario) -> Scenario:
    """The same scenario with no rule off; nothing is expected to break then."""
    from sim.explore.replaying import with_all_rules
    from sim.explore.schedule import Case

    return attrs.evolve(with_all_rules(Case.of(scenario)).scenario, violates=())


def _off(rules: list[str]) -> str:
    return f"without {', '.join(rules)}" if rules else ALL_ON


def _how_to(command: str) -> str:
    again = command.replace("hooktwin run", "hooktwin report", 1)
    return f"All rules are on. To see what one of them is for: {again} --without RULE"


# -- a trace -----------------------------------------------------------------------------------


def _of_file(asked: Asked, tell: Tell) -> Subject:
    path = Path(asked.what)
    first = retold_file(path, tell)
    header = first.trace.header
    name, command = first.result.scenario, f"hooktwin tui {asked.what}"
    first.title = _off(list(header.without))
    if not header.without:
        return Subject(name, (command,), (first,), alone="All rules were on in this run.")
    try:
        scenario = first.scenario
        rerun_of(first, lambda again: _play(again, header.seed, header.without))
    except UsageError as error:
        return Subject(name, (command,), (first,), alone=f"Nothing to compare with: {error}")
    assert scenario is not None
    other = _on(scenario)
    second = retold(_play(other, header.seed, ()), other, ALL_ON, tell)
    return Subject(name, (command,), (first, second))


# -- a finding ---------------------------------------------------------------------------------


def _of_finding(asked: Asked, tell: Tell) -> Subject:
    from sim.cli.exploring.playing import play_schedule
    from sim.cli.exploring.replay import Replay
    from sim.cli.exploring.telling import choices_told
    from sim.explore.replaying import resolve, with_all_rules

    case, schedule = resolve(asked.what)
    found = play_schedule(case, schedule).result
    first = retold(found, case.scenario, _off(sorted(case.without)), tell)
    if case.without:
        case_on, title, kept = with_all_rules(case), ALL_ON, schedule
    else:
        case_on, title = case, UNDISTURBED
        kept = attrs.evolve(schedule, steps=())
    other = play_schedule(case_on, kept).result
    second = retold(other, case_on.scenario, title, tell)
    command = Replay(asked.what, case, schedule, "trio").command()
    choices = tuple(choices_told(case, schedule))
    return Subject(case.scenario.name, (command,), (first, second), choices)
