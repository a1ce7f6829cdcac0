"""turn-delivery-v1: an end is handed over when the server says so (sections 6 and 7).

The server's welcome alone switches this on, for whatever lane; a report is
taken only where the desktop declared the feature too. Until any report about
an end has come it is sent again, after 10 s, 20 s, 40 s and then each minute,
and at each welcome, for 24 hours.
"""

from __future__ import annotations

from sim.core.op import StartTimer, StopTimer
from sim.protocols.hook import HOOK_FEATURE_TURN_DELIVERY, TurnDelivery, TurnEnd
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.ledger import ledger_key, mark_sent, may_replay
from sim.protocols.hook.desktop.records import Lane, LedgerRow, Unaccepted


def is_awaited(desk: Desk, lane: Lane) -> bool:
    """Whether the lane's server will report on ends (HK-41, HK-72)."""
    return HOOK_FEATURE_TURN_DELIVERY in lane.features and desk.rules.await_delivery


async def send(desk: Desk, lane: Lane, key: str, end: TurnEnd) -> None:
    """Send an end, and keep it until the server has taken it over."""
    if lane.unaccepted is None:
        lane.unaccepted = {}
    entry = lane.unaccepted.get(key)
    if entry is None:
        lane.unaccepted[key] = entry = Unaccepted(end)
        if len(lane.unaccepted) > desk.settings.buffered_ends:
            del lane.unaccepted[next(iter(lane.unaccepted))]  # it is still in the ledger
    await _send_again(desk, lane, key, entry)


async def _send_again(desk: Desk, lane: Lane, key: str, entry: Unaccepted) -> None:
    row: LedgerRow | None = desk.port.store.get(key)
    if row is not None and not may_replay(desk, row):
        await _forget(desk, lane, key)
        return
    settings = desk.settings
    after = min(settings.first_replay_us << min(entry.tries, 30), settings.longest_replay_us)
    entry.tries += 1
    if desk.rules.replay_ladder:
        # Before the write, so that a report cannot overtake it. Once it goes
        # by the minute it must not keep a run from settling.
        patient = after == settings.longest_replay_us
        await desk.perform(StartTimer("replay", key, after, background=patient))
        if (lane.unaccepted or {}).get(key) is not entry:
            return  # taken over meanwhile, or another account's
    await desk.send_turn(lane, entry.end)


async def due(desk: Desk, key: str) -> None:
    """No report came in time; while offline that is left to the next welcome."""
    for lane in desk.lanes.values():
        entry = (lane.unaccepted or {}).get(key)
        if entry is not None and lane.is_ready and is_awaited(desk, lane):
            await _send_again(desk, lane, key, entry)


async def resume(desk: Desk, lane: Lane) -> None:
    """A welcome: send everything again that was not taken over (RC-46).

    A server that no longer reports gets it once more, as if it had never been
    written (RC-51).
    """
    waiting = lane.unaccepted
    if not waiting:
        return
    entries = list(waiting.items())
    if is_awaited(desk, lane):
        for key, entry in entries:
            if lane.is_ready and (lane.unaccepted or {}).get(key) is entry:
                entry.tries = 0
                await _send_again(desk, lane, key, entry)
        return
    lane.unaccepted = None
    lane.buffer = [*((key, entry.end) for key, entry in entries), *(lane.buffer or ())]
    for key, _ in entries:
        if key not in (lane.unaccepted or ()):
            await desk.perform(StopTimer("replay", key))


async def _forget(desk: Desk, lane: Lane, key: str) -> None:
    if lane.unaccepted is not None:
        lane.unaccepted.pop(key, None)
        if not lane.unaccepted:
            lane.unaccepted = None
    await desk.perform(StopTimer("replay", key))


async def reported(desk: Desk, lane: Lane, report: TurnDelivery) -> None:
    """turn.delivery: whatever it says, the result is in the server's hands now."""
    feature = HOOK_FEATURE_TURN_DELIVERY
    if feature not in lane.features or feature not in desk.features.get(lane.name, ()):
        return
    key = ledger_key(desk, lane, report.request_id)
    if key in (lane.unaccepted or ()):
        await _forget(desk, lane, key)
    if desk.is_busy:
        await mark_sent(desk, key)
