"""What a server offers on which lane, and what it may change while it runs (HK-16 … HK-18)."""

from __future__ import annotations

from collections.abc import Mapping

from sim.protocols.hook.constants import (
    HOOK_FEATURE_GROUP_RELAY,
    HOOK_FEATURE_GROUP_RELAY_RECIPIENT,
    HOOK_FEATURE_LIFECYCLE_ANNOUNCEMENT,
    HOOK_FEATURE_MULTI_TEAM,
    HOOK_FEATURE_PROVIDER_BEHAVIOR,
    HOOK_FEATURE_PROVIDER_BIND,
    HOOK_FEATURE_PROVIDER_PREFS,
    HOOK_FEATURE_PROVIDER_TELEGRAM,
    HOOK_FEATURE_PROVIDER_X,
    HOOK_FEATURE_SESSION_PICKER,
    HOOK_FEATURE_SLACK_TOOLS,
    HOOK_FEATURE_TURN_DELIVERY,
    HOOK_FEATURE_TURN_REOPEN,
)

NEUTRAL_LANES = ("telegram", "x")
"""Lanes that are bound by ``provider.bind.*``; all others are Slack's."""

_NEUTRAL = (HOOK_FEATURE_PROVIDER_BIND, HOOK_FEATURE_PROVIDER_PREFS, HOOK_FEATURE_SESSION_PICKER)

_ELSEWHERE: Mapping[str, tuple[str, ...]] = {
    "slack": (
        *_NEUTRAL,
        HOOK_FEATURE_PROVIDER_TELEGRAM,
        HOOK_FEATURE_PROVIDER_X,
        HOOK_FEATURE_PROVIDER_BEHAVIOR,
        HOOK_FEATURE_GROUP_RELAY,
        HOOK_FEATURE_GROUP_RELAY_RECIPIENT,
    ),
    "telegram": (
        HOOK_FEATURE_PROVIDER_X,
        HOOK_FEATURE_SLACK_TOOLS,
        HOOK_FEATURE_MULTI_TEAM,
        HOOK_FEATURE_LIFECYCLE_ANNOUNCEMENT,
    ),
    "x": (
        HOOK_FEATURE_PROVIDER_TELEGRAM,
        HOOK_FEATURE_PROVIDER_BEHAVIOR,
        HOOK_FEATURE_GROUP_RELAY,
        HOOK_FEATURE_GROUP_RELAY_RECIPIENT,
        HOOK_FEATURE_SLACK_TOOLS,
        HOOK_FEATURE_MULTI_TEAM,
        HOOK_FEATURE_LIFECYCLE_ANNOUNCEMENT,
    ),
}
"""What a lane has no use for; names that nobody knows yet are offered everywhere."""

ALL_FEATURES: tuple[str, ...] = (
    HOOK_FEATURE_TURN_REOPEN,
    HOOK_FEATURE_TURN_DELIVERY,
    HOOK_FEATURE_SLACK_TOOLS,
    HOOK_FEATURE_MULTI_TEAM,
    HOOK_FEATURE_LIFECYCLE_ANNOUNCEMENT,
    *_NEUTRAL,
    HOOK_FEATURE_PROVIDER_TELEGRAM,
    HOOK_FEATURE_PROVIDER_X,
    HOOK_FEATURE_PROVIDER_BEHAVIOR,
    HOOK_FEATURE_GROUP_RELAY,
    HOOK_FEATURE_GROUP_RELAY_RECIPIENT,
)
"""Everything that the server's twin implements."""


class Offer:
    """The features of one life of a server; each welcome lists its lane's part of them."""

    __slots__ = ("_by_lane", "features")

    def __init__(self, features: tuple[str, ...]) -> None:
        self.features = features
        self._by_lane: dict[str, tuple[str, ...]] = {}

    def on(self, lane: str) -> tuple[str, ...]:
        """What a welcome on this lane lists; one tuple for all its sockets."""
        offered = self._by_lane.get(lane)
        if offered is None:
            useless = _ELSEWHERE.get(lane, ())
            offered = tuple(f for f in self.features if f not in useless)
            self._by_lane[lane] = offered
        return offered

    def change(self, feature: str, on: bool) -> None:
        """From the next welcome on the server offers this feature, or no longer."""
        rest = tuple(f for f in self.features if f != feature)
        self.features = (*rest, feature) if on else rest
        self._by_lane.clear()
