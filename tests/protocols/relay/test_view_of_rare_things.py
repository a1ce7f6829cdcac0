"""What oracles must know of things that are rare: removals, ends of tokens, odd manifests."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from sim.protocols.relay.acts import RemoveController
from sim.protocols.relay.catalogue.tale import Tale
from sim.protocols.relay.oracles.oracle import RelayInvariant
from sim.protocols.relay.oracles.sessions import (
    RefreshesRenew,
    SilenceEndsSessions,
    TokensOpenDoors,
)
from sim.protocols.relay.relay.tokens import TokenRow

LIFE_S = 900


def tale(invariant: type[RelayInvariant]) -> Tale:
    told = Tale(invariant)
    told.join("A")
    return told


def texts(told: Tale) -> list[str]:
    return [violation.text for violation in told.finish()]


def renewed(told: Tale, after_s: float) -> Tale:
    """A has renewed its token, and shows the new one on another socket so much later."""
    told.says("A", "refresh", "r", refreshToken="refresh-A")
    told.relay("A", "refresh_ack", "r", accessToken="new")
    told.wait(after_s)
    told.dial("A")
    told.says("A", "hello", "h", role="controller")
    told.relay("A", "hello_ack", "h", accepted=True, heartbeatIntervalMs=8000)
    told.says("A", "auth", "a-A", accessToken="new")
    return told


def test_the_sessions_of_a_removed_controller_end_without_silence() -> None:
    told = tale(SilenceEndsSessions)
    told.join("B")
    told.act("R", RemoveController("ctl_a"))
    told.ends("A", by="R")
    assert texts(told) == []


def test_other_sessions_do_not_end_with_a_removed_controller() -> None:
    told = tale(SilenceEndsSessions)
    told.join("B")
    told.act("R", RemoveController("ctl_a"))
    told.ends("B", by="R")
    assert texts(told) == ["R ends the session of B 0.000 s after its last frame"]


@pytest.mark.parametrize("refused", [True, False])
def test_a_removed_controller_is_to_be_refused(refused: bool) -> None:
    told = tale(TokensOpenDoors)
    told.act("R", RemoveController("ctl_a"))
    told.says("A", "auth", "a-A", accessToken="token-A")
    if refused:
        told.fails("A", "a-A", "invalid_access_token")
    else:
        told.admit("A")
    assert texts(told) == [] if refused else ["R lets A in, though ctl_a was removed"]


@pytest.mark.parametrize("after_s", [LIFE_S - 1, LIFE_S])
def test_the_token_of_a_refresh_is_refused_once_it_has_expired_and_not_before(
    after_s: int,
) -> None:
    told = renewed(tale(TokensOpenDoors), after_s)
    told.fails("A", "a-A", "invalid_access_token")
    early = ["R refuses the good token 'new' of A"]
    assert texts(told) == ([] if after_s == LIFE_S else early)


def test_nobody_is_let_in_with_an_expired_token_of_a_refresh() -> None:
    told = renewed(tale(TokensOpenDoors), LIFE_S)
    told.admit("A")
    assert texts(told) == ["R lets A in with a token that has expired"]


def test_a_token_that_was_told_over_http_is_known_from_what_the_relay_keeps() -> None:
    told = tale(TokensOpenDoors)
    row = TokenRow("controller", "ctl_a", ("*",), None, 1 << 50)
    told.save("R", row, "token/by-http")
    told.says("A", "auth", "a-A", accessToken="by-http")
    told.admit("A")
    assert texts(told) == []


def test_no_token_is_renewed_by_an_expired_refresh_token() -> None:
    told = tale(RefreshesRenew)
    known: Any = told.view.plan.refresh_tokens
    known["refresh-A"] = attrs.evolve(known["refresh-A"], expires_ms=1)
    told.says("A", "refresh", "r", refreshToken="refresh-A")
    told.relay("A", "refresh_ack", "r", accessToken="new")
    assert texts(told) == ["R renews for A by a token that has expired"]


@pytest.mark.parametrize(
    ("stream", "begins"),
    [
        ({"listeners": [{"listener": "chat"}]}, True),
        ({"listeners": []}, True),
        ({"listeners": [{}]}, False),
        ({"listeners": [{"listener": 7}]}, False),
        ({"listeners": "chat"}, False),
        ({}, False),
        ("chat", False),
    ],
)
def test_what_is_no_manifest_begins_no_stream(stream: Any, begins: bool) -> None:
    told = tale(TokensOpenDoors)
    told.join("N")
    told.runs("A", "t", action="command.test", inner={"site": "s", "command": "c"})
    told.ended("A", "t", {"stream": stream}, action="command.test")
    assert ("t" in told.view.book("R").listening.streams) is begins
