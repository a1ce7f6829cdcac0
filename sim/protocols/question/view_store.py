"""The store's files as a trace tells of them: entries by uniqueId, the lock, the lease."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import attrs
import msgspec

from sim.protocols.question.constants import BROKEN_SUFFIX, LEASE_SUFFIX, LOCK_SUFFIX
from sim.protocols.question.store.operations import CreateFile, Done, NotHeld
from sim.protocols.question.view_records import EntryView, FileView

MAIN: Final = "main"
LOCK: Final = "lock"
LEASE: Final = "lease"
ASIDE: Final = "aside"
NEW: Final = "new"

NEW_SUFFIX: Final = ".new"

Change = tuple[str, EntryView, Mapping[str, Any]]


@attrs.frozen
class Signature:
    """What a lock or a lease says, who wrote it and when (µs); ``since``: since when it is
    that owner's. ``made_ms`` is its own time."""

    owner: str
    made_ms: int
    by: str
    at: int
    since: int


def decoded(text: Any) -> Any:
    """The JSON of a file; None where it is none."""
    if isinstance(text, Mapping):
        return text
    try:
        return msgspec.json.decode(text) if isinstance(text, (str, bytes)) else None
    except (msgspec.DecodeError, ValueError, RecursionError):
        return None


class StoreFold:
    """One disk with one pending file.

    ``entries`` are those that are there, ``known`` the last of each uniqueId. ``broken_at``:
    since when the file cannot be read, ``last_broken_at`` when it last was so, ``broken_by``
    who made it so; ``mended_by`` wrote last what can be read. ``lock`` and ``lease`` as they
    stand; ``deposed`` who knows that it has lost the lease.
    """

    def __init__(self, host: str) -> None:
        self.host = host
        self.path = ""
        self.entries: dict[str, EntryView] = {}
        self.known: dict[str, EntryView] = {}
        self.broken_at = self.last_broken_at = -1
        self.broken_by = self.mended_by = ""
        self.asides: dict[str, None] = {}
        self.lock: Signature | None = None
        self.lease: Signature | None = None
        self.deposed: dict[str, None] = {}

    def learns(self, path: str) -> None:
        """A process has named a file: the pending file is the one that others stand beside."""
        if not self.path and BROKEN_SUFFIX not in path and not path.endswith(NEW_SUFFIX):
            self.path = path.removesuffix(LOCK_SUFFIX).removesuffix(LEASE_SUFFIX)

    def kind(self, path: str) -> str:
        """Which of the files that is."""
        self.learns(path)
        if path == self.path:
            return MAIN
        if BROKEN_SUFFIX in path:
            return ASIDE
        if path.endswith(LOCK_SUFFIX):
            return LOCK
        return LEASE if path.endswith(LEASE_SUFFIX) else NEW

    def answered(self, file: FileView, reply: Any) -> None:
        """Who is told that the lease is not his any more has lost it, to whomever, until he
        has taken it anew."""
        is_lease = getattr(file.request, "path", "") == self.path + LEASE_SUFFIX
        if not self.path or not is_lease:
            return
        if isinstance(reply, NotHeld):
            self.deposed[file.caller] = None
        elif isinstance(file.request, CreateFile) and isinstance(reply, Done):
            self.deposed.pop(file.caller, None)

    def saved(self, n: int, at: int, path: str, text: Any, by: str) -> list[Change]:
        """A file has this content now. → what became of entries: new, changed, gone."""
        kind = self.kind(path)
        if kind in (LOCK, LEASE):
            found = decoded(text)
            facts: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
            made = facts.get("at")
            owner, before = str(facts.get("owner", "")), self.lock if kind == LOCK else self.lease
            since = before.since if before is not None and before.owner == owner else at
            sign = Signature(owner, made if type(made) is int else -1, by, at, since)
            self.lock, self.lease = (sign, self.lease) if kind == LOCK else (self.lock, sign)
        elif kind == ASIDE:
            self.asides[path] = None
        elif kind == MAIN:
            return list(self._content(n, at, decoded(text), by))
        return []

    def erased(self, n: int, at: int, path: str, by: str) -> list[Change]:
        """A file is gone."""
        kind = self.kind(path)
        if kind == LOCK:
            self.lock = None
        elif kind == LEASE:
            self.lease = None
        elif kind == MAIN:
            return list(self._content(n, at, {}, by))
        return []

    def _content(self, n: int, at: int, found: Any, by: str) -> Iterator[Change]:
        if not isinstance(found, Mapping):
            if self.broken_at < 0:
                self.broken_at = self.last_broken_at = at
                self.broken_by = by
            return
        was_broken, self.broken_at, self.mended_by = self.broken_at >= 0, -1, by
        if was_broken:
            self.last_broken_at = at
        for id in [id for id in self.entries if id not in found]:
            entry = self.entries.pop(id)
            entry.gone_n, entry.gone_at, entry.gone_by = n, at, by
            entry.is_lost = was_broken
            yield "aside" if was_broken else "gone", entry, entry.fields
        for id, value in found.items():
            fields: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
            entry_ = self.entries.get(id)
            if entry_ is None:
                entry_ = EntryView(id, self.host, n, at, by, fields, is_preloaded=not by)
                entry_.is_back = id in self.known
                self.entries[id] = self.known[id] = entry_
                yield "entry", entry_, {}
            elif entry_.fields != fields:
                old, entry_.fields = entry_.fields, fields
                yield "changed", entry_, old
