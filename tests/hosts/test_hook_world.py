"""The server, Slack, a person and the real desktop twin in one world."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from sim.channel.api import ChannelFault, Press, Say
from sim.core.event import FrameDelivered
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
from sim.world import fault
from sim.world.world import World

SECOND_US = 1_000_000


class Stage:
    def __init__(self, seed: int = 1, off: tuple[str, ...] = ()) -> None:
        rules = attrs.evolve(HookRules(), **dict.fromkeys(off, False))
        self.world = world = World(seed)
        self.view = HookView()
        for kind in self.view.kinds:
            world.watch(kind, self.view.on)
        plan = ServerPlan({"IM": "slack"}, {("slack", "U"): "D"}, rules=rules)
        world.add_host("S", "server", server_host(plan))
        world.add_host("IM", "slack", lambda p: Slack(p, "S"), latency=(80_000, 250_000))
        world.add_host("U", "person", lambda p: Person(p, "IM"))
        world.add_host("D", "desktop", desktop_host(DesktopConfig("D", rules=rules)))
        self.driver = StepDriver(world)
        for name in list(world.hosts):
            world.boot(name)
        self.run()

    def run(self, seconds: float = 2) -> None:
        self.driver.run(limit_us=self.world.now + int(seconds * SECOND_US))

    def act(self, who: str, act: Any, seconds: float = 3) -> None:
        self.world.act(who, act)
        self.run(seconds)

    def shows(self, request: str) -> tuple[str, str]:
        message = self.view.message_of(request)
        assert message is not None
        return message.state, message.text

    def cut(self, how: str = "rst") -> None:
        link = self.view.link_of("D")
        assert link is not None
        fault.cut(self.world, self.world.links[link.name], how)


@pytest.mark.parametrize("seed", range(5))
def test_the_sequence_of_section_6_plays_from_question_to_answer(seed):
    stage = Stage(seed)
    stage.act("U", Say("", "fix the build"))
    [request] = stage.view.requests
    stage.act("D", AgentProgresses("reading"))
    assert stage.shows(request)[0] == "WORKING"
    stage.act("D", AgentAsks("permission", "Run tests?"))
    [card] = stage.view.cards
    shown = stage.view.card_of(card)
    assert shown is not None
    assert shown.thread == stage.view.thread_of(request)[2]
    stage.act("U", Press("", shown.id, shown.buttons[0].id))
    assert shown.buttons == ()
    stage.act("D", AgentEnds("ok", "all green", files=(("plot.png", "image/png", "aGk="),)))
    assert stage.shows(request) == ("OK", "all green")
    assert stage.view.message_of(request).files == ("plot.png",)
    frames = [e.type for e in stage.world.events if type(e) is FrameDelivered]
    spoken = [f for f in frames if not f.startswith(("bind.", "lifecycle."))]
    assert spoken[:4] == ["hello", "welcome", "task.dispatch", "task.ack"]
    assert "interaction.decision" in frames


@pytest.mark.parametrize("how", ["rst", "fin", "silent"])
def test_a_task_survives_a_cut_with_redelivery_and_replay(how):
    stage = Stage()
    stage.act("U", Say("", "x"))
    [request] = stage.view.requests
    stage.cut(how)
    stage.run(1)
    stage.act("D", AgentEnds("ok", "done"), seconds=200)
    assert stage.shows(request) == ("OK", "done")
    assert len(stage.view.history.by_about[request]) == 1


def test_a_task_survives_a_crash_of_the_server():
    stage = Stage()
    stage.act("U", Say("", "x"))
    [request] = stage.view.requests
    fault.crash(stage.world, "S")
    stage.run(3)
    stage.act("D", AgentEnds("ok", "done"), seconds=1)
    fault.restart(stage.world, "S")
    stage.run(60)
    assert stage.shows(request) == ("OK", "done")


def retried(off: tuple[str, ...] = ()) -> tuple[Stage, str]:
    stage = Stage(off=off)
    stage.act("U", Say("", "x"))
    [request] = stage.view.requests
    stage.act("D", AgentEnds("error", error="broken"))
    assert stage.shows(request) == ("FAILED", "broken")
    stage.act("D", Retry(), seconds=1)
    stage.act("D", AgentProgresses("again"))
    assert stage.shows(request)[0] == "WORKING"
    return stage, request


def test_a_retry_finishes_in_the_same_message():
    stage, request = retried()
    stage.act("D", AgentEnds("ok", "now"))
    assert stage.shows(request) == ("OK", "now")
    [over] = stage.view.requests[request].rounds
    assert (over.state, over.ended) == ("ENDED", "ok")


@pytest.mark.parametrize(("off", "state"), [((), "INTERRUPTED"), (("close_out",), "WORKING")])
def test_a_retry_whose_connection_breaks_is_closed_out(off, state):
    stage, request = retried(off)
    stage.act("IM", ChannelFault("edit", "latency", 2 * SECOND_US), seconds=0.1)
    stage.cut()
    stage.run(30)
    stage.act("D", AgentEnds("ok", "too late"), seconds=10)
    assert stage.shows(request)[0] == state


def test_the_same_seed_gives_the_same_trace():
    def trace() -> list[str]:
        stage, _ = retried()
        stage.cut()
        stage.run(20)
        return [repr(event) for event in stage.world.events]

    assert trace() == trace()
