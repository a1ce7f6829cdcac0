"""Accounts and settings with both twins: what the desktop asks for, the server does."""

from __future__ import annotations

from typing import Any

import pytest

from sim.channel.api import Authorize, Press, Say
from sim.core.event import FrameSent, Noted
from sim.drivers.step import StepDriver
from sim.hosts.desktop import desktop_host
from sim.hosts.server import server_host
from sim.hosts.slack import Slack
from sim.hosts.telegram import Telegram
from sim.hosts.x import X
from sim.protocols.hook import DEFAULT_TELEGRAM_BEHAVIOR, parse_hook_message
from sim.protocols.hook.acts import AgentEnds, Operate
from sim.protocols.hook.desktop import DesktopConfig
from sim.protocols.hook.server import ServerPlan
from sim.protocols.hook.server.accounts.links import secret_of
from sim.protocols.hook.view import HookView
from sim.world.world import World

LANES = {"IM": "slack", "TG": "telegram", "XX": "x"}
GROUP = "-1001"


class Both:
    """D1 and D2 are desktop twins on all three channels; nobody is bound."""

    def __init__(self, seed: int = 1, *, preempt: bool = False) -> None:
        self.world = world = World(seed, preempt=preempt)
        self.driver = StepDriver(world)
        self.view = HookView()
        for kind in self.view.kinds:
            world.watch(kind, self.view.on)
        plan = ServerPlan(channels=LANES, bindings={})
        world.add_host("S", "server", server_host(plan))
        world.add_host("IM", "slack", lambda port: Slack(port, "S", teams=("T2",)))
        world.add_host("TG", "telegram", lambda port: Telegram(port, "S", GROUP))
        world.add_host("XX", "x", lambda port: X(port, "S"))
        for name in ("D1", "D2"):
            lanes = tuple(LANES.values())
            config = DesktopConfig(name, lanes=lanes, workspaces=("chat", "web"))
            world.add_host(name, "desktop", desktop_host(config))
        for name in world.hosts:
            world.boot(name)
        self.run(2)

    def run(self, seconds: float = 2.0) -> None:
        self.driver.run(limit_us=self.world.now + int(seconds * 1_000_000))

    def operate(self, frame: str, host: str = "D1", **fields: Any) -> None:
        self.world.act(host, Operate(frame, fields))
        self.run()

    def says(self, text: str, channel: str, who: str = "Alice", **more: Any) -> None:
        self.world.act(channel, Say(who, text, **more))
        self.run()

    def presses(self, label: str, who: str = "Alice") -> None:
        for message in reversed(self.view.history.messages.values()):
            for button in message.buttons:
                if button.label.startswith(label):
                    self.world.act(message.channel, Press(who, message.id, button.id))
                    self.run()
                    return
        raise AssertionError(label)

    def payloads(self, kind: str, host: str = "") -> list[Any]:
        return [
            e.frame.wire["payload"]
            for e in self.world.events
            if type(e) is FrameSent and e.frame.type == kind and host in (e.receiver, e.sender, "")
        ]

    def notes(self, what: str) -> list[Any]:
        return [e.data for e in self.world.events if type(e) is Noted and e.what == what]

    def bind(self, lane: str, host: str = "D1", who: str = "Alice", **more: Any) -> None:
        """Sign in from the desktop, and open the link that it shows."""
        if lane == "slack":
            self.operate("bind.start", host)
            url = self.payloads("bind.update", host)[-1]["authorizeUrl"]
        else:
            self.operate("provider.bind.start", host, provider=lane)
            url = self.payloads("provider.bind.update", host)[-1]["connectUrl"]
        channel = next(c for c, name in LANES.items() if name == lane)
        self.world.act(channel, Authorize(who, secret_of(url), **more))
        self.run()


@pytest.mark.parametrize("preempt", [False, True])
@pytest.mark.parametrize(("channel", "lane"), LANES.items())
def test_a_link_that_the_desktop_shows_binds_the_account(channel, lane, preempt):
    both = Both(preempt=preempt)
    both.bind(lane)
    both.says("hello", channel)
    [task] = both.payloads("task.dispatch")
    assert task["prompt"] == "hello"
    [ack] = both.payloads("task.ack")
    assert ack["result"] == "accepted"


def test_every_frame_of_both_sides_passes_the_parser():
    """HK-203"""
    both = Both()
    for channel, lane in LANES.items():
        both.bind(lane)
        both.says("hello", channel)
    both.says("lunch?", "TG", to_bot=False)
    both.bind("slack", "D2")
    frames = [e.frame.wire for e in both.world.events if type(e) is FrameSent]
    assert len(frames) > 20
    for wire in frames:
        assert parse_hook_message(wire).ok, wire


def test_a_second_desktop_takes_the_account_over():
    """hook RC-85"""
    both = Both()
    both.bind("slack")
    both.bind("slack", "D2")
    assert both.payloads("bind.state", "D1")[-1]["bindings"] == []
    both.says("hello", "IM")
    assert both.payloads("task.dispatch", "D2")
    assert not both.payloads("task.dispatch", "D1")


def test_settings_that_the_desktop_writes_are_those_of_the_next_task():
    both = Both()
    both.bind("slack")
    both.operate("prefs.set", workspace="chat", model="opus")
    both.bind("telegram")
    both.operate("provider.prefs.set", provider="telegram", workspace="chat", model="haiku")
    both.says("one", "IM")
    both.says("two", "TG")
    models = [task["options"]["model"] for task in both.payloads("task.dispatch")]
    assert models == ["opus", "haiku"]


def test_behaviour_is_fetched_once_bound_and_changed_on_wish():
    both = Both()
    both.bind("telegram")
    state = both.payloads("provider.behavior.state")[-1]
    assert {name: state[name] for name in DEFAULT_TELEGRAM_BEHAVIOR} == DEFAULT_TELEGRAM_BEHAVIOR
    both.operate("provider.behavior.set", provider="telegram", emojiReactions="off")
    assert both.payloads("provider.behavior.state")[-1]["emojiReactions"] == "off"


def test_commands_get_their_lists_from_the_desktop():
    both = Both()
    both.bind("telegram")
    both.says("/bind", "TG")
    both.presses("web")
    both.says("/model", "TG")
    both.presses("Opus")
    both.says("/effort", "TG")
    both.presses("high")
    both.says("one", "TG")
    task = both.payloads("task.dispatch")[-1]
    assert task["workspace"] == "web"
    assert (task["options"]["model"], task["options"]["effort"]) == ("opus", "high")


def test_a_session_is_taken_over():
    both = Both()
    both.bind("telegram")
    both.bind("slack")
    both.says("begin", "IM")
    session = both.payloads("task.ack")[-1]["sessionId"]
    both.world.act("D1", AgentEnds(text="begun"))
    both.run()
    both.says("/session", "TG")
    both.presses(both.payloads("query.response")[-1]["sessions"][0]["title"])
    both.says("go on", "TG")
    assert both.payloads("task.dispatch")[-1]["sessionId"] == session
    assert both.payloads("task.ack")[-1]["sessionId"] == session


def test_a_group_task_gets_what_was_said_and_its_key_is_accepted():
    """hook RC-94"""
    both = Both()
    both.bind("telegram")
    both.says("lunch?", "TG", to_bot=False)
    both.says("the red one", "TG", "Bob", to_bot=False)
    both.says("@bot which?", "TG", chat=GROUP)
    task = both.payloads("task.dispatch")[-1]
    assert task["source"]["triggerMessageId"]
    assert both.payloads("task.ack")[-1]["result"] == "accepted"
    [context] = both.notes("context")
    assert "the red one" in str(context)
    assert "which?" not in str(context)


def test_nobody_is_told_that_a_desktop_comes_or_goes_unless_it_wishes():
    both = Both()
    both.bind("slack")
    both.run(30)
    assert not [m for m in both.view.history.messages.values() if m.role == "notice"]
