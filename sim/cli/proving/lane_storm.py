"""A storm on three lanes: accounts, settings, groups, lists, tools, receipts.

Nobody is bound at first. People sign in through the links that their desktops
show, choose, talk in a group, switch things on and off; both sides may lack
some features. The rest is as in every storm.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from sim.channel.api import Authorize, ChannelFault, Press, Say
from sim.cli.proving.gale import SECOND_US
from sim.cli.proving.storm import PEOPLE, Storm, Weather
from sim.core.event import FrameDelivered, FrameSent
from sim.hosts.slack import Slack
from sim.hosts.telegram import Telegram
from sim.hosts.x import X
from sim.protocols.hook.acts import (
    AgentEnds,
    ChangeFeature,
    ChangeWorkspaces,
    Login,
    Operate,
    Toggle,
)
from sim.protocols.hook.desktop import DesktopConfig
from sim.protocols.hook.desktop.settings import LANE_FEATURES
from sim.protocols.hook.rules import HookRules
from sim.protocols.hook.server import Limits, ServerPlan
from sim.protocols.hook.server.accounts.features import ALL_FEATURES
from sim.protocols.hook.server.accounts.links import secret_of
from sim.world import fault
from sim.world.link import FrameFlight

GROUP = "-1001"
TEAMS = ("T1", "T2")
LINKS = ("bind.update", "provider.bind.update", "provider.bind.state")
COMMANDS = ("/bind", "/model", "/effort", "/session")
OPERATIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("bind.revoke", {}),
    ("bind.revoke", {"teamId": "T1"}),
    ("bind.revoke", {"teamId": "T2"}),
    ("bind.revoke", {"pendingOnly": True}),
    ("provider.bind.cancel", {"provider": "telegram"}),
    ("provider.bind.cancel", {"provider": "x"}),
    ("provider.bind.revoke", {"provider": "telegram"}),
    ("provider.bind.revoke", {"provider": "x"}),
    ("lifecycle.preference", {"enabled": True}),
    ("lifecycle.preference", {"enabled": False}),
)
SETTINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("prefs.get", {}),
    ("prefs.set", {"workspace": "web", "model": "opus"}),
    ("prefs.set", {"workspace": "web", "effort": "low", "teamId": "T1"}),
    ("prefs.set", {"workspace": "chat", "model": None, "teamId": "T2"}),
    ("provider.prefs.get", {"provider": "telegram"}),
    ("provider.prefs.set", {"provider": "telegram", "workspace": "web", "model": "haiku"}),
    ("provider.prefs.set", {"provider": "telegram", "workspace": "web", "effort": "high"}),
    ("provider.prefs.set", {"provider": "x", "workspace": "chat", "model": "new-one"}),
    ("provider.behavior.get", {}),
    ("provider.behavior.set", {}),
    ("provider.behavior.set", {"emojiReactions": "minimal"}),
    ("provider.behavior.set", {"replyQuoteDm": "off"}),
    ("provider.behavior.set", {"replyQuoteGroup": None}),
    ("provider.behavior.set", {"groupActivation": {"chatId": GROUP, "value": "always"}}),
    ("provider.behavior.set", {"groupActivation": {"chatId": "-1002", "value": "always"}}),
    ("provider.behavior.set", {"groupActivation": {"chatId": GROUP, "value": None}}),
    ("tool.request", {"tool": "status"}),
    ("tool.request", {"tool": "dance"}),
    ("tool.request", {"args": {"name": "slack_post_message", "arguments": {"text": "hi"}}}),
    (
        "tool.request",
        {"teamId": "T2", "args": {"name": "slack_post_message", "arguments": {"text": "ho"}}},
    ),
)


class LaneStorm(Storm):
    """One storm on Slack (two workspaces), Telegram and X."""

    CHANNELS: ClassVar[Mapping[str, str]] = {"IM": "slack", "TG": "telegram", "XX": "x"}

    def __init__(
        self, seed: int, *, weather: Weather | None = None, chatty: bool = False, **more: Any
    ) -> None:
        self.chatty = chatty
        chosen = weather or Weather()
        busy = attrs.evolve(chosen, people=450, deeds=3 * chosen.deeds, seconds=chosen.seconds)
        self._links: dict[str, list[tuple[str, str]]] = {}
        super().__init__(seed, weather=busy, **more)
        self.world.watch(FrameSent, self._shows)
        self.world.watch(FrameDelivered, self._arrived)

    def add_channels(self) -> None:
        world = self.world
        slow = (80_000, 250_000)
        quota = 4 if self.draw.below(6) == 0 else None
        world.add_host("IM", "slack", lambda port: Slack(port, "S", teams=("T2",)), latency=slow)
        world.add_host("TG", "telegram", lambda port: Telegram(port, "S", GROUP), latency=slow)
        world.add_host("XX", "x", lambda port: X(port, "S", quota=quota), latency=slow)

    def plan(self, rules: HookRules, restore: bool, features: tuple[str, ...]) -> ServerPlan:
        some = (*ALL_FEATURES, "multi-team", "multi-team", "slack-tools")
        lacks = self.draw.choice(some) if self.draw.below(3) == 0 else ""
        offered = tuple(f for f in ALL_FEATURES if f != lacks)
        sign_in_s = self.draw.choice((5, 600, 600))
        # A desktop with an old server and no account switches Slack off.
        bound = self.draw.below(3) == 0 or lacks == "multi-team"
        lanes = self.CHANNELS.values() if bound else ()
        return ServerPlan(
            channels=self.CHANNELS,
            bindings={(lane, who): f"d-{PEOPLE[who]}" for lane in lanes for who in PEOPLE},
            rules=rules,
            restore_on_close=restore,
            features=offered,
            limits=Limits(
                absent_us=self.weather.absent_s * SECOND_US, sign_in_us=sign_in_s * SECOND_US
            ),
            asks_to_confirm=self.draw.below(5) == 0,
        )

    def config(self, desktop: str, rules: HookRules) -> DesktopConfig:
        lacks: str = ""
        if self.draw.below(4) == 0:
            every = [f for one in LANE_FEATURES.values() for f in one]
            lacks = self.draw.choice([*every, "multi-team", "multi-team"])
        receipts = ("turn-delivery-v1",) if self.draw.below(3) == 0 else ()
        return DesktopConfig(
            f"d-{desktop}",
            workspaces=("chat", "web"),
            rules=rules,
            server="S",
            lanes=tuple(self.CHANNELS.values()),
            features={
                lane: tuple(dict.fromkeys(f for f in (*one, *receipts) if f != lacks))
                for lane, one in LANE_FEATURES.items()
            },
            lifecycle_announcement=self.draw.below(2) == 0,
            default_workspace=self.draw.choice((None, "web")),
            sessions=tuple((f"s-{n}", "chat") for n in range(self.draw.choice((0, 25)))),
        )

    # -- links -------------------------------------------------------------------------

    def _shows(self, event: FrameSent) -> None:
        """Remember the links that desktops are shown, old ones too."""
        if event.frame.type not in LINKS or self.view.said is None:
            return
        body = self.view.said
        url = getattr(body, "authorize_url", None) or getattr(body, "connect_url", None)
        if isinstance(url, str) and url:
            lane = getattr(body, "provider", "slack")
            self._links.setdefault(lane, []).append((event.receiver, secret_of(url)))

    def _arrived(self, event: FrameDelivered) -> None:
        """Whose desktop shows a link opens it soon, mostly."""
        if event.type not in LINKS or self.draw.below(3) == 0:
            return
        body = self.view.arrived
        if body is None or body.state != "pending":
            return
        at = self.world.now + self.draw.below(8 * SECOND_US)
        lane = getattr(body, "provider", "slack")
        self.world.at(at, f"open {event.n}", lambda: self._open(lane))

    def _open(self, lane: str) -> None:
        links = self._links.get(lane)
        if not links:
            return
        if self.draw.below(6):
            desktop, link = links[-1]
        else:
            desktop, link = self.draw.choice(links)
        owners = {desktop: person for person, desktop in PEOPLE.items()}
        person = owners.get(desktop, "Alice")
        if self.draw.below(8) == 0:
            person = self.draw.choice(list(PEOPLE))
        channel = next(host for host, name in self.CHANNELS.items() if name == lane)
        team = self.draw.choice(TEAMS) if lane == "slack" and self.draw.below(2) else ""
        act = Authorize(person, link, team, decline=self.draw.below(10) == 0)
        self.world.act(channel, act)

    # -- what people do ----------------------------------------------------------------

    def _people(self) -> None:
        if self.chatty and self.draw.below(10) < 7:
            self._chat()
            return
        roll = self.draw.below(100)
        person = self.draw.choice(list(PEOPLE))
        desktop = PEOPLE[person]
        self.said += 1
        if roll < 20:
            super()._people()
        elif roll < 40:
            self._start(desktop)
        elif roll < 58:
            channel = self.draw.choice(("TG", "XX"))
            text = self.draw.choice((f"question {self.said}", f"question {self.said}", "/stop"))
            self.world.act(channel, Say(person, text))
        elif roll < 68:
            self._group(person)
        elif roll < 76:
            channel = self.draw.choice(("IM", "TG"))
            self.world.act(channel, Say(person, self.draw.choice(COMMANDS)))
        elif roll < 82:
            self._choose(person)
        elif roll < 94:
            frame, fields = self.draw.choice(SETTINGS)
            self.world.act(desktop, Operate(frame, dict(fields)))
        else:
            frame, fields = self.draw.choice(OPERATIONS)
            self.world.act(desktop, Operate(frame, dict(fields)))

    def _chat(self) -> None:
        """Many threads, and somebody who wants to see their sessions."""
        person = self.draw.choice(list(PEOPLE))
        self.said += 1
        if self.draw.below(5):
            self.world.act(person, Say("", f"thread {self.said}"))
        else:
            self.world.act("TG", Say(person, "/session"))

    def _start(self, desktop: str) -> None:
        """Sign in, where this person is not yet; now and then all the same."""
        lane = self.draw.choice(tuple(self.CHANNELS.values()))
        device = f"d-{desktop}"
        if lane == "slack":
            bound = any(True for _ in self.view.accounts.of_device(device))
            team = self.draw.choice(({}, {"teamId": "T1"}, {"teamId": "T2"}))
            act = Operate("bind.start", dict(team))
        else:
            bound = self.view.accounts.neutral_of(lane, device) is not None
            act = Operate("provider.bind.start", {"provider": lane})
        if not bound or self.draw.below(3) == 0:
            self.world.act(desktop, act)

    def _group(self, person: str) -> None:
        roll = self.draw.below(10)
        links = self._links.get("telegram", [])
        if roll < 5:
            text = f"between us {self.said}."
            self.world.act("TG", Say(person, text, to_bot=False))
        elif roll < 6 and links:
            text = f"look: /start {self.draw.choice(links)[1]}"
            self.world.act("TG", Say(person, text, to_bot=False))
        elif roll < 7:
            self.world.act("TG", Say(person, f"({self.said}) " + "talk " * 900, to_bot=False))
        else:
            self.world.act("TG", Say(person, f"asked in the group {self.said}", chat=GROUP))

    def _choose(self, person: str) -> None:
        """Press a button of a picker, or say the second word."""
        pickers = [
            message
            for message in self.view.history.messages.values()
            if message.role == "card" and message.buttons
        ]
        if pickers and self.draw.below(4):
            message = self.draw.choice(pickers)
            button = self.draw.choice(message.buttons)
            self.world.act(message.channel, Press(person, message.id, button.id))
        else:
            self.world.act("TG", Say(person, "/confirm"))

    def _unruly(self) -> None:
        roll = self.draw.below(100)
        desktop = self.draw.choice(list(PEOPLE.values()))
        if roll < 15:
            aliases = self.draw.choice((("web",), ("docs",), ("web", "docs")))
            default = self.draw.choice((None, "web"))
            self.world.act(desktop, ChangeWorkspaces(aliases, default))
        elif roll < 60:
            super()._unruly()
        elif roll < 75:
            lane = self.draw.choice(tuple(self.CHANNELS.values()))
            self.world.act(desktop, Toggle(self.draw.below(3) != 0, lane))
        elif roll < 80:
            self.world.act(desktop, Login(self.draw.choice(("owner", "other"))))
        else:
            self.world.act("S", ChangeFeature(self.draw.choice(ALL_FEATURES), True))

    def _channel(self) -> None:
        channel = self.draw.choice(("IM", "TG", "TG", "XX"))
        if self.draw.below(5) == 0:
            outcome = self.draw.choice(("repeated", "latency", "reordered"))
            for_us = self.draw.below(4 * SECOND_US) + 1
            self.world.act(channel, ChannelFault("event", outcome, for_us))
            return
        op = self.draw.choice(("post", "post", "edit", "delete", "*"))
        outcome = self.draw.choice(
            ("rate_limited", "server_error", "unknown", "latency", "down", "message_not_found")
        )
        if op in ("post", "*") and outcome == "message_not_found":
            outcome = "server_error"
        for_us = self.draw.below(8 * SECOND_US) + 1
        self.world.act(channel, ChannelFault(op, outcome, for_us, self.draw.below(8) == 0))

    def frame(self) -> None:
        """Results and what is said of them get lost more often than the rest."""
        flying = [
            item
            for link in self.world.links.values()
            for end in link.ends()
            for item in end.flight
            if type(item) is FrameFlight and item.frame.type in ("turn.delivery", "turn.end")
        ]
        if flying:
            fault.lose(self.world, self.draw.choice(flying))
        else:
            super().frame()

    def _finish(self) -> None:
        super()._finish()
        for desktop in PEOPLE.values():
            for request, view in self.view.requests.items():
                if view.acked and not view.ended and view.device == f"d-{desktop}":
                    self._end(desktop, request)

    def _end(self, desktop: str, request: str) -> None:
        self.said += 1
        self.world.act(desktop, AgentEnds(text=f"answer {self.said}", request=request))
