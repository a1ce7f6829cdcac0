"""How the bot behaves in Telegram: fetched, shown, changed (stage 19, section 12)."""

from __future__ import annotations

from sim.core.op import Note
from sim.protocols.hook import (
    HOOK_FEATURE_PROVIDER_BEHAVIOR,
    ProviderBehaviorGet,
    ProviderBehaviorState,
)
from sim.protocols.hook.desktop import asks
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.records import Lane
from sim.protocols.hook.desktop.ties import agreed, binding_of, concerns, neutral_ties


def is_offered(desk: Desk, lane: Lane) -> bool:
    """Whether these frames may be used on the lane at all (HK-124)."""
    if lane.name != "telegram":
        return False
    is_agreed = agreed(desk, lane, HOOK_FEATURE_PROVIDER_BEHAVIOR)
    return is_agreed or not desk.rules.behavior_needs_feature


async def fetch(desk: Desk, lane: Lane) -> None:
    """After each welcome and each confirmation; unknown until it is answered."""
    bound = binding_of(desk, lane)
    if bound is None or not lane.is_ready or not is_offered(desk, lane):
        return
    frame = ProviderBehaviorGet.TYPE
    if any(a.frame == frame and a.about == bound.binding for a in desk.work.asked.values()):
        return
    body = ProviderBehaviorGet(
        request_id=desk.port.new_id(), provider=lane.name, binding_id=bound.binding
    )
    await asks.ask(desk, lane, body, desk.settings.request_timeout_us, bound.binding)


async def told(desk: Desk, lane: Lane, frame: ProviderBehaviorState) -> None:
    """Show the settings, if they are the present binding's (HK-125)."""
    if not is_offered(desk, lane):
        return
    if not concerns(desk, lane, frame.binding_id):
        await asks.settle(desk, frame.reply_to, "rebound")
        return
    asked = asks.take(desk, frame.reply_to)
    if frame.reply_to is not None and asked is None:
        return  # late
    neutral_ties(desk, lane).behavior = frame
    fact = {"what": "behavior", "lane": lane.name, "binding": frame.binding_id}
    await desk.perform(Note("shown", {**fact, "reply_to": frame.reply_to}))
    await asks.tell(desk, asked, "answered")
