"""What a command-line controller asks a relay over HTTP, as calls in a world."""

import pytest

from sim.core.http import HttpRequest
from sim.protocols.relay.acts import RemoveController
from sim.protocols.relay.relay.sessions import Grant
from tests.protocols.relay.relay_play import RelayPlay

NODES = "/api/nodes/connected"
REFRESH = "/api/auth/refresh"


def asked(play, method, path, body=None, token=""):
    """The response to a request at the relay."""
    headers = (("authorization", f"Bearer {token}"),) if token else ()
    request = HttpRequest(method, path, body=body, headers=headers)
    answers = []

    async def ask():
        answers.append(await play.relay.on_call("web", request))

    play.world.start(play.world.hosts["R"], ask(), "ask", -1)
    play.run(5)
    return answers[0]


def test_the_connected_nodes_are_those_that_have_shown_a_token():
    play = RelayPlay(ready="AN")
    play.dial("M")
    assert asked(play, "GET", NODES, token="token-A").body == {"nodes": [{"nodeId": "node_n"}]}
    play.cut("N")
    assert asked(play, "GET", NODES, token="token-A").body == {"nodes": []}


def test_a_grant_shows_only_the_nodes_that_it_reaches():
    play = RelayPlay(tokens={"few": Grant("controller", "ctl_f", nodes=("node_m",))}, ready="NM")
    assert asked(play, "GET", NODES, token="few").body == {"nodes": [{"nodeId": "node_m"}]}


@pytest.mark.parametrize(
    ("token", "code"), [("", "missing_access_token"), ("stranger", "invalid_access_token")]
)
def test_who_shows_no_good_token_learns_of_no_node(token, code):
    response = asked(RelayPlay(), "GET", NODES, token=token)
    assert (response.status, response.body["error"]) == (401, code)


def test_a_refresh_gives_a_token_that_is_good_for_the_next_auth():
    play = RelayPlay(refresh={"again": Grant("controller", "ctl_a")})
    response = asked(play, "POST", REFRESH, {"refreshToken": "again"})
    assert response.status == 200
    assert response.body["refreshToken"] == "again"
    token = response.body["accessToken"]
    assert asked(play, "GET", NODES, token=token).status == 200


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"refreshToken": "unknown"}, 401, "invalid_refresh_token"),
        ({"refreshToken": "token-A"}, 401, "invalid_refresh_token"),
        ({"refreshToken": 7}, 400, "missing_refresh_token"),
        ({}, 400, "missing_refresh_token"),
        (None, 400, "missing_refresh_token"),
        (["refreshToken"], 400, "missing_refresh_token"),
    ],
)
def test_a_refresh_with_anything_else_is_refused(body, status, code):
    response = asked(RelayPlay(), "POST", REFRESH, body)
    assert (response.status, response.body["error"]) == (status, code)


def test_a_refresh_token_of_a_removed_controller_is_good_for_nothing():
    play = RelayPlay(refresh={"again": Grant("controller", "ctl_a")})
    play.world.act("R", RemoveController("ctl_a"))
    play.run(5)
    assert asked(play, "POST", REFRESH, {"refreshToken": "again"}).status == 401
    assert asked(play, "GET", NODES, token="token-A").status == 401


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("POST", NODES, 405), ("GET", REFRESH, 405), ("GET", "/api/pairing/pending", 404)],
)
def test_other_paths_and_methods_are_told_so(method, path, status):
    assert asked(RelayPlay(), method, path).status == status


def test_a_relay_has_no_other_api():
    play = RelayPlay()
    with pytest.raises(LookupError, match="R has no API for 'x' from web"):
        play.relay.on_call("web", "x").send(None)
