"""Which scenarios a command line means: files, folders and shipped names."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from sim.core.errors import UsageError


def expand(wanted: Iterable[str]) -> list[str]:
    """Folders become the scenarios within them. Raises UsageError for an empty folder."""
    from sim.scenario.load import SUFFIXES, shipped_scenarios

    shipped = shipped_scenarios()
    found: list[str] = []
    for one in wanted:
        # A bare name is a shipped scenario, whatever folders lie around.
        if one in shipped or not _is_folder(one):
            refuse_device(one)
            found.append(one)
            continue
        within = sorted(str(path) for path in _scenarios_in(Path(one), SUFFIXES))
        if not within:
            endings = " or ".join(SUFFIXES)
            raise UsageError(f"{one}: no scenario in this folder (files that end in {endings})")
        found += within
    return found


def _is_folder(wanted: str) -> bool:
    try:
        return bool(wanted) and Path(wanted).is_dir()
    except (OSError, ValueError):
        return False


def _scenarios_in(folder: Path, endings: tuple[str, ...]) -> Iterator[Path]:
    """Diagrams, and those Markdown files that contain one; hidden folders stay hidden."""
    for path in folder.rglob("*"):
        ending = path.suffix.lower()
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if ending not in endings or hidden or not (path.is_file() or _leads_nowhere(path)):
            continue
        if ending != ".md" or _has_diagram(path):
            yield path


def _leads_nowhere(path: Path) -> bool:
    """A link to a scenario that is gone: left out, it would be a check that nobody misses."""
    return path.is_symlink() and not path.exists()


def _has_diagram(path: Path) -> bool:
    """Whether a Markdown file is a scenario; one that cannot be read is left to complain."""
    if path.stem.lower() == "readme":
        return False
    try:
        return b"```mermaid" in path.read_bytes()
    except OSError:
        return True


def refuse_device(wanted: str | Path) -> None:
    """Raises UsageError for a device: reading one may never end (a pipe is fine)."""
    try:
        mode = Path(wanted).stat().st_mode
    except (OSError, ValueError):
        return
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise UsageError(f"{wanted}: this is a device; give a file")


def check_rules(without: Sequence[str]) -> None:
    """Raises UsageError, with near matches, for a rule that nobody knows."""
    from sim.cli import words
    from sim.cli.outcome import unknown

    known = words.rules()
    for name in without:
        if name not in known:
            raise unknown("rule", name, known, remedy="see: hooktwin rules --switches")
