"""The relay twin: locks, their leases, and what they keep out."""

from __future__ import annotations

from typing import Any

import pytest

from sim.protocols.relay.relay.sessions import Grant
from sim.world.link import FrameFlight
from tests.protocols.relay.relay_play import OPEN, RelayPlay


def test_every_event_of_a_lock_has_the_lease_of_its_holder_by_the_name_that_it_knows() -> None:
    play = RelayPlay()
    play.lock("A", "l1", 400)
    lease = play.last("A")
    granted = play.now_ms() - 10 + 1
    assert lease == {
        "type": "lock_acquired",
        "targetNodeId": "node_n",
        "tabSessionId": "T1",
        "lockOwnerControllerId": "ctl_a",
        "lockLeaseMs": 400,
        "lockExpiresAt": granted + 400,
    }
    play.lock("B", "l2", waitPolicy="wait_with_timeout")
    assert play.got("B") == ["tab_locked l2", "lock_conflict l2"]
    assert play.last("B") == lease | {"type": "lock_conflict"}
    play.lock("A", "l3", 600)
    renewed = play.last("A")
    assert renewed == lease | {
        "type": "lock_renewed",
        "lockLeaseMs": 600,
        "lockExpiresAt": granted + 20 + 600,
    }
    play.unlock("B", "u1")
    assert play.got("B") == ["lock_not_held u1"]
    assert play.last("B")["category"] == "lock_conflict"
    play.unlock("A", "u2")
    assert play.last("A") == renewed | {"type": "lock_released"}
    play.unlock("A", "u3")
    assert play.got("A") == ["lock_acquired l1", "lock_renewed l3", "lock_released u2",
                             "lock_not_held u3"]  # fmt: skip
    play.run(1000)
    assert play.got("A") == []


def test_a_lease_ends_by_itself_and_its_holder_is_told_at_that_time() -> None:
    play = RelayPlay()
    play.lock("A", "l1", 400)
    (_, _), (at, told) = play.timed("A")[-2:]
    play.lock("A", "l2", 300)
    began = play.timed("A")[-1][0]
    play.run(289)
    assert play.got("A") == ["lock_acquired l1", "lock_renewed l2"]
    play.run(4)
    assert play.got("A") == ["lock_expired l2"]
    at, told = play.timed("A")[-1]
    assert at - began == 300_000
    assert told["payload"]["lockLeaseMs"] == 300
    play.run(1000)
    assert play.got("A") == []
    play.lock("B", "l3")
    assert play.got("B") == ["lock_acquired l3"]


@pytest.mark.parametrize(
    ("asked", "granted"), [(None, 30_000), (1, 1), (300_000, 300_000), (999_999, 300_000)]
)
def test_leases_have_a_default_and_an_upper_bound(asked: Any, granted: int) -> None:
    play = RelayPlay()
    play.lock("A", "l", asked, wait=4)
    assert play.frames("A")[2]["payload"]["lockLeaseMs"] == granted


@pytest.mark.parametrize("asked", [0, -1, 1.5, "400", True])
def test_other_leases_are_refused(asked: Any) -> None:
    play = RelayPlay()
    play.lock("A", "l", asked)
    assert play.got("A") == ["invalid_lock_lease l"]


def test_a_lock_keeps_strangers_out_under_either_policy_and_hinders_no_work_before_it() -> None:
    play = RelayPlay()
    play.command("B", "k1")
    play.command("B", "k2")
    play.lock("A", "l", 30_000)
    play.command("B", "k3")
    play.command("B", "k4", waits=False)
    play.command("B", "k5", None, "command.run", inner={"tabSessionId": "T1", "site": "s"})
    play.command("B", "k6", "T2")
    play.command("A", "k7")
    refusals = [f"{told} k{n}" for n in (3, 4, 5) for told in ("tab_locked", "lock_conflict")]
    assert play.got("B") == ["routed k1", "queued k2", *refusals, "routed k6"]
    play.result("k1")
    play.result("k2")
    assert play.got("N") == [f"command k{n}" for n in (1, 6, 2, 7)]


def test_a_lock_of_an_absent_or_forbidden_node_is_refused() -> None:
    play = RelayPlay(tokens={"token-A": Grant("controller", "ctl_a", nodes=("node_n", "node_z"))})
    play.say("A", "tab_lock", "l1", targetNodeId="node_z", tabSessionId="T1")
    play.say("A", "tab_lock", "l2", targetNodeId="node_m", tabSessionId="T1")
    play.say("N", "tab_lock", "l3", targetNodeId="node_n", tabSessionId="T1")
    play.say("A", "tab_lock", "l4", targetNodeId="node_n")
    assert play.got("A") == [
        "node_offline l1",
        "acl_missing_node_grant l2",
        "missing_tab_session l4",
    ]
    assert play.got("N") == ["forbidden_role l3"]


def test_a_lock_ends_with_the_session_that_renewed_it_and_outlives_its_node() -> None:
    play = RelayPlay()
    play.lock("A", "l1", 30_000)
    play.join("A")
    play.lock("A", "l2", 30_000)
    play.cut("A", 0)
    play.cut("N")
    play.join("N")
    play.lock("B", "l3")
    play.cut("A", 1)
    play.lock("B", "l4")
    assert play.got("B") == ["tab_locked l3", "lock_conflict l3", "lock_acquired l4"]


def test_the_end_of_a_lease_kills_no_work_and_lets_nobody_beside_it() -> None:
    play = RelayPlay()
    play.lock("A", "l", 400)
    play.command("A", "k1")
    play.run(400)
    play.lock("B", "l2", 30_000)
    play.command("B", "k2")
    assert play.got("A") == ["lock_acquired l", "routed k1", "lock_expired l"]
    assert play.got("B") == ["lock_acquired l2", "queued k2"]
    play.unlock("A", "u")
    play.result("k1")
    assert play.got("A") == ["lock_not_held u", "result k1"]
    assert play.got("B") == ["routed k2"]


def test_a_request_at_the_very_end_of_a_lease_finds_the_tab_free() -> None:
    play = RelayPlay()
    play.lock("A", "l1", 400)
    play.run(390)
    play.lock("B", "l2", wait=0)
    play.run(3)
    assert play.got("A") == ["lock_acquired l1", "lock_expired l1"]
    assert play.got("B") == ["lock_acquired l2"]


def test_cleanup_is_no_business_of_locks() -> None:
    play = RelayPlay()
    play.command("A", "o", None, OPEN, inner={"url": "u"})
    play.lock("B", "l", 30_000)
    play.cut("A")
    assert "primitive.tab.close_owned ctl_a" in play.got("N")


@pytest.mark.parametrize(
    ("who", "kind", "told"),
    [
        ("B", "tab_lock", ["lock_acquired x"]),
        ("A", "tab_lock", ["lock_expired l", "lock_acquired x"]),
        ("A", "tab_unlock", ["lock_expired l", "lock_not_held x"]),
    ],
)
def test_a_frame_that_is_handled_before_the_timer_of_that_instant_finds_the_lease_ended(
    who: str, kind: str, told: list[str]
) -> None:
    play = RelayPlay()
    play.lock("A", "l", 400)
    play.run(390)
    play.say(who, kind, "x", wait=0, targetNodeId="node_n", tabSessionId="T1")
    (flight,) = [
        choice
        for choice in play.world.enabled()
        if isinstance(choice.item, FrameFlight) and choice.item.end.host == who
    ]
    (timer,) = [c.item for c in play.world.enabled() if c.name == "fire R lease node_n/T1"]
    assert timer is not None
    assert flight.item is not None
    assert flight.item.due == timer.due
    play.got("A")
    play.world.apply(flight)
    play.driver.drain()
    left = [kind for kind, _ in play.world.hosts["R"].timers if kind == "lease"]
    assert len(left) == (kind == "tab_lock")
    play.run(10)
    assert play.got(who) == told
    assert play.got("A") == (["lock_expired l"] if who == "B" else [])
