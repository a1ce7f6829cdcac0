"""Frames that both sides must have agreed to use (§2.6, §3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.core.event import Event, FrameSent, Saved
from sim.core.invariant import Handler
from sim.protocols.hook.constants import (
    HOOK_FEATURE_GROUP_RELAY,
    HOOK_FEATURE_GROUP_RELAY_RECIPIENT,
    HOOK_FEATURE_LIFECYCLE_ANNOUNCEMENT,
    HOOK_FEATURE_MULTI_TEAM,
    HOOK_FEATURE_PROVIDER_BEHAVIOR,
    HOOK_FEATURE_PROVIDER_BIND,
    HOOK_FEATURE_PROVIDER_PREFS,
    HOOK_FEATURE_SESSION_PICKER,
    HOOK_FEATURE_SLACK_TOOLS,
    HOOK_FEATURE_TURN_DELIVERY,
)
from sim.protocols.hook.oracles.oracle import HookInvariant
from sim.protocols.hook.view import HookView
from sim.protocols.hook.view_records import LinkView

Needs = Mapping[str, tuple[str, ...]]

FROM_SERVER: Needs = {
    "turn.delivery": (HOOK_FEATURE_TURN_DELIVERY,),
    "bind.state": (HOOK_FEATURE_MULTI_TEAM,),
    "provider.bind.update": (HOOK_FEATURE_PROVIDER_BIND,),
    "provider.bind.state": (HOOK_FEATURE_PROVIDER_BIND,),
    "provider.prefs.state": (HOOK_FEATURE_PROVIDER_PREFS,),
    "provider.behavior.state": (HOOK_FEATURE_PROVIDER_BEHAVIOR,),
    "group.message": (HOOK_FEATURE_GROUP_RELAY, HOOK_FEATURE_GROUP_RELAY_RECIPIENT),
}
"""What a server may send where hello and welcome both list it."""

FROM_DESKTOP: Needs = {
    "provider.bind.start": (HOOK_FEATURE_PROVIDER_BIND,),
    "provider.bind.cancel": (HOOK_FEATURE_PROVIDER_BIND,),
    "provider.bind.revoke": (HOOK_FEATURE_PROVIDER_BIND,),
    "provider.prefs.get": (HOOK_FEATURE_PROVIDER_PREFS,),
    "provider.prefs.set": (HOOK_FEATURE_PROVIDER_PREFS,),
    "provider.behavior.get": (HOOK_FEATURE_PROVIDER_BEHAVIOR,),
    "provider.behavior.set": (HOOK_FEATURE_PROVIDER_BEHAVIOR,),
}
"""The same for a desktop."""


def provider_of(link: LinkView, body: Any) -> str:
    """The neutral channel of a provider frame; where no lane is known, the one that it names."""
    return link.lane or str(getattr(body, "provider", ""))


class ServerGates(HookInvariant):
    name = "server-sends-what-is-agreed"
    sentence = (
        "A server sends turn.delivery, bind.state, provider frames and group talk only where "
        "hello and welcome both list their feature, and asks for sessions only there."
    )
    from_frames = True
    catalogue = (
        "HK-16", "HK-17", "HK-32", "HK-70", "HK-71", "HK-99", "HK-108", "HK-124", "HK-156",
        "HK-157",
    )  # fmt: skip
    obeyed_by = "server"

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            **{(FrameSent, kind): self._sent for kind in FROM_SERVER},
            (FrameSent, "query.request"): self._asked,
        }

    def _sent(self, event: FrameSent) -> str | None:
        link = self.view.links.get(event.link)
        if link is None or event.sender != link.server:
            return None
        self.exercised += 1
        kind = event.frame.type
        needs = FROM_SERVER[kind]
        if not link.has(*needs):
            return f"{event.sender} sends {kind} on {event.link}, where {needs} is not agreed"
        if kind.startswith("provider."):
            provider = provider_of(link, self.view.said)
            if f"provider:{provider}" not in link.features:
                return f"{event.sender} sends {kind} on {event.link}, but offers no {provider}"
        return None

    def _asked(self, event: FrameSent) -> str | None:
        link = self.view.links.get(event.link)
        body = self.view.said
        if link is None or body is None or body.kind != "sessions":
            return None
        self.exercised += 1
        if link.has(HOOK_FEATURE_SESSION_PICKER):
            return None
        return f"{event.sender} asks for sessions on {event.link}, where nobody offers them"


class OfDesktops(HookInvariant):
    """Looks at frames of desktops whose connection has been welcomed, or not."""

    obeyed_by = "desktop"
    frames: tuple[str, ...] = ()

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, kind): self._sent for kind in self.frames}

    def _sent(self, event: FrameSent) -> str | None:
        link = self.view.links.get(event.link)
        if link is None or event.sender != link.client:
            return None
        self.exercised += 1
        return self.judge(link, event)

    def judge(self, link: LinkView, event: FrameSent) -> str | None:
        """What is wrong with this frame."""
        raise NotImplementedError

    def offered(self, link: LinkView, feature: str) -> bool:
        """Whether the desktop may believe that the server offers this."""
        return feature in link.told_features or feature in link.told_before


class DesktopGates(OfDesktops):
    name = "desktop-sends-what-is-agreed"
    sentence = "A desktop sends provider frames only where hello and welcome both list them."
    from_frames = True
    catalogue = ("HK-16", "HK-17", "HK-32", "HK-124")
    frames = tuple(FROM_DESKTOP)

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        # what a desktop that was changed will say with its next hello
        self._own: dict[str, tuple[str, ...]] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {**super().sorted_handlers(), (Saved, dict): self._changed}

    def _changed(self, event: Saved) -> str | None:
        if event.key == "features":
            self._own[event.host] = tuple(f for one in event.value.values() for f in one)
        return None

    def judge(self, link: LinkView, event: FrameSent) -> str | None:
        kind = event.frame.type
        own = link.said_features + self._own.get(event.sender, ())
        for feature in FROM_DESKTOP[kind]:
            if not self.offered(link, feature) or feature not in own:
                return f"{event.sender} sends {kind} on {event.link}, where it is not agreed"
        provider = provider_of(link, self.view.said)
        if not self.offered(link, f"provider:{provider}"):
            return f"{event.sender} sends {kind} to a server that does not offer {provider}"
        return None


class ToolsNeedTheServer(OfDesktops):
    name = "tools-need-the-server"
    sentence = "A desktop calls a tool only where the welcome offers slack-tools."
    from_frames = True
    catalogue = ("HK-151",)
    frames = ("tool.request",)

    def judge(self, link: LinkView, event: FrameSent) -> str | None:
        if self.offered(link, HOOK_FEATURE_SLACK_TOOLS):
            return None
        return f"{event.sender} calls a tool on {event.link}, whose server offers none"


class PreferenceNeedsTheServer(OfDesktops):
    name = "preference-needs-the-server"
    sentence = "lifecycle.preference goes only to a server that offers it."
    from_frames = True
    catalogue = ("HK-27",)
    frames = ("lifecycle.preference",)

    def judge(self, link: LinkView, event: FrameSent) -> str | None:
        if self.offered(link, HOOK_FEATURE_LIFECYCLE_ANNOUNCEMENT):
            return None
        return f"{event.sender} sends lifecycle.preference to a server that does not know it"


class RevokesFitTheServer(OfDesktops):
    name = "revokes-fit-the-server"
    sentence = (
        "bind.revoke names a team, or a sign-in only, where multi-team is offered; and bind.start "
        "says nothing about who somebody is."
    )
    from_frames = True
    catalogue = ("HK-86", "HK-95")
    frames = ("bind.revoke", "bind.start")

    def judge(self, link: LinkView, event: FrameSent) -> str | None:
        body = self.view.said
        wire = {} if body is None else body.to_wire()
        if wire.get("email"):
            return f"{event.sender} signs somebody in by e-mail"
        if self.offered(link, HOOK_FEATURE_MULTI_TEAM) or not any(wire.values()):
            return None
        return f"{event.sender} sends {event.frame.type} {wire} to a server of single bindings"
