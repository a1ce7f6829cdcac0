"""Which lessons somebody has finished, in a file of theirs: a JSON object, readable by people.

The file that ``--progress`` names is taken seriously. The one in the user's state folder is a
convenience: no command fails for it, and no run ever reads it.
"""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

from sim.core.errors import UsageError

KEY = "finished"
LARGEST_BYTES = 1 << 20


def finished(path: Path | None) -> tuple[str, ...]:
    """The ids of the lessons; none where there is no file yet, or nothing in it.

    Raises UsageError for a file that cannot be read, or that is none of ours.
    """
    if path is None or not path.exists():
        return ()
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_BYTES + 1) or b'{"finished": []}'
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
    try:
        path.write_text(_text((*finished(path), lesson)), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot keep the progress: {error.strerror}") from error


def usual_place() -> Path | None:
    """Where progress is kept between sittings; None where this user has no home."""
    from platformdirs import user_state_path

    try:
        return user_state_path("hooktwin", appauthor=False) / "lessons.json"
    except (OSError, RuntimeError, KeyError, ValueError):
        return None


def remembered(path: Path | None) -> tuple[str, ...]:
    """What earlier sittings have finished; none where that cannot be told."""
    try:
        return finished(path) if path is not None and path.is_file() else ()
    except (UsageError, OSError, ValueError):
        return ()


def remember(path: Path | None, lesson: str) -> bool:
    """Add a lesson, and say whether it was kept. A damaged file begins anew; one that another
    sitting reads meanwhile is whole."""
    if path is None:
        return False
    fresh = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(_text((*remembered(path), lesson)), encoding="utf-8")
        fresh.replace(path)
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError):
            fresh.unlink(missing_ok=True)
        return False
    return True


def _text(ids: tuple[str, ...]) -> str:
    return json.dumps({KEY: list(dict.fromkeys(ids))}, indent=2) + "\n"
