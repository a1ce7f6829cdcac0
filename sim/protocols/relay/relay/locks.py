"""Locks of tabs with leases (DR-06, DR-07)."""

from __future__ import annotations

import attrs

from sim.core.errors import SimInternalError
from sim.protocols.relay.constants import DEFAULT_LOCK_LEASE_MS, MOST_LOCK_LEASE_MS
from sim.protocols.relay.machine import FREE, HELD, LOCK


def granted_lease_ms(asked: float | None) -> int:
    """The lease that is granted for a ``lockLeaseMs`` that passed the parser; None: the default."""
    return DEFAULT_LOCK_LEASE_MS if asked is None else int(min(asked, MOST_LOCK_LEASE_MS))


@attrs.frozen
class Lease:
    """A lock as it stands: whose it is, through which session, and until when.

    ``request_id`` is that of the last tab_lock. At ``expires_at`` the tab is free.
    """

    node: str
    tab: str
    owner: str
    session: str
    request_id: str
    lease_ms: int
    expires_at: int


class Locks:
    """All locks of a relay. ``now_ms`` never goes back from call to call."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, str], Lease] = {}

    def holder(self, node: str, tab: str, now_ms: int) -> Lease | None:
        """The lease on a tab, None where it is free."""
        lease = self._held.get((node, tab))
        return lease if lease is not None and now_ms < lease.expires_at else None

    def stranger(self, node: str, tab: str, identity: str, now_ms: int) -> Lease | None:
        """The lease that shuts this identity out of a tab, if there is one."""
        lease = self.holder(node, tab, now_ms)
        return lease if lease is not None and lease.owner != identity else None

    def take(self, wanted: Lease, now_ms: int) -> str | None:
        """Take or renew: the trigger (``lock``, ``renew``), None when somebody else holds it.

        Raises SimInternalError when the tab's last lease has ended and :meth:`expire`
        was not asked since: its holder would never be told.
        """
        place = wanted.node, wanted.tab
        lease = self._held.get(place)
        if lease is not None and lease.expires_at <= now_ms:
            raise SimInternalError(
                f"the lease on {lease.tab} has ended; ask expire() before take()"
            )
        if lease is not None and lease.owner != wanted.owner:
            return None
        trigger = "lock" if lease is None else "renew"
        LOCK.step(FREE if lease is None else HELD, trigger)
        self._held[place] = wanted
        return trigger

    def release(self, node: str, tab: str, identity: str, now_ms: int) -> Lease | None:
        """Give a lock back; the lease that ended, None when the identity did not hold it."""
        lease = self.holder(node, tab, now_ms)
        if lease is None or lease.owner != identity:
            return None
        return self._end(lease, "unlock")

    def expire(self, now_ms: int) -> list[Lease]:
        """The leases that have ended by now, in the order of their ends; they are told once."""
        ended = [lease for lease in self._held.values() if lease.expires_at <= now_ms]
        ended.sort(key=lambda lease: lease.expires_at)
        return [self._end(lease, "expire") for lease in ended]

    def lose_session(self, session: str) -> list[Lease]:
        """Free what a session holds, in the order in which it was taken."""
        held = [lease for lease in self._held.values() if lease.session == session]
        return [self._end(lease, "holder lost") for lease in held]

    def next_expiry(self) -> int | None:
        """When :meth:`expire` has something to tell, None while nothing is held."""
        return min((lease.expires_at for lease in self._held.values()), default=None)

    def _end(self, lease: Lease, trigger: str) -> Lease:
        LOCK.step(HELD, trigger)
        del self._held[lease.node, lease.tab]
        return lease
