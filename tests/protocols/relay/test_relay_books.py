"""Locks with leases, nonces and the time window, and who owns tabs where."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from sim.core.errors import SimInternalError
from sim.protocols.relay import machine
from sim.protocols.relay.relay.locks import Lease, Locks, granted_lease_ms
from sim.protocols.relay.relay.owners import Owners
from sim.protocols.relay.relay.replay import Nonces, is_in_window


def lease(by: str = "A", now: int = 0, lasts: int = 100, tab: str = "T1", via: str = "") -> Lease:
    return Lease("N", tab, by, via or f"{by}#1", f"lock-{by}", lasts, now + lasts, now + lasts)


def test_a_lease_is_30_seconds_unless_asked_for_and_5_minutes_at_most() -> None:
    assert granted_lease_ms(None) == 30_000
    assert granted_lease_ms(1) == 1
    assert granted_lease_ms(300_000) == granted_lease_ms(300_001) == granted_lease_ms(1e300)
    assert granted_lease_ms(300_000) == 300_000
    assert isinstance(granted_lease_ms(5.0), int)


def test_one_identity_holds_a_tab_and_others_are_shut_out_until_the_very_end() -> None:
    locks = Locks()
    mine = lease("A")
    assert locks.take(mine, 0) == "lock"
    assert locks.take(lease("B", 50), 50) is None
    assert locks.take(lease("B", tab="T2"), 50) == "lock"
    assert locks.stranger("N", "T1", "B", 99) is mine
    assert locks.stranger("N", "T1", "A", 99) is None
    assert locks.stranger("N", "T1", "B", 100) is None
    assert locks.expire(99) == []
    assert locks.expire(100) == [mine, lease("B", tab="T2")]
    assert locks.take(lease("B", 100), 100) == "lock"


def test_the_holder_renews_from_now_and_ties_the_lock_to_the_session_that_did() -> None:
    locks = Locks()
    locks.take(lease("A"), 0)
    again = lease("A", 50, 20, via="A#2")
    assert locks.take(again, 50) == "renew"
    assert locks.holder("N", "T1", 69) is again
    assert locks.lose_session("A#1") == []
    assert locks.lose_session("A#2") == [again]
    assert locks.holder("N", "T1", 60) is None


def test_only_the_holder_gives_a_lock_back() -> None:
    locks = Locks()
    mine = lease("A")
    locks.take(mine, 0)
    assert locks.release("N", "T1", "B", 10) is None
    assert locks.release("N", "T2", "A", 10) is None
    assert locks.release("N", "T1", "A", 10) is mine
    assert locks.release("N", "T1", "A", 10) is None
    locks.take(mine, 0)
    assert locks.release("N", "T1", "A", 100) is None


def test_a_lease_that_ended_is_told_before_anybody_takes_the_tab_again() -> None:
    locks = Locks()
    locks.take(lease("A"), 0)
    with pytest.raises(SimInternalError, match=r"ask expire\(\)"):
        locks.take(lease("A", 100), 100)
    assert [one.owner for one in locks.expire(200)] == ["A"]
    assert locks.expire(200) == []
    assert locks.take(lease("A", 200), 200) == "lock"


def test_expired_leases_are_told_in_the_order_of_their_ends() -> None:
    locks = Locks()
    late, early = lease("A", lasts=90), lease("B", lasts=80, tab="T2")
    locks.take(late, 0)
    locks.take(early, 0)
    assert locks.expire(100) == [early, late]


class Holding(RuleBasedStateMachine):
    """Any order of locking, renewing, giving back, dying and time: never two holders."""

    def __init__(self) -> None:
        super().__init__()
        self.locks = Locks()
        self.now = 0
        self.held: dict[str, Lease] = {}

    tabs = st.sampled_from(["T1", "T2"])
    people = st.sampled_from("AB")
    sessions = st.sampled_from("12")

    @rule(tab=tabs, by=people, number=sessions, lasts=st.integers(1, 30))
    def take(self, tab: str, by: str, number: str, lasts: int) -> None:
        wanted = lease(by, self.now, lasts, tab, f"{by}#{number}")
        known = self.held.get(tab)
        told = self.locks.take(wanted, self.now)
        assert told == ("lock" if known is None else "renew" if known.owner == by else None)
        if told:
            self.held[tab] = wanted

    @rule(tab=tabs, by=people)
    def release(self, tab: str, by: str) -> None:
        known = self.held.get(tab)
        ended = self.locks.release("N", tab, by, self.now)
        assert ended is (known if known is not None and known.owner == by else None)
        if ended is not None:
            del self.held[tab]

    @rule(by=people, number=sessions)
    def die(self, by: str, number: str) -> None:
        freed = self.locks.lose_session(f"{by}#{number}")
        assert sorted(one.tab for one in freed) == sorted(
            tab for tab, one in self.held.items() if one.session == f"{by}#{number}"
        )
        for one in freed:
            del self.held[one.tab]

    @rule(step=st.integers(0, 20))
    def wait(self, step: int) -> None:
        self.now += step
        ended = self.locks.expire(self.now)
        assert all(one.ends_us <= self.now for one in ended)
        for one in ended:
            assert self.held.pop(one.tab) is one

    @invariant()
    def holders_are_those_of_the_model_and_their_time_is_not_up(self) -> None:
        for tab in ("T1", "T2"):
            assert self.locks.holder("N", tab, self.now) is self.held.get(tab)
        assert all(one.ends_us > self.now for one in self.held.values())


TestHolding = Holding.TestCase
TestHolding.settings = settings(max_examples=30, stateful_step_count=25)


def test_every_row_of_the_table_of_locks_is_used() -> None:
    used: dict[tuple[str, str], None] = {}
    machine.LOCK.used = used
    try:
        locks = Locks()
        locks.take(lease(), 0)
        locks.take(lease(), 0)
        locks.release("N", "T1", "A", 0)
        locks.take(lease(), 0)
        locks.lose_session("A#1")
        locks.take(lease(), 0)
        locks.expire(100)
    finally:
        machine.LOCK.used = None
    assert tuple(sorted(used)) == tuple(sorted(machine.LOCK.rows()))


# -- replay ------------------------------------------------------------------------------------


def test_the_window_is_a_minute_to_both_sides_and_its_edge_is_within() -> None:
    assert is_in_window(0, 60_000)
    assert is_in_window(120_000, 60_000)
    assert not is_in_window(0, 60_001)
    assert not is_in_window(120_001, 60_000)


def test_a_nonce_is_good_once_as_long_as_its_frame_could_be_sent_again() -> None:
    nonces = Nonces()
    assert nonces.burn("A", "n", 0)
    assert not nonces.burn("A", "n", 61_000)
    assert nonces.burn("B", "n", 61_000)
    stamp = 60_000  # a whole window ahead of the first arrival
    assert is_in_window(stamp, 120_000)
    assert not nonces.burn("A", "n", 120_000)
    assert not is_in_window(stamp, 120_001)
    assert nonces.burn("A", "n", 120_001)


def test_a_refused_nonce_is_not_remembered_longer_and_old_ones_are_forgotten() -> None:
    nonces = Nonces(memory_ms=10)
    nonces.burn("A", "n", 0)
    assert not nonces.burn("A", "n", 10)
    assert nonces.burn("A", "n", 11)
    for number in range(100):
        nonces.burn("A", str(number), 100 + number)
    assert len(nonces) == 11


@settings(max_examples=50)
@given(
    st.lists(
        st.tuples(st.sampled_from("AB"), st.sampled_from("xyz"), st.integers(0, 8)), max_size=30
    )
)
def test_nonces_agree_with_a_list_of_all_that_was_accepted(
    frames: list[tuple[str, str, int]],
) -> None:
    nonces, now = Nonces(memory_ms=10), 0
    accepted: list[tuple[str, str, int]] = []
    for identity, nonce, step in frames:
        now += step
        again = any(
            (identity, nonce) == (who, which) and now - at <= 10 for who, which, at in accepted
        )
        assert nonces.burn(identity, nonce, now) is not again
        if not again:
            accepted.append((identity, nonce, now))


# -- owners ------------------------------------------------------------------------------------


def test_every_node_online_is_told_when_the_last_session_of_an_owner_ends() -> None:
    owners = Owners()
    owners.session_began("A")
    owners.session_began("A")
    owners.tab_opened("A", "N1")
    assert owners.session_ended("A", ["N1", "N2"]) == []
    assert owners.is_live("A")
    assert owners.session_ended("A", ["N1", "N2"]) == ["N1", "N2"]
    assert not owners.is_live("A")


def test_a_node_that_was_away_is_told_when_it_comes_back() -> None:
    owners = Owners()
    owners.session_began("A")
    owners.tab_opened("A", "N1")
    owners.tab_opened("A", "N2")
    assert owners.session_ended("A", ["N1"]) == ["N1"]
    assert owners.node_came("N1") == []
    assert owners.node_came("N2") == ["A"]
    assert owners.node_came("N2") == []


def test_tabs_of_an_owner_that_is_back_stay_until_it_ends_again() -> None:
    owners = Owners()
    owners.session_began("A")
    owners.tab_opened("A", "N")
    owners.session_ended("A", [])
    owners.session_began("A")
    assert owners.node_came("N") == []
    assert owners.session_ended("A", []) == []
    assert owners.node_came("N") == ["A"]


def test_owners_of_one_node_are_told_apart() -> None:
    owners = Owners()
    for identity in "AB":
        owners.session_began(identity)
        owners.tab_opened(identity, "N")
    owners.session_ended("A", [])
    assert owners.node_came("N") == ["A"]
    owners.session_ended("B", [])
    assert owners.node_came("N") == ["B"]
