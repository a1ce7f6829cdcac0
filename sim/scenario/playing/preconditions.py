"""What can be said about a diagram without playing it, whatever its protocol."""

from __future__ import annotations

from typing import Any

from sim.core.errors import ScenarioError
from sim.scenario import directive_nodes as nodes
from sim.scenario.syntax import Arrow, FrameText, Scenario, Statement
from sim.scenario.tree import statements_in

FATES = {nodes.LoseNext: "lose", nodes.DuplicateNext: "duplicate", nodes.DelayNext: "delay"}


def check_playable(scenario: Scenario) -> None:
    """Refuse faults for a next frame that is not there, or that is drawn as lost anyway."""
    arrow: Arrow | None = None
    for one in reversed(tuple(statements_in(scenario.body))):
        if isinstance(one, Arrow) and isinstance(one.content, FrameText):
            arrow = one
        word = FATES.get(type(one))
        if word is not None:
            _check_fate(scenario, f"@{word} next", one, arrow)


def _check_fate(scenario: Scenario, text: str, one: Statement, arrow: Arrow | None) -> None:
    if arrow is None:
        message = f"{text}: no frame follows in this diagram"
    elif arrow.lost:
        message = f"{text}: the next frame, line {arrow.line}, is drawn as lost already"
    else:
        return
    raise refusal(scenario, one, message)


def refusal(
    scenario: Scenario, at: Any, message: str, allowed: tuple[str, ...] = ()
) -> ScenarioError:
    """What is wrong with this line or lifeline of a diagram that parses."""
    return ScenarioError(
        message, path=scenario.path, line=at.line, column=at.column, allowed=allowed
    )
