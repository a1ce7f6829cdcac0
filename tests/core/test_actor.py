import pytest

from sim.core.actor import Actor
from sim.drivers.step import StepDriver
from sim.world.world import World
from tests.world.play import Play, Word


def test_an_actor_that_overrides_nothing_lives_through_everything():
    play = Play()
    play.world.add_host("D", "node", Actor)
    play.world.boot("D")
    play.host("S")
    end = play.connect("S", "D")
    play.say(end, "hello")
    play.run()
    play.world.act("D", "anything")
    play.world.tell_timer(play.world.hosts["D"], "t", "", 0)
    play.cut("S.a#1")
    play.run()
    assert play.heard("D") == ["hello"]


def test_an_actor_has_no_api_unless_it_says_so():
    world = World()
    world.add_host("D", "node", Actor)
    world.boot("D")
    StepDriver(world).drain()
    host = world.hosts["D"]
    call = host.actor.on_call("S", Word("x"))
    with pytest.raises(LookupError, match="D has no API"):
        call.send(None)
