"""A trace file that grows with a live run: what has happened is in it, whatever comes next."""

from __future__ import annotations

import fcntl
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from sim.core.errors import UsageError
from sim.core.event import Event
from sim.core.trace import Header, encode_event, encode_header, snapshot_line
from sim.live.secrets import Secrets
from sim.view.snapshots import SceneSnapshots


class Recording:
    """Writes header and events as an ordinary trace, each line flushed at once; every
    thousand events a snapshot, with which viewers jump.

    ``problem`` says why no more can be written (a full disk); the run goes on without.
    Raises UsageError when the file cannot be made, or another session records there.
    """

    def __init__(self, path: Path, header: Header, secrets: Secrets | None = None) -> None:
        self.path = path
        self.events = 0
        self.problem = ""
        self._snapshots = SceneSnapshots()
        self._secrets = secrets or Secrets()
        self._file = _taken(path)
        self._put(encode_header(header))
        if self.problem:
            self.close()
            raise UsageError(f"{self.problem}; give another file")

    def write(self, event: Event) -> None:
        """The next event."""
        if not self.problem:
            self._put(self._secrets.hide_line(encode_event(event)))
            self.events += not self.problem
            self._snapshots.on(event)
            if self.events % self._snapshots.every == 0:
                # Viewers can do without one that strange texts keep from being written.
                with suppress(UnicodeEncodeError, RecursionError):
                    line = snapshot_line(self.events, self._snapshots.take())
                    self._put(self._secrets.hide_line(line))

    def _put(self, line: bytes) -> None:
        try:
            self._file.write(line + b"\n")
            self._file.flush()
        except OSError as error:
            behind = f" behind event {self.events - 1}" if self.events else ""
            self.problem = f"{self.path}: cannot record{behind}: {error.strerror}"

    def close(self) -> None:
        """Nothing more will come."""
        with suppress(OSError):
            self._file.close()


def _taken(path: Path) -> BinaryIO:
    """The file, empty, and ours as long as it is open. Raises UsageError.

    Nothing is cut off before it is ours: somebody may be recording there.
    """
    try:
        file = path.open("ab")
    except (OSError, ValueError) as error:
        raise _unusable(path, error) from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if path.is_file():
            file.truncate(0)
    except BlockingIOError:
        file.close()
        raise UsageError(f"{path}: another hooktwin records there; give another file") from None
    except OSError as error:
        file.close()
        raise _unusable(path, error) from error
    return file


def _unusable(path: Path, error: Exception) -> UsageError:
    reason = getattr(error, "strerror", None) or error
    return UsageError(f"{path}: cannot record there: {reason}; give another file")
