"""Files that a command writes: whole, or an error that names the file."""

from __future__ import annotations

from pathlib import Path

from sim.core.errors import UsageError


def write_text(path: Path, text: str) -> None:
    """Write a text as UTF-8. Raises UsageError when the file cannot be written."""
    try:
        path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"{path}: cannot write the file: {reason}") from error
