"""Desktop twin: what it makes of 401, of 503, and of having no token."""

from __future__ import annotations

import itertools

import pytest

from sim.core.event import ConnectionRefused, Noted
from sim.protocols.hook.acts import Login
from sim.world import fault
from tests.protocols.hook.desktop_play import Play


def refused(play: Play) -> list[tuple[float, int]]:
    """(second, status) of every refusal."""
    return [(e.at / 1e6, e.status) for e in play.world.events if isinstance(e, ConnectionRefused)]


def offline(*statuses: int, **facts: object) -> tuple[Play, float]:
    """A desktop that has just lost its connection, and what its next dials are answered with."""
    play = Play(**facts)  # type: ignore[arg-type]
    for status in statuses:
        fault.refuse(play.world, "D", "slack", status)
    play.close(1001, "restarting")
    return play, play.world.now / 1e6


def test_a_refused_token_is_renewed_and_tried_at_once() -> None:
    play, _ = offline(401)
    play.pass_time(1.3)
    assert [status for _, status in refused(play)] == [401]
    assert len(play.sockets) == 2
    assert [e.data for e in play.world.events if isinstance(e, Noted) and e.what == "token"] == [
        {"did": "renew", "lane": "slack"}
    ]


def test_a_token_that_is_refused_again_waits_like_any_failure() -> None:
    play, _ = offline(401, 401, 401)
    play.pass_time(8)
    first, second, third = (at for at, _ in refused(play))
    assert second - first < 0.2
    assert third - second > 1.3  # the second pause: 2 s at most, 1.4 s at least
    assert len(play.sockets) == 2


def test_a_welcome_makes_a_new_token_worth_a_try_again() -> None:
    play, _ = offline(401)
    play.pass_time(2)
    assert len(play.sockets) == 2
    fault.refuse(play.world, "D", "slack", 401)
    play.close(1001, "restarting")
    play.pass_time(2)
    assert len(play.sockets) == 3
    assert len(refused(play)) == 2


def test_another_account_has_a_token_of_its_own_to_renew() -> None:
    play, _ = offline(401, 401)
    play.pass_time(1.5)
    assert len(refused(play)) == 2
    fault.refuse(play.world, "D", "slack", 401)
    play.do(Login("bob"), 1)
    assert [status for _, status in refused(play)] == [401, 401, 401]
    assert play.conn.info == {"authorization": "Bearer bob"}


@pytest.mark.parametrize("status", [400, 403, 500, 503])
def test_any_other_status_is_a_failure_with_growing_pauses_and_no_standby(status: int) -> None:
    play, since = offline(*[status] * 3)
    play.pass_time(16)
    times = [since] + [at for at, _ in refused(play)]
    gaps = [b - a for a, b in itertools.pairwise(times)]
    for gap, planned in zip(gaps, (1, 2, 4), strict=True):
        assert 0.7 * planned - 0.1 <= gap <= planned + 0.2
    assert len(play.sockets) == 2


def test_in_standby_a_refused_token_is_renewed_too() -> None:
    play = Play()
    fault.refuse(play.world, "D", "slack", 401)
    play.close(4000, "device already connected")
    play.pass_time(29)
    assert refused(play) == []
    play.pass_time(2)
    assert len(refused(play)) == 1
    assert len(play.sockets) == 2


def test_without_a_token_nobody_dials_until_somebody_signs_in() -> None:
    play = Play()
    play.do(Login(""), 60)
    assert len(play.sockets) == 1
    play.do(Login("bob"), 1)
    assert play.conn.info == {"authorization": "Bearer bob"}
