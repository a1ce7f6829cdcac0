"""What the file of the store, and who uses it, are told when they are made."""

from __future__ import annotations

import attrs

from sim.protocols.question import constants


@attrs.frozen(kw_only=True)
class StoreFilePlan:
    """A disk. ``path``: the pending file, which acts mean; its writes take ``write_us``
    virtual microseconds, in whose middle half of the text is there."""

    path: str = constants.STORE_FILE
    write_us: int = 200


@attrs.frozen(kw_only=True)
class PendingPlan:
    """How one process uses the store. Times are in milliseconds.

    ``store``: the host of the disk, ``path`` and ``mode`` the file there. ``owner``: the
    name of the process in locks, claims and the lease; "" is ``host#life``.
    """

    store: str = constants.STORE
    path: str = constants.STORE_FILE
    mode: int = constants.STORE_MODE
    owner: str = ""
    lock_wait_ms: int = constants.LOCK_WAIT_MS
    lock_retry_ms: int = constants.LOCK_RETRY_MS
    lock_stale_ms: int = constants.LOCK_STALE_MS
    claim_void_ms: int = constants.CLAIM_VOID_MS
    lease_void_ms: int = constants.LEASE_VOID_MS
