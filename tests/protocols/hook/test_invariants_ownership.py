"""The oracles of message ownership notice the classic race, and nothing else."""

from __future__ import annotations

import pytest

from sim.core.invariant import Monitor
from sim.protocols.hook.invariants import invariants_for
from tests.protocols.hook.server_play import DELAYS, Play, failed_task

BOTH = frozenset({"server", "desktop"})


def watched(*off: str) -> tuple[Play, Monitor]:
    """A server without some rules, and all oracles of its side."""
    play = Play(off=off)
    monitor = Monitor(invariants_for(play.view, frozenset({"server"})))
    monitor.attach(play.world.watch)
    return play, monitor


def race(play: Play, delay: object, ended: bool) -> None:
    """A close-out that is held up, while the message is reopened (and answered) again."""
    request = failed_task(play)
    play.reopen("K1", request)
    delay(play)  # type: ignore[operator]
    play.connect()
    play.reopen("K2", request)
    if ended:
        play.end("K2", "ok", "the answer")
    play.run(20)


@pytest.mark.parametrize("ended", [False, True])
@pytest.mark.parametrize("delay", DELAYS)
def test_a_late_close_out_breaks_it_when_ownership_is_not_checked(delay, ended):
    play, monitor = watched("ownership_at_write")
    race(play, delay, ended)
    broken = {v.invariant: v for v in monitor.violations}
    violation = broken["close-out-respects-owner"]
    assert "K2" in violation.text
    assert "close-out of K1" in violation.text


@pytest.mark.parametrize("ended", [False, True])
@pytest.mark.parametrize("delay", DELAYS)
def test_it_holds_when_ownership_is_checked(delay, ended):
    play, monitor = watched()
    race(play, delay, ended)
    assert monitor.violations == []
