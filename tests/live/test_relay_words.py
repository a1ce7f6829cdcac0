"""Words of relay sessions: tokens, URLs, names."""

from __future__ import annotations

import pytest

from sim.core.errors import UsageError
from sim.live.relay_away import checked_url, crew_text
from sim.live.relay_stage import OpenTokens
from sim.live.roll import payload_of
from sim.protocols.relay.relay.sessions import Grant


@pytest.mark.parametrize(
    "url", ["", "http://127.0.0.1", "ws://", "ws://h:0", "ws://u:p@h", "ws://h/#x", "ws://[::1"]
)
def test_what_is_no_url_of_a_relay_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="give the relay's URL"):
        checked_url(url)


def test_a_crew_has_names_in_order() -> None:
    assert "participant A3 as controller" in crew_text("controller", 3)
    assert "participant N as node" in crew_text("node", 1)


@pytest.mark.parametrize(
    ("token", "grant"),
    [
        ("controller-alice.word", Grant("controller", "alice")),
        ("node-the-laptop.word", Grant("node", "the-laptop")),
        ("drawn", Grant("node", "N")),
        ("controller-alice", None),
        ("controller-alice.wrong", None),
        ("controller-.word", None),
        ("relay-R.word", None),
        ("", None),
    ],
)
def test_a_token_says_whose_it_is(token: str, grant: Grant | None) -> None:
    assert OpenTokens("", "word", {"drawn": Grant("node", "N")}).get(token) == grant


def test_what_a_diagram_says_of_a_token_counts_for_whoever_shows_that_identity() -> None:
    near = Grant("controller", "alice", ("command.*",), ("N",))
    tokens = OpenTokens("", "", {}, {("controller", "alice"): near})
    assert tokens["controller-alice"] == near
    assert tokens["controller-bob"] == Grant("controller", "bob")


def test_a_hello_with_half_a_character_says_who_it_is_all_the_same() -> None:
    hello = '{"messageType": "hello", "x": "\\ud800", "payload": {"role": "node"}}'
    assert payload_of(hello, "messageType", "hello") == {"role": "node"}
    assert payload_of(hello[:-1], "messageType", "hello") == {}
