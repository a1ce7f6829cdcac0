"""The pending store's file operations on a real disk, done where twins expect their store's host.

Each is done at once, in one step, and is on the disk when it returns. Locks, claims and
leases name their owner as :func:`owner_of` does; of other names nobody here can tell, so
they count as alive and are void by their age only.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import socket
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from sim.core.actor import Actor
from sim.core.op import Erase, Save
from sim.protocols.question.store.operations import (
    Content,
    CreateFile,
    Done,
    Failed,
    FileOperation,
    Held,
    IsAlive,
    NoFile,
    NotHeld,
    Outcome,
    ReadFile,
    RemoveFile,
    RenameFile,
    WriteFile,
)

GUARD_S: Final = 1.0
"""How long another process may be between looking and doing."""
MOST_BYTES: Final = 64 * 1024 * 1024
"""Of a file that is read: ten thousand questions are not a tenth of it."""
_OWNER: Final = re.compile(r"[^#@]*#(?P<pid>[0-9]{1,10})-(?P<began>[0-9]*)@(?P<machine>.*)")
_NO_LINKS: Final = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


def unfit(path: Path) -> str:
    """Why no pending store can be there, "" where one can."""
    try:
        if path.is_symlink():  # the first change would replace the link, not the file
            return f"is a link: give {os.readlink(path)}"
        is_taken = path.exists() and not path.is_file()
        usable = path.parent.is_dir() and not is_taken and "\0" not in str(path)
    except (OSError, ValueError):  # too long, or no text
        usable = False
    return "" if usable else "can be no file; give one in a directory there is"


def owner_of(role: str, pid: int | None = None) -> str:
    """The name of a process of this machine, unlike that of any other that has its pid later."""
    number = os.getpid() if pid is None else pid
    return f"{role}#{number}-{_began(number)}@{socket.gethostname()}"


def lives(owner: str) -> bool:
    """Whether that process may still be alive."""
    named = _OWNER.fullmatch(owner)
    if named is None or named["machine"] != socket.gethostname():
        return True
    pid = int(named["pid"])
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # it lives, and is somebody else's
    began = _began(pid)
    return not began or not named["began"] or began == named["began"]


def _began(pid: int) -> str:
    """When the process began, in the kernel's own count; "" where the system does not say."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
    return told.rpartition(")")[2].split()[19]


class RealDisk(Actor):
    """The store's host of a world whose store is a real file.

    Each file it has touched is a row, as on a simulated disk, so that a recording shows it;
    what other programs have written there is seen with the next operation.
    """

    ONE_AT_A_TIME = True

    async def on_call(self, caller: str, request: Any) -> Any:
        if not isinstance(request, FileOperation):
            raise LookupError(f"{self.port.name} is a disk and cannot do {request!r} of {caller}")
        if isinstance(request, IsAlive):
            return lives(request.owner)
        outcome = perform(request)
        for path in (getattr(request, "path", ""), getattr(request, "target", "")):
            if path:
                await self._show(path)
        return outcome

    async def _show(self, path: str) -> None:
        there = perform(ReadFile(path))
        shown = self.port.store.get(path)
        if isinstance(there, Content):
            if there.text != shown:
                await self.perform(Save(path, there.text))
        elif shown is not None:
            await self.perform(Erase(path))


def perform(request: FileOperation) -> Outcome:
    """Do it; what the system refuses is Failed, with the system's words.

    Raises LookupError for what is no operation of this store.
    """
    try:
        match request:
            case ReadFile(path=path):
                return _content(path)
            case CreateFile(path=path, text=text, mode=mode):
                return _create(path, text, mode)
            case WriteFile(path=path, text=text, mode=mode, held=held):
                with _guarded(held) as is_held:
                    return _write(path, text, mode) if is_held else NotHeld()
            case RenameFile(path=path, target=target, held=held):
                with _guarded(held) as is_held:
                    return _rename(path, target) if is_held else NotHeld()
            case RemoveFile(path=path, held=held):
                with _guarded(held) as is_held:
                    return _remove(path) if is_held else NotHeld()
    except (OSError, ValueError) as error:
        return Failed(getattr(error, "strerror", None) or str(error))
    raise LookupError(f"a disk does not know {request!r}")


def _content(path: str) -> Content | NoFile:
    """Raises OSError for what is no plain file (a pipe would wait, a device never end), and
    for one that no store could have become."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return NoFile()
    with os.fdopen(descriptor, "rb") as file:
        there = os.fstat(descriptor)
        if not stat.S_ISREG(there.st_mode):
            raise OSError(errno.EINVAL, "this is no plain file")
        data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise OSError(errno.EFBIG, f"it is larger than {MOST_BYTES} bytes")
    # As \\xff, which no JSON has: a sign put in its place would make a label of its own.
    return Content(data.decode(errors="backslashreplace"), there.st_mtime_ns // 1_000_000)


def _write(path: str, text: str, mode: int) -> Done:
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(path, flags, mode), "wb") as file:
        os.fchmod(file.fileno(), mode)
        file.write(text.encode(errors="surrogatepass"))
        file.flush()
        os.fsync(file.fileno())
    return Done()


def _create(path: str, text: str, mode: int) -> Content | Done:
    """With its text from the first moment on: whoever finds a lock wants to know whose it is."""
    fresh = f"{path}.{os.getpid()}.tmp"
    _write(fresh, text, mode)
    try:
        while True:
            try:
                os.link(fresh, path)
                return Done()
            except FileExistsError:
                there = _content(path)
                if isinstance(there, Content):
                    return there
            except OSError as error:
                if error.errno not in _NO_LINKS:
                    raise
                return _create_by_name(path, text, mode)
    finally:
        with suppress(OSError):
            os.unlink(fresh)


def _create_by_name(path: str, text: str, mode: int) -> Content | Done:
    """Where the file system has no links."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    try:
        with os.fdopen(os.open(path, flags, mode), "wb") as file:
            file.write(text.encode(errors="surrogatepass"))
    except FileExistsError:
        there = _content(path)
        return there if isinstance(there, Content) else Content("")
    return Done()


def _rename(path: str, target: str) -> Done | NoFile:
    try:
        os.replace(path, target)
    except FileNotFoundError:
        return NoFile()
    return Done()


def _remove(path: str) -> Done:
    with suppress(FileNotFoundError):
        os.unlink(path)
    return Done()


@contextmanager
def _guarded(held: Held | None) -> Iterator[bool]:
    """Whether the file has the text that is asked for; it stays so as far as processes are
    concerned that ask in the same way: they wait for each other at the file's directory.

    Raises OSError when another one is at it for longer than it takes.
    """
    if held is None:
        yield True
        return
    directory = os.open(os.path.dirname(held.path) or ".", os.O_RDONLY | os.O_CLOEXEC)
    try:
        _wait_for(directory)
        there = _content(held.path)
        yield isinstance(there, Content) and there.text == held.text
    finally:
        os.close(directory)  # and the lock is gone


def _wait_for(descriptor: int) -> None:
    until = time.monotonic() + GUARD_S
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > until:
                raise
        time.sleep(0.001)
