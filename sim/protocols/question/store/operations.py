"""What a process asks of the disk that the store's file is on, and what it hears.

They travel by ``Call`` to the store's host. A simulated disk answers them from its
durable rows; a live one does them on a real file. ``path`` is absolute. Each is one
step: nobody sees half of it, except :class:`WriteFile` on a file that others read.

An operation that the disk refuses answers :class:`Failed`. ``held`` makes it depend on
what stands in a file (a lock, say): where another text stands there, or no file, nothing
is done and the answer is :class:`NotHeld`. A real disk looks and does under ``flock``.
"""

from __future__ import annotations

import msgspec

from sim.protocols.question.constants import STORE_MODE


class FileOperation(msgspec.Struct, frozen=True, gc=False, tag_field="is"):
    """Root of the operations."""


class Held(msgspec.Struct, frozen=True, gc=False):
    """The file at ``path`` has this very text."""

    path: str
    text: str


class ReadFile(FileOperation, frozen=True, gc=False, tag="read-file"):
    """→ :class:`Content` or :class:`NoFile`."""

    path: str


class WriteFile(FileOperation, frozen=True, gc=False, tag="write-file"):
    """Replace the content, or make the file. → :class:`Done`.

    Not in one step: meanwhile readers find a part of it, and a crash may leave a part.
    """

    path: str
    text: str
    mode: int = STORE_MODE
    held: Held | None = None


class CreateFile(FileOperation, frozen=True, gc=False, tag="create-file"):
    """Make a file that must not be there yet. → :class:`Done`; :class:`Content` of the
    one that is there."""

    path: str
    text: str
    mode: int = STORE_MODE


class RenameFile(FileOperation, frozen=True, gc=False, tag="rename-file"):
    """Put ``path`` in the place of ``target``, which is replaced. → :class:`Done`;
    :class:`NoFile` where there is nothing to rename."""

    path: str
    target: str
    held: Held | None = None


class RemoveFile(FileOperation, frozen=True, gc=False, tag="remove-file"):
    """→ :class:`Done`, also where there is no file."""

    path: str
    held: Held | None = None


class IsAlive(FileOperation, frozen=True, gc=False, tag="is-alive"):
    """Whether the process of that name still lives (locks, claims, leases). → bool"""

    owner: str


class Content(msgspec.Struct, frozen=True, gc=False, tag_field="is", tag="file-content"):
    """What a file holds, and when it was changed last (Unix ms, the disk's clock).

    Bytes that are no UTF-8 are told as ``\\xff``: such a file is no JSON.
    """

    text: str
    changed_ms: int = 0


class NoFile(msgspec.Struct, frozen=True, gc=False, tag_field="is", tag="no-file"):
    """Nothing is at that path."""


class Done(msgspec.Struct, frozen=True, gc=False, tag_field="is", tag="file-done"):
    """It is done."""


class NotHeld(msgspec.Struct, frozen=True, gc=False, tag_field="is", tag="file-not-held"):
    """Another text, or no file, stood where ``held`` said; nothing was done."""


class Failed(msgspec.Struct, frozen=True, gc=False, tag_field="is", tag="file-failed"):
    """The disk refused, or could not."""

    why: str


Outcome = Content | NoFile | Done | NotHeld | Failed
