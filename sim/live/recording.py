"""A trace file that grows with a live run: what has happened is in it, whatever comes next."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from sim.core.errors import UsageError
from sim.core.event import Event
from sim.core.trace import Header, encode_event, encode_header, snapshot_line
from sim.view.snapshots import SceneSnapshots


class Recording:
    """Writes header and events as an ordinary trace, each line flushed at once; every
    thousand events a snapshot, with which viewers jump.

    ``problem`` says why no more can be written (a full disk); the run goes on without.
    Raises UsageError when the file cannot be made.
    """

    def __init__(self, path: Path, header: Header) -> None:
        self.path = path
        self.events = 0
        self.problem = ""
        self._snapshots = SceneSnapshots()
        try:
            self._file = path.open("wb")
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise UsageError(f"{path}: cannot record there: {reason}; give another file") from error
        self._put(encode_header(header))

    def write(self, event: Event) -> None:
        """The next event."""
        if not self.problem:
            self._put(encode_event(event))
            self.events += not self.problem
            self._snapshots.on(event)
            if self.events % self._snapshots.every == 0:
                # Viewers can do without one that strange texts keep from being written.
                with suppress(UnicodeEncodeError, RecursionError):
                    self._put(snapshot_line(self.events, self._snapshots.take()))

    def _put(self, line: bytes) -> None:
        try:
            self._file.write(line + b"\n")
            self._file.flush()
        except OSError as error:
            self.problem = f"{self.path}: cannot record any more: {error.strerror}"

    def close(self) -> None:
        """Nothing more will come."""
        with suppress(OSError):
            self._file.close()
