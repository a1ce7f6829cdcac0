"""A person: hands without a will of their own."""

from __future__ import annotations

from typing import Any

import pytest

from sim.channel.api import Authorize, Done, Press, Remove, Say
from sim.core.actor import Actor
from sim.drivers.step import StepDriver
from sim.hosts.person import Person
from sim.world.world import World


class Heard(Actor):
    __slots__ = ()
    calls: list[tuple[str, str, Any]]

    async def on_call(self, caller: str, request: Any) -> Any:
        type(self).calls.append((self.port.name, caller, request))
        return Done()


@pytest.fixture
def world() -> World:
    Heard.calls = []
    world = World(1)
    world.add_host("IM", "slack", Heard)
    world.add_host("T", "telegram", Heard)
    world.add_host("Alice", "person", lambda port: Person(port, "IM", "T"))
    for name in list(world.hosts):
        world.boot(name)
    return world


def test_acts_are_passed_on_under_the_persons_name(world):
    acts = (Say("", "hi"), Press("", "m1", "y"), Remove("", "m1"), Authorize("", "l"))
    for act in (*acts, Say("Bob", "hi")):
        world.act("Alice", act)
        StepDriver(world).run()
    assert Heard.calls == [
        ("IM", "Alice", Say("Alice", "hi")),
        ("IM", "Alice", Press("Alice", "m1", "y")),
        ("IM", "Alice", Remove("Alice", "m1")),
        ("IM", "Alice", Authorize("Alice", "l")),
        ("IM", "Alice", Say("Bob", "hi")),
    ]


def test_an_act_goes_to_the_channel_that_it_names(world):
    for channel in ("T", "IM", ""):
        world.act("Alice", Say("", "hi", channel=channel))
        StepDriver(world).run()
    assert Heard.calls == [
        ("T", "Alice", Say("Alice", "hi")),
        ("IM", "Alice", Say("Alice", "hi")),
        ("IM", "Alice", Say("Alice", "hi")),
    ]


def test_nobody_writes_where_they_are_not(world):
    world.act("Alice", Say("", "hi", channel="X"))
    with pytest.raises(LookupError, match="Alice is not on X"):
        StepDriver(world).run()


def test_an_act_that_is_no_persons_fails_the_run(world):
    world.act("Alice", object())
    with pytest.raises(LookupError, match="is a person"):
        StepDriver(world).run()
