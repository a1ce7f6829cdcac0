"""What a finding or a replay says in the report of a test: plain text, whole commands."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path

from sim.explore.finding import Finding
from sim.explore.schedule import Case, Schedule
from sim.explore.store import to_json
from sim.explore.wording import says

FILE = "failure.json"


def tell_choices(case: Case, schedule: Schedule) -> Iterator[str]:
    """The choices in words, one to a line, and what of the diagram is left out."""
    # Only a failure needs this: it brings the command line's drawing with it.
    from sim.cli.exploring.telling import lines_told, quoted

    kind = "no drawn latencies" if schedule.flat else "drawn latencies"
    told = "" if schedule.steps else " none, the timed run does it"
    yield f"  choices (seed {schedule.seed}, {kind}):{told}"
    for number, step in enumerate(schedule.steps, 1):
        yield f"    {number}. {quoted(case, says(step))}"
    if schedule.dropped:
        yield f"  not needed of the diagram: {lines_told(schedule.dropped)}"


def choices_in_a_line(schedule: Schedule) -> str:
    """The same for a ``repr``."""
    told = "; ".join(f"{n}. {says(step)}" for n, step in enumerate(schedule.steps, 1))
    return told or "none, the timed run does it"


def tell_finding(case: Case, finding: Finding, schedules: int) -> str:
    """What a search has found, and what to paste to see it again."""
    lines = [
        f"{case.scenario.name}: {finding.invariant} broken at step {finding.step} "
        f"(found in schedule {schedules})",
        f"  {finding.text}",
        *tell_choices(case, finding.schedule),
    ]
    if finding.sentence:
        lines.append(f"  {finding.sentence}")
    if finding.token is not None:
        lines.append(f"reproduce with: {replay_command(finding.token)}")
    else:
        lines += tell_document(case, finding.schedule, finding.invariant)
    return "\n".join(lines)


def tell_document(case: Case, schedule: Schedule, invariant: str) -> list[str]:
    """Where no token leads back: the choices as the one line of a file."""
    document = json.dumps(to_json(case, schedule, invariant))
    return [f"save the next line as {FILE}; reproduce with: {replay_command(FILE)}", document]


def replay_command(called: str, *, all_rules: bool = False) -> str:
    """``hooktwin replay …`` as a shell takes it."""
    return shlex.join(["hooktwin", "replay", called, *(["--all-rules"] if all_rules else [])])


def from_here(path: Path) -> Path:
    """The shortest name of a file: without detours, and relative where it lies below us."""
    try:
        straight = Path(os.path.normpath(path))
        if not straight.samefile(path):  # a detour through a symbolic link is none
            return path
        return straight.absolute().relative_to(Path.cwd())
    except OSError:
        return path
    except ValueError:
        return straight
