"""Files that a command writes: whole, or an error that names the file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import typer

from sim.core.errors import UsageError


def named(text: str) -> Path:
    """The path of a result, from the command line. Raises BadParameter for an empty text.

    ``Path("")`` would be the folder one is in, which nobody asked for: most likely it was
    a variable of a script that is not set.
    """
    if not text.strip():
        raise typer.BadParameter("the name is empty; give the name of a file or folder")
    return Path(text)


def write_text(path: Path, text: str) -> None:
    """Write a text as UTF-8. Raises UsageError when the file cannot be written."""
    write_bytes(path, text.encode("utf-8", errors="backslashreplace"))


def hand_over(text: str, out: Path | None) -> None:
    """A text for other programs: into the file, else to stdout, UTF-8 as well.

    Raises UsageError when the file cannot be written.
    """
    from sim.cli.terminal import pipe_utf8, print_text

    if out is None:
        pipe_utf8()
        print_text(text)
    else:
        write_text(out, text)


def write_bytes(path: Path, data: bytes) -> None:
    """Write what is no text. Raises UsageError when the file cannot be written."""
    check_writable(path)
    try:
        path.write_bytes(data)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{path}: cannot write the file: {reason}") from error
    say_written(path)


def say_written(path: Path) -> None:
    """Tell on stderr that a file is there now."""
    from sim.cli.terminal import say

    say(f"hooktwin: wrote {path}")


def check_writable(path: Path) -> None:
    """Raises UsageError when a file could not be written there: before the work, not after."""
    folder = path.parent
    try:
        if path.is_dir():
            raise UsageError(f"{path}: this is a folder; give the name of a file")
        if not folder.is_dir():
            raise UsageError(f"{path}: cannot write the file: there is no folder {folder}")
        writable = os.access(path if path.exists() else folder, os.W_OK)
    except (OSError, ValueError) as error:  # a name that no system takes
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{path}: cannot write the file: {reason}") from error
    if not writable:
        raise UsageError(f"{path}: cannot write the file: permission denied")


def refuse_existing(path: Path) -> None:
    """Raises UsageError where a file is there: for what people go on writing by hand."""
    if path.exists():
        raise UsageError(f"{path}: this file is there already, perhaps with work of yours in it; "
                         "give another name, or remove it")  # fmt: skip


def check_folder(folder: Path) -> None:
    """Make a folder for results. Raises UsageError when nothing could be written there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        writable = os.access(folder, os.W_OK | os.X_OK)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{folder}: cannot make this folder: {reason}; give another") from error
    if not writable:
        raise UsageError(f"{folder}: cannot write into this folder; give another")


def refuse_overwriting(inputs: Iterable[str | Path], outputs: Iterable[Path | None]) -> None:
    """Raises UsageError when a result would replace what was read, or another result."""
    taken = [(Path(one), "is what is read") for one in inputs]
    for path in outputs:
        if path is None:
            continue
        for other, what in taken:
            if _is_same(path, other):
                raise UsageError(f"{path}: this file {what}; give another name for the result")
        taken.append((path, "is written already"))


def _is_same(path: Path, other: Path) -> bool:
    try:
        return path.resolve() == other.resolve() or path.samefile(other)
    except (OSError, ValueError, RuntimeError):
        return False
