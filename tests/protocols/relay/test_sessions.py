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
    assert session.ends_at() == 29_000


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
    session.hear(9_000)
    assert session.ends_at() == 10_000
    session.auth(ALICE, 9_000)
    assert session.ends_at() == 33_000
    session.hear(20_000)
    assert session.ends_at() == 44_000


def test_sessions_end_when_their_time_is_up_in_that_order() -> None:
    sessions = Sessions()
    stranger, peer = Session("s1", 20_000), ready(name="s2")
    sessions.add(stranger)
    sessions.add(peer)
    assert sessions.next_end() == 24_000
    assert sessions.due(23_999) == []
    assert sessions.due(24_000) == [peer]
    assert sessions.due(30_000) == [peer, stranger]
    sessions.end(peer, "silence")
    sessions.end(stranger, "deadline")
    assert sessions.next_end() is None
    assert sessions.get("s2") is None
    with pytest.raises(LocalProtocolError):
        peer.end("close")


def test_a_hello_displaces_nobody_and_an_auth_does() -> None:
    sessions = Sessions()
    old, new = ready(NODE, "s1"), greeted("node", "node_alpha", "s2")
    other = ready(Grant("node", "node_beta"), "s3")
    for one in (old, new, other):
        sessions.add(one)
    assert sessions.node("node_alpha") is old
    assert sessions.displaced_by(new) == []
    new.auth(NODE, 0)
    assert sessions.displaced_by(new) == [old]
    sessions.end(old, "displace")
    assert sessions.node("node_alpha") is new
    assert list(sessions.nodes()) == [new, other]
    assert sessions.displaced_by(other) == []


def test_sessions_of_one_controller_displace_each_other_never() -> None:
    sessions = Sessions()
    one, two = ready(name="s1"), ready(name="s2")
    stranger = greeted(name="s3")
    for each in (one, two, stranger):
        sessions.add(each)
    assert sessions.displaced_by(two) == []
    assert sessions.controllers("ctl_a") == [one, two]
    assert sessions.get("s3") is stranger
    assert sessions.node("ctl_a") is None


def test_a_controller_and_a_node_of_the_same_name_are_two_peers() -> None:
    sessions = Sessions()
    controller, node = ready(name="s1"), ready(Grant("node", "ctl_a"), "s2")
    sessions.add(controller)
    sessions.add(node)
    assert sessions.controllers("ctl_a") == [controller]
    assert sessions.node("ctl_a") is node
    assert sessions.displaced_by(controller) == []


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
