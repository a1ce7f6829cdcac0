"""A review as one JSON object, for programs."""

from __future__ import annotations

from typing import Any

from sim.cli.exploring.documents import choice, rows_of
from sim.cli.outcome import unusable_json
from sim.cli.reviewing.coverage import Area
from sim.cli.reviewing.reviewed import Found, Review, Reviewed, failures_of
from sim.cli.reviewing.told import tables_told


def review_json(review: Review) -> dict[str, Any]:
    """``ok`` and ``scenarios`` first, then what all of them together went through."""
    return {
        "ok": review.ok,
        "interrupted": review.interrupted,
        "wanted": review.wanted,
        "summary": review.summary(),
        "command": review.command,
        "scenarios": [_scenario(one) for one in review.every],
        "coverage": {name: _area(area) for name, area in review.coverage.areas.items()},
    }


def _scenario(one: Reviewed) -> dict[str, Any]:
    result = one.result
    return {
        "scenario": one.name,
        "protocol": one.protocol,
        "verdict": str(one.verdict),
        "error": None if one.error is None else unusable_json(one.name, one.error)["error"],
        "seed": None if result is None else result.seed,
        "digest": None if result is None else result.digest,
        "without": list(one.without),
        "failures": [
            {"line": line, "expected": expected, "happened": happened}
            for line, expected, happened in failures_of(one)
        ],
        "shown": list(one.shown),
        "findings": [_found(found) for found in one.found],
        "schedules": one.schedules,
        "situations": one.situations,
        "branches": [
            {"line": w.line, "block": w.block, "label": w.label, "fate": w.fate,
             "runs": one.seen.ways[w.key]}
            for w in one.ways
        ],
    }  # fmt: skip


def _found(found: Found) -> dict[str, Any]:
    finding = found.finding
    return {
        "invariant": finding.invariant,
        "catalogue": list(rows_of(finding.invariant)),
        "step": finding.step,
        "text": finding.text,
        "choices": [choice(step) for step in finding.schedule.steps],
        "schedule": finding.schedule.to_json(),
        "token": finding.token,
        "replay": found.replay,
        "found_as": found.schedules,
    }


def _area(area: Area) -> dict[str, Any]:
    return {
        "summary": tables_told(area),
        "scenarios": area.scenarios,
        "tested": dict(sorted(area.tested.items())),
        "idle": [one.name for one in area.idle],
        "idle_rules": [rule.name for rule in area.idle_rules],
        "tables": {
            table.role: {"rows": used.rows, "never": [list(row) for row in used.never]}
            for table, used in area.tables
        },
    }
