"""Both twins together: what a reader of Slack sees of a desktop's work."""

from __future__ import annotations

from typing import Any

import attrs

from sim.channel.api import Press, Say
from sim.drivers.step import StepDriver
from sim.hosts.desktop import desktop_host
from sim.hosts.person import Person
from sim.hosts.server import server_host
from sim.hosts.slack import Slack
from sim.protocols.hook.acts import AgentAsks, AgentEnds, AgentProgresses, Retry
from sim.protocols.hook.desktop import DesktopConfig
from sim.protocols.hook.rules import HookRules
from sim.protocols.hook.server import ServerPlan
from sim.protocols.hook.view import HookView
from sim.world.fault import crash, cut
from sim.world.world import World

SECOND_US = 1_000_000
FAILS = AgentEnds(status="error", error="boom")


class Stage:
    """Alice, Slack, a server and a desktop."""

    def __init__(self, *rules_off: str) -> None:
        rules = attrs.evolve(HookRules(), **dict.fromkeys(rules_off, False))
        self.world = World(3)
        self.driver = StepDriver(self.world)
        self.view = HookView()
        for kind in self.view.kinds:
            self.world.watch(kind, self.view.on)
        plan = ServerPlan(
            channels={"IM": "slack"}, bindings={("slack", "Alice"): "d-1"}, rules=rules
        )
        config = DesktopConfig("d-1", rules=rules)
        self.world.add_host("IM", "slack", lambda port: Slack(port, "S"), latency=(80_000, 90_000))
        self.world.add_host("Alice", "person", lambda port: Person(port, "IM"))
        self.world.add_host("S", "server", server_host(plan))
        self.world.add_host("D", "desktop", desktop_host(config))
        for name in list(self.world.hosts):
            self.world.boot(name)
        self.pass_time(1)

    def pass_time(self, seconds: float) -> None:
        self.driver.run(limit_us=self.world.now + int(seconds * SECOND_US))

    def say(self, text: str, thread: str | None = None) -> str:
        self.world.act("Alice", Say("", text, thread))
        self.pass_time(1)
        return next(reversed(self.view.requests))

    def do(self, act: Any, seconds: float = 2) -> None:
        self.world.act("D", act)
        self.pass_time(seconds)

    def cut(self, how: str = "rst", seconds: float = 3) -> None:
        link = next(link for link in self.world.links.values() if link.is_open)
        cut(self.world, link, how)
        self.pass_time(seconds)

    def shows(self, request: str) -> tuple[str, str]:
        message = self.view.history.about(request)
        assert message is not None
        return message.state, message.text


def test_a_message_is_answered() -> None:
    stage = Stage()
    request = stage.say("hello")
    stage.do(AgentProgresses("working"))
    assert stage.shows(request) == ("WORKING", "working")
    stage.do(AgentEnds(text="done"))
    assert stage.shows(request) == ("OK", "done")


def test_a_retry_on_the_desktop_brings_the_message_back_to_life() -> None:
    stage = Stage()
    request = stage.say("hello")
    stage.do(FAILS)
    assert stage.shows(request)[0] == "FAILED"
    stage.do(Retry())
    assert stage.shows(request)[0] == "FAILED"
    stage.do(AgentProgresses("again"))
    assert stage.shows(request) == ("WORKING", "again")
    stage.do(AgentEnds(text="done"))
    assert stage.shows(request) == ("OK", "done")


def test_a_disconnect_during_a_continuation_is_final() -> None:
    stage = Stage()
    request = stage.say("hello")
    stage.do(FAILS)
    stage.do(Retry())
    stage.do(AgentProgresses("again"))
    stage.cut()
    assert stage.shows(request)[0] in ("INTERRUPTED", "FAILED")
    stage.do(AgentEnds(text="done"))
    assert stage.shows(request)[0] in ("INTERRUPTED", "FAILED")


def test_a_result_that_was_lost_in_a_dying_socket_comes_with_the_redelivery() -> None:
    stage = Stage()
    request = stage.say("hello")
    stage.world.act("D", AgentEnds(text="done"))
    stage.driver.drain()
    stage.cut("rst", 5)
    assert stage.shows(request) == ("OK", "done")


def test_a_desktop_that_dies_in_mid_task_runs_it_again() -> None:
    stage = Stage()
    request = stage.say("hello")
    crash(stage.world, "D")
    stage.world.boot("D")
    stage.pass_time(10)
    stage.do(AgentEnds(text="done"))
    assert stage.shows(request) == ("OK", "done")


def test_a_card_is_pressed() -> None:
    stage = Stage()
    stage.say("hello")
    stage.do(AgentAsks())
    card = next(iter(stage.view.cards))
    message = stage.view.card_of(card)
    assert message is not None
    stage.world.act("Alice", Press("", message.id, message.buttons[0].id))
    stage.pass_time(2)
    desktop: Any = stage.world.hosts["D"].actor
    assert not desktop.work.cards


def test_an_end_that_came_before_its_reopen_is_lost() -> None:
    stage = Stage("reopen_before_progress")
    request = stage.say("hello")
    stage.do(FAILS)
    stage.do(Retry())
    stage.do(AgentEnds(text="done"), 60)
    # This server refuses a reopen whose end it has dropped; another would show WORKING.
    assert stage.shows(request)[0] == "FAILED"
