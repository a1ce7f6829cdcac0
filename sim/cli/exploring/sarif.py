"""A search as SARIF 2.1.0 (OASIS), which code review tools show beside the file.

Each broken invariant is a rule, each finding a result at the line of the diagram
that the broken step belongs to, else at the one that its last choice names, or its head.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from sim.cli import words
from sim.cli.exploring.documents import choice, rows_of
from sim.cli.exploring.junit import lines_of
from sim.cli.terminal import escape_within_json
from sim.explore.explain import line_of

if TYPE_CHECKING:
    from sim.cli.exploring.searching import Explored
    from sim.core.errors import UsageError
    from sim.explore.finding import Finding

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LINE = re.compile(r"\bline (\d+)\b")


def sarif_json(done: Sequence[Explored], unusable: Sequence[tuple[str, UsageError]]) -> str:
    """The whole document."""
    from sim import __version__

    found = [(explored, finding) for explored in done for finding in explored.findings]
    rules = list(dict.fromkeys(finding.invariant for _, finding in found))
    driver = {
        "name": "hooktwin",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [_rule(name) for name in rules],
    }
    invocation = {
        "executionSuccessful": not unusable and not any(one.interrupted for one in done),
        "toolExecutionNotifications": [_notification(error) for _, error in unusable],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, finding, rules) for one, finding in found],
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return escape_within_json(json.dumps(document, ensure_ascii=False, indent=1)) + "\n"


def _rule(invariant: str) -> dict[str, Any]:
    known = words.invariants().get(invariant)
    sentence = known.sentence if known is not None else "No handler of an actor raises."
    return {
        "id": invariant,
        "shortDescription": {"text": sentence},
        "properties": {"tags": ["race", *rows_of(invariant)]},
    }


def _notification(error: UsageError) -> dict[str, Any]:
    return {"level": "error", "message": {"text": str(error)}}


def _result(explored: Explored, finding: Finding, rules: Sequence[str]) -> dict[str, Any]:
    text = "\n".join(lines_of(explored, finding))
    told: dict[str, Any] = {
        "ruleId": finding.invariant,
        "ruleIndex": rules.index(finding.invariant),
        "level": "error",
        "message": {"text": f"{finding.invariant} is broken at step {finding.step}. {text}"},
        "locations": [_location(explored, finding)],
        "properties": {"token": finding.token, "choices": _choices(finding).splitlines()},
    }
    if finding.token is not None:
        told["partialFingerprints"] = {"hooktwinToken/v1": finding.token}
    return told


def _choices(finding: Finding) -> str:
    return "\n".join(choice(step) for step in finding.schedule.steps)


def _location(explored: Explored, finding: Finding) -> dict[str, Any]:
    scenario = explored.case.scenario
    numbers = [int(number) for number in _numbers(finding)]
    line = line_of(explored.case, finding.schedule, finding.chain)
    place = {"artifactLocation": {"uri": uri_of(scenario.path)}}
    region = {"startLine": line or (numbers[-1] if numbers else 1)}
    return {"physicalLocation": {**place, "region": region}}


def _numbers(finding: Finding) -> Iterator[str]:
    for step in finding.schedule.steps:
        yield from _LINE.findall(f"{step.at} {step.do}")


def uri_of(path: str) -> str:
    """Relative where it can be: such a report is read on another machine."""
    absolute = Path(path).absolute()
    try:
        return quote(absolute.relative_to(Path.cwd()).as_posix())
    except (OSError, ValueError):
        return absolute.as_uri()
