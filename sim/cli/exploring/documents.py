"""What a search has found as JSON: one object per scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sim.cli import words
from sim.cli.exploring.wish import faults_text
from sim.world.helm import LATE, UNTIL, Step

if TYPE_CHECKING:
    from sim.cli.exploring.searching import Explored
    from sim.explore.finding import Finding


def explored_json(explored: Explored) -> dict[str, Any]:
    """``schedules``, ``complete`` and ``findings`` first, then the circumstances."""
    search, case = explored.search, explored.case
    return {
        "schedules": search.schedules,
        "complete": explored.complete,
        "findings": [_finding_json(explored, finding) for finding in explored.findings],
        "ok": not explored.findings,
        "scenario": explored.name,
        "without": sorted(case.without),
        "faults": faults_text(case.faults),
        "seed": case.seed,
        "strategy": search.strategy.name,
        "situations": len(search.covered),
        "seconds": round(explored.seconds, 3),
        "interrupted": explored.interrupted,
        "told": search.strategy.told(),
    }


def _finding_json(explored: Explored, finding: Finding) -> dict[str, Any]:
    from sim.cli.exploring.curve import to_json

    files = explored.files.get(finding.invariant)
    curve = explored.curves.get(finding.invariant)
    return {
        "token": finding.token,
        "invariant": finding.invariant,
        "step": finding.step,
        "choices": [choice(step) for step in finding.schedule.steps],
        "text": finding.text,
        "passes_if": finding.sentence.removeprefix("passes if ") or None,
        "catalogue": list(rows_of(finding.invariant)),
        "chain": list(finding.chain),
        "schedule": finding.schedule.to_json(),
        "found_as": finding.outcome.tried.number + 1,
        "events": finding.shrunk.events,
        "replays": finding.replays,
        "files": [str(path) for path in files] if files else [],
        "blame": to_json(curve) if curve else [],
    }


def choice(step: Step) -> str:
    """A choice as a scenario would write it: ``@late "…" until "…"``."""
    if step.do.startswith(UNTIL):
        return f'@late "{step.at}" until "{step.do[len(UNTIL) :]}"'
    if step.do.startswith(LATE):
        return f'@late "{step.at}" by {step.do[len(LATE) :]}'
    return f'@strike "{step.do}" after "{step.at}"'


def rows_of(invariant: str) -> tuple[str, ...]:
    """The rows of the catalogue that an invariant watches."""
    known = words.invariants().get(invariant)
    return () if known is None else known.catalogue
