import pytest

from sim.core import ambient, op
from sim.world.host import START_MS
from sim.world.world import World
from tests.world.play import Play


def test_outside_a_simulation_time_and_ids_are_real():
    here = ambient.HOST.get()
    assert here is ambient.OUTSIDE
    assert here.now_ms() > START_MS - 365 * 86_400_000
    assert here.new_id() != here.new_frame_id()


def test_while_a_handler_runs_its_own_host_is_the_ambient_one():
    seen = []

    async def look(actor):
        seen.append(ambient.HOST.get())
        await actor.perform(op.Sleep(1))
        seen.append(ambient.HOST.get())

    play = Play()
    host = play.host("D")
    play.tell("D", look)
    play.run()
    assert seen == [host, host]
    assert ambient.HOST.get() is ambient.OUTSIDE


def test_a_handler_that_fails_leaves_the_ambient_host():
    async def fail():
        raise ValueError("no")

    world = World()
    host = world.add_host("D", "node", None)
    host.up = True
    activity = world.start(host, fail(), "fail", -1)
    with pytest.raises(ValueError, match="no") as caught:
        world.advance(*world.ready.popleft())
    assert caught.value.__notes__ == ["in D/fail at step 0"]
    assert ambient.HOST.get() is ambient.OUTSIDE
    activity.drop()
