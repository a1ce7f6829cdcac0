"""Which scenarios a command line means: files, folders and shipped names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from sim.core.errors import UsageError


def expand(wanted: Iterable[str]) -> list[str]:
    """Folders become the scenarios within them. Raises UsageError for an empty folder."""
    from sim.scenario.load import SUFFIXES, shipped_scenarios

    found: list[str] = []
    for one in wanted:
        if one and "\0" not in one and _is_folder(one):
            within = [
                str(path) for paths in shipped_scenarios(Path(one)).values() for path in paths
            ]
            if not within:
                endings = " or ".join(SUFFIXES)
                raise UsageError(f"{one}: no scenario in this folder (files that end in {endings})")
            found += sorted(within)
        else:
            found.append(one)
    return found


def _is_folder(wanted: str) -> bool:
    # A bare name is a shipped scenario, whatever lies in the current folder.
    from sim.scenario.load import shipped_scenarios

    try:
        return Path(wanted).is_dir() and wanted not in shipped_scenarios()
    except OSError:
        return False


def check_rules(without: Sequence[str]) -> None:
    """Raises UsageError, with near matches, for a rule that nobody knows."""
    from sim.cli import words
    from sim.cli.outcome import unknown

    known = words.rules()
    for name in without:
        if name not in known:
            raise unknown("rule", name, known, remedy="see: hooktwin rules")
