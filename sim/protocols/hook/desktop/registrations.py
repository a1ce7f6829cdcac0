"""Which failed rounds may be continued: in memory only, one per session (HK-191)."""

from __future__ import annotations

from sim.protocols.hook import HOOK_FEATURE_TURN_REOPEN
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.records import Lane, Registration, Session


def is_reopenable(desk: Desk, lane: Lane) -> bool:
    """Whether the lane's server understands turn.reopen, by its last welcome (HK-189)."""
    return HOOK_FEATURE_TURN_REOPEN in lane.features or not desk.rules.reopen_needs_feature


def register(
    desk: Desk, rounds: tuple[str, ...], external_key: str, session: Session, lane: Lane
) -> None:
    """The last of ``rounds`` has failed; the person may continue it."""
    registrations = desk.work.registrations
    registrations.pop(session.id, None)
    now = desk.port.now_us()
    registrations[session.id] = Registration(rounds, external_key, session, lane, now)
    if len(registrations) > desk.settings.reopen_records:
        del registrations[next(iter(registrations))]


def discard(desk: Desk, session: Session) -> None:
    """Something else happens in this session now."""
    desk.work.registrations.pop(session.id, None)


def is_fresh(desk: Desk, registration: Registration) -> bool:
    """Whether its time to live is not over."""
    return desk.port.now_us() - registration.since_us <= desk.settings.reopen_lifetime_us


def find(desk: Desk, request_id: str) -> Registration | None:
    """The fresh registration of a round, or of a round before it; "": the latest one."""
    for registration in reversed(list(desk.work.registrations.values())):
        if not request_id or request_id in registration.rounds:
            return registration if is_fresh(desk, registration) else None
    return None
