"""Who is at work: claims on entries, and the listener's lease on the store."""

import json

import pytest

from sim.core import op
from sim.core.entropy import Stream
from sim.protocols.question import acts
from sim.protocols.question.constants import STORE_FILE
from sim.protocols.question.store.claims import BUSY, Claim
from sim.protocols.question.store.entry import Foreign
from sim.wire.absent import ABSENT
from tests.protocols.question.question_play import LEASE, QuestionPlay, question


def two(*off, **entry):
    play = QuestionPlay(*off)
    play.process("P")
    play.process("Q")
    play.put(a=question(**entry))
    return play


def take(actor):
    return actor.claims.take("a")


def claimed(play):
    entry = play.kept()["a"]
    return entry.get("claimedBy"), entry.get("claimedAt")


# -- claims


def test_a_claim_marks_the_entry_until_it_ends():
    play = two()
    claim = play.done("P", take)
    assert isinstance(claim, Claim)
    assert claim.entry == question()
    assert claimed(play) == (claim.by, play.now_ms - 1)
    assert claim.by.startswith("P#1/")
    assert play.done("Q", take) is BUSY
    assert play.done("P", take) is BUSY
    assert play.done("P", lambda p: p.claims.end(claim, request_id="que_1")) is True
    assert claimed(play) == (None, None)
    assert play.kept()["a"]["requestID"] == "que_1"
    assert isinstance(play.done("Q", take), Claim)


def test_of_two_who_claim_at_once_one_gets_it():
    play = two()
    results = [play.use(name, take) for name in "PQP"]
    play.run()
    kinds = sorted(type(result).__name__ for (result,) in results)
    assert kinds == ["Busy", "Busy", "Claim"]


@pytest.mark.parametrize("seed", range(8))
def test_in_whatever_order_the_disk_is_asked_one_gets_the_claim_and_one_the_lease(seed):
    play = QuestionPlay(preempt=True, seed=seed)
    draw = Stream(seed, "picks")
    for name in "PQ":
        play.process(name)
    play.put(a=question())
    claims = [play.use(name, take) for name in "PQP"]
    leases = [play.use(name, lambda actor: actor.lease.take()) for name in "PQ"]
    while not all(claims + leases):
        names = play.names()
        play.take(names[draw.between(0, len(names) - 1)])
    assert sum(isinstance(claim, Claim) for (claim,) in claims) == 1
    assert sorted(lease for (lease,) in leases) == [False, True]


def test_there_is_no_claim_on_what_is_no_question():
    play = two()
    play.act("store", acts.PutEntry("x", {"type": "permission"}))
    assert play.done("P", lambda p: p.claims.take("gone")) is None
    foreign = play.done("P", lambda p: p.claims.take("x"))
    assert isinstance(foreign, Foreign)
    assert foreign.type == "permission"
    assert "claimedBy" not in play.kept()["x"]


@pytest.mark.parametrize("age_ms", [14_000, 15_100])
def test_a_claim_is_void_after_fifteen_seconds_unless_it_is_refreshed(age_ms):
    play = two()
    claim = play.done("P", take)
    play.run_ms(age_ms)
    second = play.done("Q", take)
    assert isinstance(second, Claim) is (age_ms > 15_000)
    if second is not BUSY:
        assert play.done("P", lambda p: p.claims.refresh(claim)) is False
        assert play.done("P", lambda p: p.claims.end(claim)) is False
        assert play.done("P", lambda p: p.claims.put(claim, request_id="que_9")) is False
        assert claimed(play)[0] == second.by
        assert "requestID" not in play.kept()["a"]


@pytest.mark.parametrize(("age_ms", "void"), [(15_000, False), (15_001, True)])
def test_fifteen_seconds_of_a_claim_and_of_a_lease_still_count(age_ms, void):
    play = two()
    at = play.now_ms - age_ms
    play.put(a=question(claimed_by="Q#1/x", claimed_at=at))
    assert isinstance(play.done("P", take), Claim) is void
    at = play.now_ms - age_ms
    play.perform("store", op.Save(LEASE, f'{{"owner": "Q#1", "at": {at}}}'))
    assert play.done("P", lambda p: p.lease.take()) is void


def test_half_a_claim_is_none():
    play = two(claimed_by="Q#1/x")
    assert isinstance(play.done("P", take), Claim)
    play = two(claimed_at=9_999_999_999_999)
    assert isinstance(play.done("P", take), Claim)


@pytest.mark.parametrize("entry", [None, {"type": "permission"}, question(sid="ses_2").to_wire()])
def test_what_became_of_the_entry_before_the_lock_was_there_counts(entry):
    play = two()
    result = play.use("P", take)
    while "CreateFile" not in play.operations("P"):
        play.step()
    text = json.dumps({} if entry is None else {"a": entry})
    play.perform("store", op.Save(STORE_FILE, text))
    play.run()
    (claim,) = result
    if entry is None:
        assert claim is None
    elif entry["type"] != "question":
        assert isinstance(claim, Foreign)
    else:
        assert claim.entry.sid == "ses_2"


def test_a_refreshed_claim_lasts():
    play = two()
    claim = play.done("P", take)
    for _ in range(4):
        play.run_ms(5_000)
        assert play.done("P", lambda p: p.claims.refresh(claim)) is True
        assert play.done("Q", take) is BUSY


def test_a_claim_of_a_dead_process_is_void_at_once():
    play = two()
    play.done("P", take)
    play.crash("P")
    assert isinstance(play.done("Q", take), Claim)
    play = two()
    play.done("P", take)
    play.crash("P")
    play.restart("P")
    assert isinstance(play.done("P", take), Claim)


def test_without_the_rule_a_claim_of_the_dead_lasts():
    play = two("stale-claims-are-void")
    play.done("P", take)
    play.crash("P")
    play.run_ms(60_000)
    assert play.done("Q", take) is BUSY


def test_a_claim_from_the_future_is_as_good_as_new():
    play = two(claimed_by="Q#1/x", claimed_at=9_999_999_999_999)
    assert play.done("P", take) is BUSY


def test_a_claimed_entry_takes_fields_and_can_be_removed():
    play = two()
    claim = play.done("P", take)
    assert play.done("P", lambda p: p.claims.put(claim, request_id="que_1")) is True
    assert claimed(play)[0] == claim.by
    assert play.done("P", lambda p: p.claims.remove(claim)) is True
    assert play.done("P", lambda p: p.claims.remove(claim)) is False
    assert play.done("P", lambda p: p.claims.end(claim, request_id="que_2")) is False
    assert play.kept() == {}


def test_whether_a_claim_is_void_can_be_asked():
    play = two()
    claim = play.done("P", take)
    entry = play.done("Q", lambda q: q.pending.get("a"))
    assert play.done("Q", lambda q: q.claims.is_void(entry)) is False
    play.done("P", lambda p: p.claims.end(claim))
    assert entry.claimed_at is not ABSENT
    entry = play.done("Q", lambda q: q.pending.get("a"))
    assert play.done("Q", lambda q: q.claims.is_void(entry)) is True


# -- the lease


def test_one_listener_has_the_lease_and_the_other_learns_whose_it_is():
    play = two()
    assert play.done("P", lambda p: p.lease.take()) is True
    assert play.done("Q", lambda q: q.lease.take()) is False
    assert [play.world.hosts[name].actor.lease.holder for name in "PQ"] == ["P#1", "P#1"]
    play.done("Q", lambda q: q.lease.give_back())
    assert LEASE in play.files()
    assert play.done("Q", lambda q: q.lease.look()) == "P#1"
    assert play.done("Q", lambda q: q.lease.refresh()) is False
    play.done("P", lambda p: p.lease.give_back())
    assert LEASE not in play.files()
    assert play.done("P", lambda p: p.lease.look()) == ""
    assert play.done("Q", lambda q: q.lease.take()) is True


def test_a_lease_is_void_when_its_owner_is_dead_or_it_is_not_refreshed():
    play = two()
    play.done("P", lambda p: p.lease.take())
    for _ in range(4):
        play.run_ms(5_000)
        assert play.done("P", lambda p: p.lease.refresh()) is True
    assert play.done("Q", lambda q: q.lease.take()) is False
    play.run_ms(15_010)
    assert play.done("Q", lambda q: q.lease.take()) is True
    assert play.done("P", lambda p: p.lease.refresh()) is False
    assert play.done("Q", lambda q: q.lease.refresh()) is True
    play.crash("Q")
    assert play.done("P", lambda p: p.lease.take()) is True


def test_a_void_lease_goes_to_one_of_two_who_want_it():
    play = two()
    play.process("R")
    play.done("R", lambda r: r.lease.take())
    play.crash("R")
    wants = [play.use(name, lambda actor: actor.lease.take()) for name in "PQ"]
    play.run()
    assert sorted(result for (result,) in wants) == [False, True]


def test_whoever_has_slept_through_the_lease_does_not_take_it_back_from_another():
    play = two()
    play.done("P", lambda p: p.lease.take())
    play.run_ms(16_000)
    play.done("Q", lambda q: q.lease.take())
    play.done("P", lambda p: p.lease.give_back())
    assert play.done("Q", lambda q: q.lease.look()) == "Q#1"


def test_a_process_may_be_named_by_its_plan():
    play = two()
    disk = play.world.hosts["P"].actor.pending.disk
    disk.owner = "bridge#77"
    assert play.done("P", lambda p: p.lease.take()) is True
    assert play.done("Q", lambda q: q.lease.look()) == "bridge#77"
    play.perform("store", op.Erase(STORE_FILE))
    assert play.world.hosts["P"].actor.pending.owner == "bridge#77"
