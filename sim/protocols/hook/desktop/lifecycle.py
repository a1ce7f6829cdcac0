"""Whether Slack announces that this device comes and goes (section 14)."""

from __future__ import annotations

from sim.protocols.hook import HOOK_FEATURE_LIFECYCLE_ANNOUNCEMENT, LifecyclePreference
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.records import Lane


def is_offered(desk: Desk, lane: Lane) -> bool:
    """Whether the server takes changes outside of hello (HK-27)."""
    if lane.name != "slack" or not lane.is_ready:
        return False
    has_feature = HOOK_FEATURE_LIFECYCLE_ANNOUNCEMENT in lane.features
    return has_feature or not desk.rules.lifecycle_needs_feature


async def tell(desk: Desk, lane: Lane) -> bool:
    """Send the present value. → False if it should have been sent and could not."""
    if not is_offered(desk, lane):
        return True
    return await desk.send_turn(lane, LifecyclePreference(enabled=desk.lifecycle))


async def welcomed(desk: Desk, lane: Lane) -> bool:
    """After each welcome: the value may have changed since hello (RC-84). → as ``tell``."""
    if not desk.rules.lifecycle_resync:
        return True
    return await tell(desk, lane)
