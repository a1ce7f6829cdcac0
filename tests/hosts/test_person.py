"""A person: hands without a will of their own."""

from __future__ import annotations

from typing import Any

import pytest

from sim.channel.api import Done, Press, Remove, Say
from sim.core.actor import Actor
from sim.drivers.step import StepDriver
from sim.hosts.person import Person
from sim.world.world import World


class Channel(Actor):
    __slots__ = ()
    heard: list[tuple[str, Any]]

    async def on_call(self, caller: str, request: Any) -> Any:
        type(self).heard.append((caller, request))
        return Done()


@pytest.fixture
def world() -> World:
    Channel.heard = []
    world = World(1)
    world.add_host("IM", "slack", Channel)
    world.add_host("Alice", "person", lambda port: Person(port, "IM"))
    for name in list(world.hosts):
        world.boot(name)
    return world


def test_acts_are_passed_on_under_the_persons_name(world):
    for act in (Say("", "hi"), Press("", "m1", "y"), Remove("", "m1"), Say("Bob", "hi")):
        world.act("Alice", act)
        StepDriver(world).run()
    assert Channel.heard == [
        ("Alice", Say("Alice", "hi")),
        ("Alice", Press("Alice", "m1", "y")),
        ("Alice", Remove("Alice", "m1")),
        ("Alice", Say("Bob", "hi")),
    ]


def test_an_act_that_is_no_persons_fails_the_run(world):
    world.act("Alice", object())
    with pytest.raises(LookupError, match="is a person"):
        StepDriver(world).run()
