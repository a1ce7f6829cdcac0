"""The locks that a controller holds, or believes to hold."""

from __future__ import annotations

from typing import Any, Final

from sim.core.op import StartTimer, StopTimer
from sim.protocols.relay.controller import calls
from sim.protocols.relay.controller.desk import Desk
from sim.protocols.relay.controller.records import EVENT, Hold
from sim.protocols.relay.frames.events import LockEvent
from sim.protocols.relay.peer.actor import MS

_LOCKING: Final = ("tab_lock", "tab_unlock")
_TELL_THE_HOLDER: Final = ("lock_acquired", "lock_renewed", "lock_conflict")


async def told(desk: Desk, request: str, kind: str, event: LockEvent, payload: Any) -> None:
    """A lock event: whose the tab is, and until when."""
    key = (event.target_node_id, event.tab_session_id)
    is_own = event.lock_owner_controller_id == desk.identity or not desk.rules.knows_itself
    if kind in _TELL_THE_HOLDER and is_own:
        await _holds(desk, request, key, event.lock_lease_ms)
    elif kind == "lock_released":
        await _lets_go(desk, key, "released")
    elif kind == "lock_expired" and desk.rules.lease_end_is_believed:
        # The event of an earlier lease may cross the request for a new one.
        hold = desk.locks.get(key)
        if hold is not None and hold.request == request:
            await _lets_go(desk, key, "expired")
    call = desk.calls.get(request)
    if call is not None and call.name in _LOCKING:  # a command that met a lock ends by its error
        await calls.end(desk, request, EVENT, payload)


async def _holds(desk: Desk, request: str, key: tuple[str, str], lease_ms: int) -> None:
    """The lease began at the relay some time after it was asked for, so it ends no earlier."""
    call = desk.calls.get(request)
    since_us = desk.port.now_us() if call is None else call.sent_us
    hold = Hold(request, lease_ms, since_us + lease_ms * MS)
    desk.locks[key] = hold
    if desk.rules.lease_end_is_believed:
        left_us = max(0, hold.ends_us - desk.port.now_us())
        await desk.perform(StartTimer("lease", "/".join(key), left_us, background=True))
    await desk.note("lock", node=key[0], tab=key[1], held=True, lease_ms=lease_ms)


async def _lets_go(desk: Desk, key: tuple[str, str], why: str) -> None:
    if desk.locks.pop(key, None) is not None:
        await desk.perform(StopTimer("lease", "/".join(key)))
        await desk.note("lock", node=key[0], tab=key[1], held=False, why=why)


async def lease_over(desk: Desk, name: str) -> None:
    """By the controller's own clock the lease has ended, whether it was told or not."""
    for key, hold in list(desk.locks.items()):
        if "/".join(key) == name and hold.ends_us <= desk.port.now_us():
            await _lets_go(desk, key, "lease over")
