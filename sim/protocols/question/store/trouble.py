"""Why a use of the store came to nothing; whoever uses it tells people or gives up."""

from __future__ import annotations


class StoreTrouble(Exception):
    """Root: the store could not be read or changed."""


class LockTimeout(StoreTrouble):
    """Another process has had the lock for too long (DQ-23)."""


class DiskTrouble(StoreTrouble):
    """The disk refused, did not answer, or there was no time left for it."""


class NoWord(DiskTrouble):
    """The disk did not answer: nobody knows what became of it."""
