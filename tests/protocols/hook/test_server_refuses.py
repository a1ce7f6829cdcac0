"""The server twin: dials with a token that names nobody."""

import pytest

from sim.core.event import ConnectionOpened, ConnectionRefused
from sim.core.op import Dial
from tests.protocols.hook.server_play import Play


def dial(info):
    """How the server answers a dial with this info: the status, 0 for a connection."""
    play = Play()
    actor = play.puppet()
    play.world.start(play.world.hosts["D"], actor.perform(Dial("S", "slack", info)), "dial", -1)
    play.run(1)
    refused = [e.status for e in play.events(ConnectionRefused)]
    return refused[0] if refused else 0 * len(play.events(ConnectionOpened))


@pytest.mark.parametrize(
    "token", ["", "Bearer", "Bearer ", "Bearer  ", "bearer alice", "Basic alice", "alice", None]
)
def test_a_token_that_names_nobody_is_refused_with_401(token):
    assert dial({"authorization": token}) == 401


@pytest.mark.parametrize("info", [{"authorization": "Bearer alice"}, {}, {"puppet": True}, None])
def test_a_token_that_names_somebody_is_taken_and_so_is_none_at_all(info):
    assert dial(info) == 0
