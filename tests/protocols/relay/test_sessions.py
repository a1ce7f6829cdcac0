"""Who is at the other end: hello, tokens, signs of life, and which socket is the node."""

from __future__ import annotations

import pytest

from sim.core.errors import LocalProtocolError
from sim.protocols.relay import machine
from sim.protocols.relay.relay.sessions import Grant, Session, Sessions

ALICE = Grant("controller", "ctl_a")
NODE = Grant("node", "node_alpha")


def greeted(role: str = "controller", node: str = "", name: str = "s1") -> Session:
    session = Session(name, 0)
    assert session.hello(role, node) is None
    return session


def ready(grant: Grant = ALICE, name: str = "s1") -> Session:
    session = greeted(grant.role, name=name)
    assert session.auth(grant, 0) is None
    return session


def test_hello_comes_before_auth_and_both_before_anything_else() -> None:
    session = Session("s1", 0)
    assert session.auth(ALICE, 0) == "not_initialized"
    assert not session.is_ready
    assert session.hello("controller") is None
    assert not session.is_ready
    assert session.auth(ALICE, 0) is None
    assert (session.is_ready, session.identity, session.grant) == (True, "ctl_a", ALICE)


def test_before_auth_a_second_hello_counts_and_afterwards_it_is_refused() -> None:
    session = greeted("controller")
    assert session.hello("node", "n") is None
    assert (session.role, session.greeted_node) == ("node", "n")
    session = ready()
    assert session.hello("node", "n") == "invalid_hello"
    assert (session.role, session.identity, session.is_ready) == ("controller", "ctl_a", True)


TOKENS: list[tuple[Session, Grant | None, str | None]] = [
    (greeted(), None, "invalid_access_token"),
    (greeted(), Grant("controller", "c", expires_ms=99), "invalid_access_token"),
    (greeted(), Grant("controller", "c", expires_ms=100), "invalid_access_token"),
    (greeted(), Grant("controller", "c", expires_ms=101), None),
    (greeted(), NODE, "role_mismatch"),
    (greeted("node"), ALICE, "role_mismatch"),
    (greeted("node", "node_alpha"), NODE, None),
    (greeted("node"), NODE, None),
    (greeted("node", "node_beta"), NODE, "node_mismatch"),
    (greeted("node", "node_beta"), Grant("node", ""), None),
    (greeted("node"), Grant("node", ""), "missing_node_id"),
]


@pytest.mark.parametrize(("session", "grant", "code"), TOKENS)
def test_a_token_is_good_for_its_role_and_its_identity(
    session: Session, grant: Grant | None, code: str | None
) -> None:
    assert session.auth(grant, 100) == code
    assert session.is_ready is (code is None)


def test_a_node_may_be_named_by_its_hello_alone_or_by_its_token_alone() -> None:
    by_token, by_hello = greeted("node"), greeted("node", "node_beta")
    by_token.auth(NODE, 0)
    by_hello.auth(Grant("node", ""), 0)
    assert (by_token.identity, by_hello.identity) == ("node_alpha", "node_beta")


@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        (ALICE, Grant("controller", "ctl_a", scopes=("command.run",)), None),
        (ALICE, Grant("controller", "ctl_b"), "identity_mismatch"),
        (ALICE, NODE, "role_mismatch"),
        (ALICE, None, "invalid_access_token"),
        (NODE, Grant("node", "node_beta"), "node_mismatch"),
    ],
)
def test_a_second_token_must_name_the_same_peer_or_changes_nothing(
    first: Grant, second: Grant | None, code: str | None
) -> None:
    session = ready(first)
    assert session.auth(second, 0) == code
    assert session.is_ready
    assert session.grant == (first if code else second)
    assert session.identity == first.identity


def test_a_session_outlives_its_token() -> None:
    session = greeted()
    session.auth(Grant("controller", "c", expires_ms=10), 0)
    session.hear(5000)
    assert session.is_ready
    assert session.ends_at() == 24_005_000


@pytest.mark.parametrize(
    ("scopes", "action", "allowed"),
    [
        (("*",), "system.shutdown", True),
        (("command.run",), "command.run", True),
        (("command.run",), "command.runner", False),
        (("primitive.tab.*",), "primitive.tab.open", True),
        (("primitive.tab.*",), "primitive.tabs", False),
        (("primitive.tab.*",), "primitive.tab", False),
        (("primitive.t*",), "primitive.tab.open", False),
        (("command.list", "command.*"), "command.test", True),
        ((), "command.run", False),
        (("command.run",), "", False),
    ],
)
def test_a_scope_covers_an_action_exactly_by_prefix_or_altogether(
    scopes: tuple[str, ...], action: str, allowed: bool
) -> None:
    assert Grant("controller", "c", scopes).allows(action) is allowed


def test_a_token_lists_the_nodes_it_may_reach_or_reaches_all() -> None:
    assert ALICE.reaches("anything")
    one = Grant("controller", "c", nodes=("n1",))
    assert one.reaches("n1")
    assert not one.reaches("n2")
    assert not Grant("controller", "c", nodes=()).reaches("n1")


def test_a_stranger_has_10_seconds_and_a_peer_24_from_its_last_frame() -> None:
    session = greeted()
    session.hear(9_000_000)
    assert session.ends_at() == 10_000_000
    session.auth(ALICE, 9_000)
    assert session.ends_at() == 33_000_000
    session.hear(20_000_001)
    assert session.ends_at() == 44_000_001


def test_a_session_that_has_ended_never_comes_back() -> None:
    sessions = Sessions()
    peer = ready(name="s2")
    sessions.add(peer)
    sessions.end(peer, "silence")
    assert sessions.get("s2") is None
    assert sessions.all() == []
    with pytest.raises(LocalProtocolError):
        peer.end("close")


def test_a_node_is_whoever_took_its_seat_last_and_its_older_session_gives_up_nothing() -> None:
    sessions = Sessions()
    old, new = ready(NODE, "s1"), ready(NODE, "s2")
    other = ready(Grant("node", "node_beta"), "s3")
    for one in (old, new, other):
        sessions.add(one)
    assert sessions.node("node_alpha") is None
    assert sessions.seat(old) is None
    assert sessions.seat(other) is None
    assert sessions.seat(new) is old
    assert sessions.node("node_alpha") is new
    sessions.end(old, "displace")
    assert sessions.node("node_alpha") is new
    assert sessions.nodes() == [other, new]
    sessions.end(new, "close")
    assert sessions.node("node_alpha") is None


def test_a_controller_and_a_node_of_the_same_name_are_two_peers() -> None:
    sessions = Sessions()
    one, two, node = ready(name="s1"), ready(name="s2"), ready(Grant("node", "ctl_a"), "s3")
    stranger = greeted(name="s4")
    for each in (one, two, node, stranger):
        sessions.add(each)
    sessions.seat(node)
    assert sessions.controllers("ctl_a") == [one, two]
    assert sessions.node("ctl_a") is node
    sessions.end(one, "close")
    assert sessions.node("ctl_a") is node


def test_the_rate_limit_counts_by_the_minute_and_is_off_unless_asked_for() -> None:
    session = ready()
    assert all(session.may_send(1, None) for _ in range(1000))
    assert [session.may_send(n, 2) for n in (5, 6, 7)] == [True, True, False]
    assert not session.may_send(60_000_004, 2)
    assert session.may_send(60_000_005, 2)


def test_every_row_of_the_table_of_sessions_is_used() -> None:
    used: dict[tuple[str, str], None] = {}
    machine.SESSION.used = used
    try:
        for end in ("deadline", "close"):
            Session("s", 0).end(end)
            greeted().end(end)
        greeted().hello("controller")
        for end in ("close", "silence", "displace"):
            session = ready()
            session.auth(ALICE, 0)
            session.end(end)
    finally:
        machine.SESSION.used = None
    assert [row for row in machine.SESSION.rows() if row not in used] == []
