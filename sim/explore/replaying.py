"""From a token or a stored finding back to the case and its schedule."""

from __future__ import annotations

from pathlib import Path

import attrs

from sim.core.errors import ScenarioError, UsageError
from sim.explore.schedule import Case, Schedule
from sim.explore.store import is_stored, read_stored
from sim.explore.token import read_code, split_token
from sim.play import load, vocabularies


def resolve(token_or_path: str, *, all_rules: bool = False) -> tuple[Case, Schedule]:
    """What ``hooktwin replay`` gets. Raises UsageError for what leads nowhere.

    ``all_rules``: the same choices, but with every rule on, also those that the finding
    and the diagram's own ``@rule`` switch off.
    """
    case, schedule = _found(token_or_path)
    # Only now: a token's names are those of the run in which it was found.
    return (with_all_rules(case) if all_rules else case), schedule


def with_all_rules(case: Case) -> Case:
    """The same case with no rule off."""
    settings = case.scenario.settings
    on = tuple(switch for switch in settings.rules if switch.on)
    scenario = attrs.evolve(case.scenario, settings=attrs.evolve(settings, rules=on))
    return attrs.evolve(case, scenario=scenario, without=frozenset())


def _found(token_or_path: str) -> tuple[Case, Schedule]:
    path = Path(token_or_path)
    if is_stored(path):
        case, schedule, _ = read_stored(path)
        return case, schedule
    if token_or_path.endswith(".json"):
        raise UsageError(f"{token_or_path}: there is no such file of choices")
    name, rules, code = split_token(token_or_path)
    case = case_of(name, rules)
    return case, read_code(case, code)


def case_of(name: str, rules: tuple[str, ...]) -> Case:
    """The case that a token names. Raises UsageError for unknown words."""
    try:
        scenario = load(name)
    except ScenarioError as error:
        raise UsageError(
            f"the token names the scenario {name!r}, which cannot be read here: {error}"
        ) from error
    known = vocabularies()[scenario.protocol].rules or ()
    for rule in rules:
        if rule not in known:
            raise UsageError(
                f"the token names the rule {rule!r}, which this hooktwin does not know; "
                "'hooktwin rules' lists them"
            )
    return Case.of(scenario, without=rules)
