"""Which lessons somebody has finished, in a file of theirs: a JSON object, readable by people."""

from __future__ import annotations

import json
from pathlib import Path

from sim.core.errors import UsageError

KEY = "finished"
LARGEST_BYTES = 1 << 20


def finished(path: Path | None) -> tuple[str, ...]:
    """The ids of the lessons; none where there is no file yet.

    Raises UsageError for a file that cannot be read, or that is none of ours.
    """
    if path is None or not path.exists():
        return ()
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_BYTES + 1)
        told = json.loads(data) if len(data) <= LARGEST_BYTES else None
    except OSError as error:
        raise UsageError(f"{path}: cannot read the progress: {error.strerror}") from error
    except (ValueError, RecursionError):
        raise UsageError(f"{path}: no progress of hooktwin learn: this is no JSON") from None
    ids = told.get(KEY) if isinstance(told, dict) else None
    if not isinstance(ids, list) or not all(isinstance(one, str) for one in ids):
        raise UsageError(f'{path}: no progress of hooktwin learn: it has no list "{KEY}"')
    return tuple(dict.fromkeys(ids))


def keep(path: Path, lesson: str) -> None:
    """Add a lesson. Raises UsageError when the file cannot be written."""
    ids = dict.fromkeys((*finished(path), lesson))
    text = json.dumps({KEY: list(ids)}, indent=2) + "\n"
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot keep the progress: {error.strerror}") from error
