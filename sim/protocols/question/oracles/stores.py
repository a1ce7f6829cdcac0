"""How the store's files are used, and what becomes of entries (DQ-15, DQ-22, DQ-23)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sim.protocols.question.constants import (
    BROKEN_READS,
    LEASE_VOID_MS,
    LOCK_STALE_MS,
    LOCK_SUFFIX,
    LOCK_WAIT_MS,
    QUESTION_TTL_MS,
)
from sim.protocols.question.oracles.oracle import (
    MS_US,
    SECOND_US,
    OfListener,
    OfStore,
    Owing,
    seconds,
)
from sim.protocols.question.store.operations import (
    Content,
    CreateFile,
    Done,
    ReadFile,
    RenameFile,
    WriteFile,
)
from sim.protocols.question.view import POLL, QuestionView
from sim.protocols.question.view_calls import CallView
from sim.protocols.question.view_records import EntryView, FileView
from sim.protocols.question.view_store import ASIDE, MAIN, Signature, StoreFold, decoded

Kept = tuple[EntryView, Mapping[str, Any]]
HALF_A_SECOND: Final = 500 * MS_US
LOOKED_BACK_US: Final = 2 * SECOND_US
LOOK_US: Final = 200 * MS_US
"""Between two tries for a lock, at most."""


class EntriesDoNotVanish(OfStore):
    name = "entries-do-not-vanish"
    sentence = (
        "A question leaves the store when it is answered, seen closed, too old, or refused by "
        "the chat, and by nothing else."
    )
    catalogue = ("QT-05", "QT-20", "QT-21", "QT-26", "QT-29", "QT-42", "QT-43", "I3")
    IN_LOGS = True

    def on_gone(self, kept: Kept) -> str | None:
        entry = kept[0]
        if not entry.is_question or not entry.gone_by:
            return None
        self.exercised += 1
        if entry.settled_at >= 0 or entry.closed_at >= 0 or self._is_refused(entry):
            return None
        age = self.view.attempts.age_us(entry, entry.gone_by)
        if age < 0 or age > QUESTION_TTL_MS * MS_US:
            return None
        return f"{entry.gone_by} removes {entry.id}, which is neither answered nor too old"

    def _is_refused(self, entry: EntryView) -> bool:
        """Whether its own hook has taken it back; which of its reasons it may have had is
        another rule's business."""
        mine = [one for one in self.view.befores if one.hook == entry.gone_by]
        return any(entry in one.entries for one in mine) or (
            self.view.is_log and bool(self.view.open_befores(entry.gone_by))
        )


class WritesAreAtomic(OfStore):
    name = "writes-are-atomic"
    sentence = "The pending file is never written in place: a new file takes its place."
    catalogue = ("QT-05",)

    def on_file(self, file: FileView) -> str | None:
        store = self.view.store(file.store)
        if isinstance(file.request, RenameFile):
            self.exercised += 1
        if isinstance(file.request, WriteFile) and store.kind(file.request.path) == MAIN:
            return f"{file.caller} writes {file.request.path} in place"
        return None


class ChangesAreLocked(OfStore):
    name = "changes-are-locked"
    sentence = "Who changes the pending file has its lock."
    catalogue = ("QT-05", "I3")

    def on_filed(self, file: FileView) -> str | None:
        store, request = self.view.store(file.store), file.request
        target = ""
        if isinstance(request, RenameFile):
            target = request.target
        elif isinstance(request, WriteFile):
            target = request.path
        if not target or store.kind(target) != MAIN or not isinstance(file.reply, Done):
            return None
        self.exercised += 1
        if store.lock is not None and store.lock.by == file.caller:
            return None
        holder = "nobody" if store.lock is None else store.lock.by or store.lock.owner
        return f"{file.caller} changes {target}, while {holder} has its lock"


class BrokenFilesAreKept(OfStore):
    name = "broken-files-are-kept"
    sentence = "A file that cannot be read is put aside before anybody writes a new one."
    catalogue = ("QT-05",)

    def __init__(self, view: QuestionView) -> None:
        super().__init__(view)
        self._asides: dict[str, int] = {}
        self._good: dict[str, Signature] = {}

    def on_filed(self, file: FileView) -> None:
        """Who has the lock has found the file readable, or not."""
        store, request = self.view.store(file.store), file.request
        if not isinstance(request, ReadFile) or store.kind(request.path) != MAIN:
            return
        if store.lock is None or store.lock.by != file.caller:
            return
        self._good.pop(file.store, None)
        if isinstance(file.reply, Content) and isinstance(decoded(file.reply.text), Mapping):
            self._good[file.store] = store.lock

    def _is_overtaken(self, store: StoreFold) -> bool:
        """Whether somebody who heeds no lock broke it between the look and the write of the
        one who has it, who could not have seen that."""
        lock = store.lock
        is_holder = lock is not None and lock.by == store.mended_by
        return is_holder and self._good.get(store.host) is lock

    def on_broken(self, store: StoreFold) -> None:
        self.exercised += 1
        self._asides[store.host] = len(store.asides)

    def on_mended(self, store: StoreFold) -> str | None:
        if not store.mended_by or store.mended_by == store.broken_by:
            return None
        if len(store.asides) > self._asides.get(store.host, 0) or self._is_overtaken(store):
            return None
        return f"{store.mended_by} writes over {store.path}, which it could not read"


class BrokenFilesAreReadAgain(OfStore):
    name = "broken-files-are-read-again"
    sentence = "A file is put aside, or taken for empty, only after it was read again three times."
    catalogue = ("QT-05",)

    def __init__(self, view: QuestionView) -> None:
        super().__init__(view)
        self._reads: dict[str, list[int]] = {}

    def on_filed(self, file: FileView) -> None:
        is_main = isinstance(file.request, ReadFile) and isinstance(file.reply, Content)
        if is_main and self.view.store(file.store).kind(file.request.path) == MAIN:
            reads = self._reads.setdefault(file.caller, [])
            if isinstance(decoded(file.reply.text), Mapping):
                reads.clear()
            else:
                reads.append(file.at)

    def on_file(self, file: FileView) -> str | None:
        request = file.request
        if not isinstance(request, RenameFile):
            return None
        if self.view.store(file.store).kind(request.target) != ASIDE:
            return None
        self.exercised += 1
        count = len(self._reads.get(file.caller, []))
        if count > BROKEN_READS:
            return None
        return f"{file.caller} puts {request.path} aside after {count} looks"


class BrokenFilesAreTold(Owing):
    name = "broken-files-are-told"
    sentence = "When a broken file was put aside, one message tells the chat."
    catalogue = ("QT-05",)
    obeyed_by = OfStore.obeyed_by

    def on_filed(self, file: FileView) -> None:
        request = file.request
        if not isinstance(request, RenameFile) or not isinstance(file.reply, Done):
            return
        if self.view.store(file.store).kind(request.target) == ASIDE:
            self.exercised += 1
            text = f"{file.caller} tells nobody that the store was broken"
            self.owe(file.caller, file.caller, text, 10 * SECOND_US)

    def on_issued(self, call: CallView) -> None:
        if call.what == "sendMessage" and "reply_markup" not in call.body:
            self.pay(call.caller)


class Waits(OfStore):
    """Keeps, per handler, which lock it meets and since when."""

    def __init__(self, view: QuestionView) -> None:
        super().__init__(view)
        self._met: dict[int, tuple[str, int, int]] = {}

    def on_issued(self, call: CallView) -> None:
        """Who goes on with something else has given up waiting."""
        thread = self.view.threads.of(call.n, call.caller)
        if thread is not None:
            self._met.pop(thread.number, None)

    def on_filed(self, file: FileView) -> str | None:
        request = file.request
        if not isinstance(request, CreateFile) or not request.path.endswith(LOCK_SUFFIX):
            return None
        thread = self.view.threads.of(file.n, file.caller)
        key = id_of(thread, file)
        if not isinstance(file.reply, Content):
            self._met.pop(key, None)
            return None
        self.exercised += 1
        text, since, last = self._met.get(key, ("", file.at, file.at))
        if file.at - last > HALF_A_SECOND:
            text, since = "", file.at
        if not self.ANY_LOCK and text != file.reply.text:
            since = file.at
        self._met[key] = (file.reply.text, since, file.at)
        return self.judge(file, file.reply, file.at - since)

    ANY_LOCK = False

    def judge(self, file: FileView, met: Content, waited_us: int) -> str | None:
        """What is wrong with having waited so long for this lock."""
        raise NotImplementedError


def id_of(thread: Any, file: FileView) -> int:
    """Who waits: the handler, as far as one knows."""
    return file.n if thread is None else thread.number


class StaleLocksAreTakenOver(Waits):
    name = "stale-locks-are-taken-over"
    sentence = "A lock whose owner is dead, or that is older than 10 s, stops nobody."
    catalogue = ("I6",)

    def __init__(self, view: QuestionView) -> None:
        super().__init__(view)
        self._stale: dict[str, tuple[str, int]] = {}

    def judge(self, file: FileView, met: Content, waited_us: int) -> str | None:
        """A lock may become stale while it is waited for (a clock is set, its owner dies);
        the owner is looked for only now and then."""
        patience = 3 * HALF_A_SECOND + self.view.grace_us(file.caller)
        if waited_us < patience - HALF_A_SECOND:
            return None
        if not self._is_stale(file, met):
            self._stale.pop(file.caller, None)
            return None
        text, since = self._stale.get(file.caller, ("", file.at))
        if text != met.text:
            since = file.at
        self._stale[file.caller] = (met.text, since)
        if waited_us < patience or file.at - since < HALF_A_SECOND - LOOK_US:
            return None
        return f"{file.caller} waits {seconds(waited_us)} for a lock that is nobody's any more"

    def _is_stale(self, file: FileView, met: Content) -> bool:
        sign, now = decoded(met.text), self.view.clock_ms(file.caller)
        facts: Mapping[str, Any] = sign if isinstance(sign, Mapping) else {}
        at = facts.get("at", met.changed_ms)
        if now is not None and type(at) is int and now - at > LOCK_STALE_MS + 500:
            return True
        host, _, epoch = str(facts.get("owner", "")).rpartition("#")
        lives = host in self.view.up and str(self.view.epochs[host]) == epoch
        return bool(facts.get("owner")) and not lives


class LockWaitsEnd(Waits):
    name = "lock-waits-end"
    sentence = "Nobody waits longer than 2,000 ms for the lock."
    catalogue = ("QT-04",)
    ANY_LOCK = True

    def judge(self, file: FileView, met: Content, waited_us: int) -> str | None:
        # Who has given up may try once more, for something else.
        most = 2 * LOCK_WAIT_MS * MS_US + SECOND_US + self.view.grace_us(file.caller)
        if waited_us <= most:
            return None
        return f"{file.caller} has waited {seconds(waited_us)} for the lock, and goes on"


class OneListenerPolls(OfListener):
    name = "one-listener-polls"
    sentence = "Of the listeners of one store only the one with the lease asks for updates."
    catalogue = ("I1",)

    def on_polled(self, call: CallView) -> str | None:
        self.exercised += 1
        for store in self.view.stores.values():
            lease = store.lease
            if lease is None or lease.by in ("", call.caller) or lease.by not in self.view.up:
                continue
            if call.at - lease.at <= LEASE_VOID_MS * MS_US:
                return f"{call.caller} polls, while {lease.by} has the lease"
        return None if self._leads(call.caller) else self._beside(call)

    def _leads(self, listener: str) -> bool:
        leases = [store.lease for store in self.view.stores.values()]
        return any(lease is not None and lease.by == listener for lease in leases)

    def _beside(self, call: CallView) -> str | None:
        """Without a lease nobody polls beside another one."""
        for one in self.view.calls.values():
            is_poll = one.what == POLL and one.request.path == call.request.path
            if is_poll and one.caller != call.caller:
                return f"{call.caller} polls beside {one.caller}, without a lease"
        return None
