"""Findings kept in a folder: named choices as JSON, and the scenario that fails again.

The JSON file holds the scenario's text too, so that it stays what it was when
the scenario is changed; its choices are names, so that they still lead to the
failure after an unrelated change of the code.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from sim.core.entropy import real_uuid4
from sim.core.errors import UsageError
from sim.core.trace import read_within
from sim.explore.finding import Finding
from sim.explore.schedule import Case, Schedule
from sim.explore.written import failing
from sim.play import vocabularies
from sim.scenario.parse import parse_scenario
from sim.scenario.syntax import Scenario
from sim.world.fault import Budget

KIND = "hooktwin finding"
FORMAT = 1
LARGEST_BYTES = 64 << 20
"""Of a kept finding: a scenario and the names of its choices."""


def save(folder: Path, case: Case, finding: Finding) -> tuple[Path, Path]:
    """Write both files; gives their paths. Raises UsageError when it cannot."""
    schedule = finding.schedule
    document = to_json(case, schedule, finding.invariant)
    text = json.dumps(document, ensure_ascii=True, indent=1) + "\n"
    mark = hashlib.blake2b(text.encode(), digest_size=4).hexdigest()
    stem = _plain(f"{case.scenario.name}-{finding.invariant}-{mark}")
    title = f"Breaks {finding.invariant}; found by a search in {case.scenario.name}."
    paths = folder / f"{stem}.json", folder / f"{stem}.mmd"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write(paths[0], text)
        _write(paths[1], failing(case, schedule, finding.invariant, title))
    except OSError as error:
        raise UsageError(
            f"{folder}: cannot save the finding: {error.strerror}; give another folder"
        ) from error
    return paths


def _write(path: Path, text: str) -> None:
    """Whole or not at all, so that a reader never meets a half."""
    # Another search may save the same finding into the same folder at this moment.
    part = path.with_suffix(f"{path.suffix}.{real_uuid4()}.part")
    part.write_text(text, encoding="utf-8", errors="surrogateescape", newline="\n")
    try:
        os.replace(part, path)
    except OSError:
        part.unlink(missing_ok=True)
        raise


def _plain(name: str) -> str:
    """A file's name must not lead into other folders, nor look like an option."""
    return "".join(sign if sign.isalnum() or sign in "-_." else "-" for sign in name).lstrip(".-")


def to_json(case: Case, schedule: Schedule, invariant: str) -> dict[str, Any]:
    """The document of a finding."""
    return {
        "kind": KIND,
        "format": FORMAT,
        "scenario": case.scenario.name,
        "without": sorted(case.without),
        "invariant": invariant,
        "schedule": schedule.to_json(),
        "source": case.scenario.numbered_text,
    }


def is_stored(path: Path) -> bool:
    """Whether there is a file that looks like a stored finding."""
    try:
        with path.open("rb") as file:
            return KIND.encode() in file.read(200)
    except (OSError, ValueError):  # a name with a NUL in it is nobody's
        return False


def _rule(name: Any, scenario: Scenario) -> str:
    known = vocabularies()[scenario.protocol].rules or ()
    if name not in known:
        raise UsageError(f"this hooktwin knows no rule {name!r}")
    return str(name)


def read_stored(path: Path) -> tuple[Case, Schedule, str]:
    """Case, schedule and broken invariant. Raises UsageError for a damaged file."""
    try:
        with path.open("rb") as file:
            document = json.loads(read_within(path, file, LARGEST_BYTES).decode())
        if document["kind"] != KIND or document["format"] != FORMAT:
            raise ValueError(f"it is {document['kind']!r} of format {document['format']!r}")
        schedule = Schedule.from_json(document["schedule"])
        name, source = str(document["scenario"]), str(document["source"])
        scenario = parse_scenario(source, name, vocabularies())
        without = [_rule(rule, scenario) for rule in document["without"]]
        case = Case.of(scenario, without=without, faults=Budget())
        return case, schedule, str(document["invariant"])
    except (OSError, ValueError, KeyError, TypeError, UsageError, RecursionError) as error:
        raise UsageError(
            f"{path}: this is no whole finding ({error}); "
            "'hooktwin explore FILE --save DIR' writes one"
        ) from error
