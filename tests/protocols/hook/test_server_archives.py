"""The server twin: session.archive, which nobody acknowledges."""

import pytest

from sim.protocols.hook import Ping, Pong, SessionArchive, TaskDispatch
from tests.protocols.hook.server_play import Play


def renewed(how="", **facts):
    """Alice has said /new in a thread; the connection is dead by then (how), or lives."""
    play = Play(**facts)
    play.connect()
    play.say("a")
    if how:
        play.cut(how=how, wait=0)
    play.say("/new", thread="m1")
    return play, play.got(TaskDispatch)[0].external_key


def archived(play):
    return [a.external_key for a in play.got(SessionArchive)]


def stored(play):
    return [row.key for _, row in play.world.hosts["S"].store.items("archive/")]


def test_an_archive_that_arrived_is_forgotten():
    play, key = renewed()
    assert archived(play) == [key]
    assert len(play.got(Ping)) == 1
    assert stored(play) == []
    play.cut()
    play.connect()
    assert archived(play) == [key]


def test_an_archive_that_was_written_into_a_dying_socket_is_sent_again():
    play, key = renewed("silent")
    assert (archived(play), stored(play)) == ([], [key])
    play.dial()
    play.hello(wait=8)
    assert (archived(play), stored(play)) == ([key], [])


def test_an_archive_of_unknown_fate_outlives_a_crash():
    play, key = renewed("silent")
    play.crash()
    play.restart()
    assert stored(play) == [key]
    play.connect()
    assert (archived(play), stored(play)) == ([key], [])


def test_an_archive_is_kept_until_its_own_ping_is_answered():
    play = Play()
    play.connect()
    play.say("a")
    play.lively = False
    play.run(26)
    assert len(play.got(Ping)) == 1
    play.say("/new", thread="m1")
    assert len(archived(play)) == 1
    assert len(play.got(Ping)) == 2
    for left in (1, 0):
        play.world.act("D", (-1, Pong()))
        play.run(0.5)
        assert len(stored(play)) == left


def test_archives_are_sent_once_per_welcome_while_nothing_is_known():
    play = Play()
    play.lively = False
    play.connect()
    play.say("a")
    play.say("/new", thread="m1")
    play.say("b", thread="m1")
    play.say("/new", thread="m1")
    keys = archived(play)
    assert len(keys) == 2
    play.cut()
    play.connect()
    assert archived(play) == keys * 2
    assert sorted(stored(play)) == sorted(keys)


@pytest.mark.parametrize("pongs", [1, 3])
def test_a_pong_of_nobody_knows_what_changes_nothing(pongs):
    play, key = renewed()
    for _ in range(pongs):
        play.world.act("D", (-1, Pong()))
        play.run(0.5)
    assert (archived(play), stored(play)) == ([key], [])
