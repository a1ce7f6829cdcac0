"""Locks of tabs with leases (DR-06, DR-07)."""

from __future__ import annotations

from typing import Any

import attrs

from sim.core.errors import SimInternalError
from sim.protocols.relay.constants import DEFAULT_LOCK_LEASE_MS, MOST_LOCK_LEASE_MS
from sim.protocols.relay.machine import FREE, HELD, LOCK


def granted_lease_ms(
    asked: float | None,
    default_ms: int = DEFAULT_LOCK_LEASE_MS,
    most_ms: int = MOST_LOCK_LEASE_MS,
) -> int:
    """The lease that is granted for a ``lockLeaseMs`` that passed the parser; None: the default."""
    return default_ms if asked is None else int(min(asked, most_ms))


@attrs.frozen
class Lease:
    """A lock as it stands: whose it is, through which session, and until when.

    ``request_id`` is that of the last tab_lock. At ``ends_us`` the tab is free;
    ``expires_at`` is the same instant in Unix milliseconds, for those who are told.
    """

    node: str
    tab: str
    owner: str
    session: str
    request_id: str
    lease_ms: int
    expires_at: int
    ends_us: int

    def facts(self) -> dict[str, Any]:
        """The fields of the events about it."""
        return {
            "target_node_id": self.node,
            "tab_session_id": self.tab,
            "lock_owner_controller_id": self.owner,
            "lock_lease_ms": self.lease_ms,
            "lock_expires_at": self.expires_at,
        }


class Locks:
    """All locks of a relay. ``now_us`` never goes back from call to call."""

    def __init__(self) -> None:
        self._held: dict[tuple[str, str], Lease] = {}

    def holder(self, node: str, tab: str, now_us: int) -> Lease | None:
        """The lease on a tab, None where it is free."""
        lease = self._held.get((node, tab))
        return lease if lease is not None and now_us < lease.ends_us else None

    def stranger(self, node: str, tab: str, identity: str, now_us: int) -> Lease | None:
        """The lease that shuts this identity out of a tab, if there is one."""
        lease = self.holder(node, tab, now_us)
        return lease if lease is not None and lease.owner != identity else None

    def take(self, wanted: Lease, now_us: int, one_holder: bool = True) -> str | None:
        """Take or renew: the trigger (``lock``, ``renew``), None when somebody else holds it.

        Without ``one_holder`` a lock is taken out of anybody's hands.
        Raises SimInternalError when the tab's last lease has ended and :meth:`expire`
        was not asked since: its holder would never be told.
        """
        place = wanted.node, wanted.tab
        lease = self._held.get(place)
        if lease is not None and lease.ends_us <= now_us:
            raise SimInternalError(
                f"the lease on {lease.tab} has ended; ask expire() before take()"
            )
        if lease is not None and lease.owner != wanted.owner:
            if one_holder:
                return None
            lease = None
        trigger = "lock" if lease is None else "renew"
        LOCK.step(FREE if lease is None else HELD, trigger)
        self._held[place] = wanted
        return trigger

    def release(self, node: str, tab: str, identity: str | None, now_us: int) -> Lease | None:
        """Give a lock back; the lease that ended, None when the identity did not hold it.

        The identity None may give back anybody's.
        """
        lease = self.holder(node, tab, now_us)
        if lease is None or identity not in (None, lease.owner):
            return None
        return self._end(lease, "unlock")

    def expire(self, now_us: int) -> list[Lease]:
        """The leases that have ended by now, in the order of their ends; they are told once."""
        ended = [lease for lease in self._held.values() if lease.ends_us <= now_us]
        ended.sort(key=lambda lease: lease.ends_us)
        return [self._end(lease, "expire") for lease in ended]

    def lose_session(self, session: str) -> list[Lease]:
        """Free what a session holds, in the order in which it was taken."""
        held = [lease for lease in self._held.values() if lease.session == session]
        return [self._end(lease, "holder lost") for lease in held]

    def _end(self, lease: Lease, trigger: str) -> Lease:
        LOCK.step(HELD, trigger)
        del self._held[lease.node, lease.tab]
        return lease
