"""Scenarios from files: by path, or shipped ones by name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sim.core.errors import ScenarioError
from sim.scenario.lexer import decode
from sim.scenario.markdown import first_diagram
from sim.scenario.parse import LARGEST_BYTES, check_size, parse_scenario
from sim.scenario.source import close_to, near
from sim.scenario.syntax import Scenario
from sim.scenario.vocabulary import Vocabularies

SUFFIXES = (".mmd", ".md")
PACKAGE = Path(__file__).resolve().parent.parent


def load_scenario(
    path_or_name: str | Path,
    vocabulary: Vocabularies | None = None,
    *,
    shipped: Path | None = None,
) -> Scenario:
    """Read a scenario.

    A ``Path``, or a text with a separator, an ending or an existing file behind
    it, is a path; any other text names a shipped scenario. ``shipped`` replaces
    the folder of shipped scenarios.
    """
    path = _find(path_or_name, shipped if shipped is not None else shipped_folder())
    text = decode(_read(path), str(path))
    if path.suffix.lower() != ".md":
        return parse_scenario(text, str(path), vocabulary)
    fenced = first_diagram(text, str(path))
    return parse_scenario(fenced.text, str(path), vocabulary, first_line=fenced.first_line)


def shipped_folder() -> Path:
    """``sim/shipped`` of an installed wheel, else ``scenarios`` of the source tree."""
    installed = PACKAGE / "shipped"
    return installed if installed.is_dir() else PACKAGE.parent / "scenarios"


def shipped_scenarios(folder: Path | None = None) -> dict[str, tuple[Path, ...]]:
    """All shipped scenarios by name, in order; more than one path is a clash."""
    found: dict[str, tuple[Path, ...]] = {}
    root = folder if folder is not None else shipped_folder()
    files = (one for one in root.rglob("*") if one.suffix.lower() in SUFFIXES)
    for path in sorted(files, key=lambda one: one.with_suffix("")):  # "a" before "a-b"
        # A folder may explain itself; that is no scenario.
        if path.is_file() and path.stem.lower() != "readme":
            found[path.stem] = (*found.get(path.stem, ()), path)
    return found


def _find(wanted: str | Path, folder: Path) -> Path:
    """The file that is meant."""
    if isinstance(wanted, Path):
        return wanted
    if not wanted or "\0" in wanted:
        raise ScenarioError("the name of the scenario is empty or no file name")
    looks_like_path = "/" in wanted or "\\" in wanted or wanted.lower().endswith(SUFFIXES)
    if looks_like_path or _is_file(Path(wanted)):
        return Path(wanted)
    shipped = shipped_scenarios(folder)
    paths = shipped.get(wanted, ())
    if len(paths) == 1:
        return paths[0]
    if paths:
        places = ", ".join(_relative(paths, folder))
        raise ScenarioError(
            f"the name {wanted!r} is not unique: {places}; give a path",
            allowed=_relative(paths, folder),
        )
    if _is_folder(Path(wanted)):
        return Path(wanted)  # the reader says what is wrong with it
    close = close_to(wanted, shipped)
    tail = "" if close else "; hooktwin scenarios lists the names"
    raise ScenarioError(
        f"no shipped scenario is called {wanted[:80]!r}, and no file either{tail}",
        allowed=close,
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _relative(paths: Iterable[Path], folder: Path) -> tuple[str, ...]:
    return tuple(path.relative_to(folder).as_posix() for path in paths)


def _read(path: Path) -> bytes:
    """The bytes of a file, or why there are none."""
    try:
        if path.is_dir():
            raise ScenarioError(
                "this is a directory; give a file", path=str(path), allowed=SUFFIXES
            )
        check_size(path.stat().st_size, str(path))
        with path.open("rb") as file:
            data = file.read(LARGEST_BYTES + 1)  # a device or pipe may never end
    except FileNotFoundError:
        siblings = _names_beside(path)
        message = "there is no such file"
        raise ScenarioError(message, path=str(path), allowed=near(path.name, siblings)) from None
    except (OSError, ValueError) as failed:
        reason = getattr(failed, "strerror", None) or str(failed)
        raise ScenarioError(f"the file cannot be read: {reason}", path=str(path)) from None
    check_size(len(data), str(path))
    if not data.strip():
        raise ScenarioError("the file is empty", path=str(path), line=1, column=1)
    if b"\0" in data and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        message = f"a NUL byte at offset {data.index(0)}: this is a binary file"
        raise ScenarioError(message, path=str(path), line=line, column=1)
    return data


def _names_beside(path: Path) -> tuple[str, ...]:
    """Scenario files in the same folder, to offer for a typing error."""
    try:
        return tuple(one.name for one in path.parent.iterdir() if one.suffix.lower() in SUFFIXES)
    except (OSError, ValueError):
        return ()
