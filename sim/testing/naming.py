"""How a command to paste names a scenario."""

from __future__ import annotations

import os
from pathlib import Path

from sim.scenario.load import shipped_scenarios
from sim.scenario.syntax import Scenario


def is_shipped(scenario: Scenario) -> bool:
    """Whether its name alone leads to this file, from anywhere."""
    return shipped_scenarios().get(scenario.name, ()) == (Path(scenario.path),)


def typed(scenario: Scenario) -> str:
    """The name of a shipped scenario, else the path from where we are."""
    return scenario.name if is_shipped(scenario) else os.path.relpath(scenario.path)
