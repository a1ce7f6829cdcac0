"""The server twin: hellos on one socket that name one device after the other, under many schedules.

A hello that names another device leaves a place, which takes its time; the next
hello may come meanwhile. The last one counts, whole and for one device only.
"""

from __future__ import annotations

import pytest

from sim.protocols.hook import Hello, Pong, TurnProgress
from tests.protocols.hook.test_books import audit
from tests.protocols.hook.test_server_schedules import Schedule

FIRST = "D.slack#1"


def changing(seed: int) -> tuple[Schedule, str]:
    """A desktop says hello in several names, while handlers are interrupted. → its last name."""
    schedule = Schedule(seed, ())
    play, world = schedule.play, schedule.world
    world.preempt = False
    play.connect()
    play.connect("D2")
    for number in range(4):  # rounds that the first change of names has to tear
        request = play.say("x")
        play.ack(request)
        play.end(request, "error")
        play.reopen(f"K{number}", request)
    play.ack(play.say("y"))
    world.preempt = True
    name = "D"
    for _ in range(schedule.draw(3, 6)):
        name = ("D", "D2", "D3")[schedule.draw(0, 2)]
        hello = Hello(
            protocol_version=1,
            device_id=name,
            device_name=name,
            workspaces=("chat",),
            agents=("a",),
        )
        schedule.say(hello, 0)
        if schedule.chance(50):
            schedule.say(TurnProgress(request_id="K1", text="p"), 0)
        if schedule.chance(30):
            world.act("D2", (-1, Pong()))
            schedule.wander(6)
    for _ in range(120):  # what is near first, so that one hello reaches the next
        near = list(schedule.choices())[:4]
        if near:
            world.apply(near[schedule.draw(0, len(near) - 1)])
    world.preempt = False
    play.run(20)
    return schedule, name


@pytest.mark.parametrize("first", range(0, 100, 25))
def test_the_last_name_counts_and_no_other_place_is_held(first: int) -> None:
    """HK-50, hook RC-75, RC-76"""
    for seed in range(first, first + 25):
        schedule, last = changing(seed)
        play = schedule.play
        desks = play.world.hosts["S"].actor.memory.desks.values()
        assert [d.device for d in desks if d.socket is not None and d.socket.desk is not d] == []
        assert [d.device for d in desks if d.rival is not None] == []
        mine = [d.device for d in desks if d.socket and d.socket.conn.name == FIRST]
        # That name may be the second desktop's, which is there and answers the probe.
        refused = (FIRST, 4000, "device already connected") in play.closed
        assert (seed, mine) == (seed, [] if refused else [last])
        assert audit(play.world) == []
