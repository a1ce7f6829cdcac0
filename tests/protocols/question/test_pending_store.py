"""The store's client: entries, and the lock."""

import json

import pytest

from sim.core import op
from sim.core.entropy import Stream
from sim.protocols.question import acts, machine
from sim.protocols.question.constants import STORE_FILE
from sim.protocols.question.store.entry import Foreign, PendingQuestion
from sim.protocols.question.store.trouble import DiskTrouble, LockTimeout
from sim.wire.absent import ABSENT
from tests.protocols.question.question_play import LOCK, NEW, QuestionPlay, question


def two(*off, **how):
    """Two processes, P and Q."""
    play = QuestionPlay(*off, **how)
    play.process("P")
    play.process("Q")
    return play


def add(actor):
    return actor.pending.add(question())


# -- entries


def test_an_entry_is_kept_as_it_was_given_and_found_by_the_drawn_id():
    play = two()
    unique_id = play.done("P", add)
    assert len(unique_id) == 8
    assert set(unique_id) <= set("0123456789abcdef")
    assert play.done("Q", lambda actor: actor.pending.get(unique_id)) == question()
    assert play.kept()[unique_id] == {
        "type": "question",
        "sid": "ses_1",
        "callID": "call_A",
        "directory": "/proj",
        "options": [{"label": "A", "value": "A"}, {"label": "B", "value": "B"}],
        "timestamp": 1_767_225_600_000,
    }


def test_a_drawn_id_that_is_in_use_is_drawn_again():
    play = two()
    draws = iter(["aaaa0001-x", "aaaa0001-y", "bbbb0002-z"])
    actor = play.world.hosts["P"].actor

    class Port:
        def new_id(self):
            return next(draws)

        def __getattr__(self, name):
            return getattr(play.world.hosts["P"], name)

    actor.port = Port()
    assert play.done("P", add) == "aaaa0001"
    assert play.done("P", add) == "bbbb0002"


def test_fields_are_set_by_their_python_names_and_the_others_stay():
    play = two()
    play.put(a=question(), b=question(sid="ses_2"))
    changed = play.done("P", lambda p: p.pending.update("a", message_id=101, chat_id="-42"))
    assert (changed.message_id, changed.chat, changed.sid) == (101, "-42", "ses_1")
    play.done("P", lambda p: p.pending.update("a", custom_prompt_message_id=None, chat_id=ABSENT))
    assert play.kept()["a"]["customPromptMessageId"] is None
    assert "chatId" not in play.kept()["a"]
    assert play.kept()["b"] == question(sid="ses_2").to_wire()


def test_changes_of_what_is_not_there_change_nothing():
    play = two()
    assert play.done("P", lambda p: p.pending.update("gone", message_id=1)) is None
    assert play.done("P", lambda p: p.pending.remove("gone")) is False
    assert play.file() is None
    play.put(a=question())
    assert play.done("P", lambda p: p.pending.remove("a")) is True
    assert play.file() == "{}"


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "permission", "sid": "ses_1"},
        {"type": "question"},
        {**question().to_wire(), "options": [{"label": 5}]},
        {**question().to_wire(), "chatId": [1]},
        {**question().to_wire(), "timestamp": "now"},
        {**question().to_wire(), "messageId": -1},
        "text",
        None,
    ],
)
def test_other_entries_are_told_apart_and_never_touched(entry):
    play = two()
    play.perform("store", op.Save(STORE_FILE, json.dumps({"x": entry})))
    found = play.done("P", lambda p: p.pending.get("x"))
    assert isinstance(found, Foreign)
    assert repr(found) == f"Foreign({entry.get('type') if isinstance(entry, dict) else ''!r})"
    assert play.done("P", lambda p: p.pending.questions()) == {}
    unique_id = play.done("P", add)
    assert play.kept()["x"] == entry
    assert list(play.done("P", lambda p: p.pending.questions())) == [unique_id]


def test_fields_that_nobody_knows_are_kept_through_changes():
    play = two()
    later = {**question().to_wire(), "future": {"a": [1]}}
    play.perform("store", op.Save(STORE_FILE, json.dumps({"x": later})))
    play.done("P", lambda p: p.pending.update("x", awaiting_text=True))
    assert play.kept()["x"] == {**later, "awaitingText": True}


def test_the_age_of_an_entry_from_the_future_is_nothing():
    assert question(timestamp=5_000).age_ms(4_000) == 0
    assert question(timestamp=5_000).age_ms(7_000) == 2_000


def test_an_option_answers_its_label_where_it_has_no_value():
    options = [{"label": "L"}, {"label": "M", "value": "m"}, {"label": "N", "value": ""}]
    read = PendingQuestion.from_wire({**question().to_wire(), "options": options})
    assert [option.answer for option in read.options] == ["L", "m", ""]


def test_a_chat_is_known_as_a_text_whoever_has_written_it():
    chats = [question(chat_id=chat).chat for chat in (ABSENT, "-42", -42)]
    assert chats == ["", "-42", "-42"]


def test_every_row_of_the_table_of_entries_is_gone_through_by_changes():
    play = two()
    steps = [
        ("sent", {"message_id": 101}),
        ("sent again", {"message_id": 102}),
        ("custom", {"awaiting_text": True, "awaiting_since": 1}),
        ("custom again", {"awaiting_since": 2}),
        ("sent meanwhile", {"message_id": 103}),
        ("nothing of it", {"claimed_by": "P"}),
        ("option", {"awaiting_text": ABSENT, "awaiting_since": ABSENT}),
    ]
    machine.ENTRY.used = used = {}
    try:
        for entry in ({}, {"message_id": 1}, {"awaiting_text": True}):
            play.put(a=question(**entry))
            play.done("P", lambda p: p.pending.remove("a"))
        play.put(a=question())
        for _, fields in steps:
            play.done("P", lambda p, f=fields: p.pending.update("a", **f))
        play.put(a=question())
        play.done("P", lambda p: p.pending.update("a", message_id=5, awaiting_text=True))
        play.put(a=question())
        play.done("P", lambda p: p.pending.update("a", awaiting_text=True))
    finally:
        machine.ENTRY.used = None
    assert set(used) == set(machine.ENTRY.rows())


# -- the lock


def test_a_change_locks_reads_writes_beside_renames_and_unlocks():
    play = two()
    play.done("P", add)
    play.run()
    asked = ["CreateFile", "ReadFile", "WriteFile", "RenameFile", "RemoveFile"]
    assert play.operations("P") == asked
    assert play.files() == [STORE_FILE]
    play.done("Q", lambda actor: actor.pending.entries())
    assert play.operations("Q") == ["ReadFile"]


def test_without_the_rule_the_file_is_written_in_place_and_readers_see_half_of_it():
    play = two("atomic-writes")
    play.done("P", add)
    assert len(play.states()) == 2
    assert play.states()[1].startswith(play.states()[0])
    assert NEW not in play.files()


@pytest.mark.parametrize("off", [(), ("locked-changes",)])
def test_two_changes_at_once_are_both_kept_because_of_the_lock(off):
    play = two(*off)
    results = [play.use(name, add) for name in "PQ"]
    play.run()
    assert len(play.kept()) == (1 if off else 2)
    assert all(isinstance(result, str) for (result,) in results)
    assert LOCK not in play.files()


@pytest.mark.parametrize("seed", range(12))
def test_whatever_crashes_and_in_whatever_order_no_kept_entry_is_lost(seed):
    play = two(seed=seed)
    play.process("R")
    play.world.latencies.clear()
    draw = Stream(seed, "crashes")
    kept = []
    for _ in range(6):
        results = [play.use(name, add) for name in "PQR" for _ in range(2)]
        play.run_ms(draw.between(1, 800))
        victim = "PQR"[draw.between(0, 2)]
        play.crash(victim)
        play.restart(victim)
        play.run_ms(5_000)
        kept += [result[0] for result in results if result and isinstance(result[0], str)]
    assert len(kept) > 12
    assert set(kept) <= set(play.kept())


@pytest.mark.parametrize("seed", range(12))
def test_in_whatever_order_the_disk_is_asked_every_entry_is_kept(seed):
    play = two(preempt=True, seed=seed)
    draw = Stream(seed, "picks")
    results = [play.use(name, add) for name in "PQPQ"]
    while not all(results):
        names = play.names()
        play.take(names[draw.between(0, len(names) - 1)])
    assert sorted(play.kept()) == sorted(result for (result,) in results)


@pytest.mark.parametrize(
    ("act", "wait_ms"),
    [
        (acts.LeaveLock(owner="killed#1"), 0),
        (acts.LeaveLock(owner="Q#1", age_ms=10_050), 0),
        (acts.LeaveLock(owner="", age_ms=10_050), 0),
        (acts.LeaveLock(text="no json"), 10_050),
        (acts.LeaveLock(text='{"owner": 5, "at": "x"}'), 10_050),
    ],
)
def test_a_stale_lock_is_taken_over_at_once(act, wait_ms):
    play = two()
    play.act("store", act, ms=wait_ms)
    began = play.world.now
    assert isinstance(play.done("P", add), str)
    assert play.world.now - began < 10_000
    play.run()
    assert LOCK not in play.files()


@pytest.mark.parametrize(
    "act",
    [
        acts.LeaveLock(owner="Q#1", age_ms=7_900),
        acts.LeaveLock(owner="", age_ms=0),
        acts.LeaveLock(owner="Q#1", age_ms=-60_000),
        acts.LeaveLock(text="no json"),
    ],
)
def test_a_lock_that_is_held_is_waited_for_two_seconds_and_then_told(act):
    play = two()
    play.act("store", act)
    began = play.world.now
    trouble = play.done("P", add)
    assert isinstance(trouble, LockTimeout)
    assert 2_000_000 <= play.world.now - began < 2_030_000
    assert (LOCK in play.files(), play.file()) == (True, None)
    asked = play.operations("P")
    assert 125 < asked.count("CreateFile") < 135  # every 15 ms
    assert 10 < asked.count("IsAlive") < 15 or act.owner == "" or act.text  # every tenth time


@pytest.mark.parametrize(("age_ms", "taken"), [(10_000, False), (10_001, True)])
def test_ten_seconds_of_a_lock_still_count(age_ms, taken):
    play = two()
    play.act("store", acts.LeaveLock(owner="Q#1", age_ms=age_ms), ms=0)
    result = play.use("P", add)
    play.run_ms(0.9)
    assert ("RemoveFile" in play.operations("P")) is taken
    assert result == []


def test_a_lock_that_is_lost_again_and_again_is_told():
    play = two()
    result = play.use("P", add)
    seen = 0
    while not result:
        play.step()
        writes = play.operations("P").count("WriteFile")
        if writes > seen:  # somebody else has the lock when it is written
            seen = writes
            play.perform("store", op.Erase(LOCK))
    assert isinstance(result[0], LockTimeout)
    assert (seen, play.file()) == (3, None)


def test_a_lock_that_becomes_ten_seconds_old_while_one_waits_is_taken_over():
    play = two()
    play.act("store", acts.LeaveLock(owner="Q#1", age_ms=9_000), ms=0)
    began = play.world.now
    assert isinstance(play.done("P", add), str)
    assert 1_000_000 < play.world.now - began < 1_020_000


def test_a_lock_whose_owner_dies_while_one_waits_is_taken_over():
    play = two()
    play.act("store", acts.LeaveLock(owner="Q#1"))
    result = play.use("P", add)
    play.run_ms(500)
    assert result == []
    play.crash("Q")
    play.run_ms(300)
    assert len(result) == 1
    assert len(play.kept()) == 1


def test_a_lock_that_is_given_back_lets_the_next_in():
    play = two()
    play.act("store", acts.LeaveLock(owner="Q#1"))
    result = play.use("P", add)
    play.run_ms(1_000)
    play.act("store", acts.RemoveLock(), ms=20)
    assert len(result) == 1


def test_without_the_rules_a_stale_lock_is_never_taken_over_and_waited_for_without_end():
    play = two("take-over-stale-lock")
    play.act("store", acts.LeaveLock(age_ms=60_000))
    assert isinstance(play.done("P", add), LockTimeout)
    play = two("take-over-stale-lock", "lock-wait-ends")
    play.act("store", acts.LeaveLock(age_ms=60_000))
    result = play.use("P", add)
    play.run_ms(10_000)
    assert result == []


def test_whoever_has_lost_the_lock_begins_anew_and_overwrites_nothing():
    play = two()
    slow = play.use("P", add)
    play.run_ms(0.3)  # P has the lock and reads
    assert LOCK in play.files()
    play.sleep("P", 11_000)
    play.run_ms(10_500)
    assert isinstance(play.done("Q", add), str)
    play.run_ms(2_000)
    assert len(slow) == 1
    assert len(play.kept()) == 2


def test_time_that_is_up_ends_the_wait_and_leaves_no_lock():
    play = two()
    play.act("store", acts.LeaveLock(owner="Q#1"))
    limit = play.world.now + 500_000
    trouble = play.done("P", lambda p: p.pending.until(limit).add(question()))
    assert isinstance(trouble, DiskTrouble)
    assert play.world.now == limit
    play.act("store", acts.RemoveLock(), ms=0)
    late = play.world.now + 250
    trouble = play.done("P", lambda p: p.pending.until(late).add(question()))
    assert isinstance(trouble, DiskTrouble)
    play.run()
    assert LOCK not in play.files()


def test_nothing_is_asked_of_the_disk_once_time_is_up():
    play = two()
    for late in (play.world.now - 5, play.world.now):
        trouble = play.done("P", lambda p, at=late: p.pending.until(at).entries())
        assert "no time left" in str(trouble)
        assert isinstance(trouble, DiskTrouble)
    assert play.operations("P") == []
    play.perform("store", op.Save(STORE_FILE, "broken"))
    limit = play.world.now + 200
    trouble = play.done("P", lambda p: p.pending.until(limit).entries())
    assert isinstance(trouble, DiskTrouble)
    assert (play.operations("P"), play.world.now) == (["ReadFile"], limit)


def test_a_disk_that_refuses_is_told_and_leaves_no_lock():
    play = two()
    play.act("store", acts.DenyStore(why="no space"))
    trouble = play.done("P", add)
    assert isinstance(trouble, DiskTrouble)
    assert "no space" in str(trouble)
    play.act("store", acts.DenyStore(on=False))
    play.act("store", acts.TearNextWrite())
    assert isinstance(play.done("P", add), DiskTrouble)
    play.run()
    assert (LOCK in play.files(), play.file()) == (False, None)
    assert isinstance(play.done("P", add), str)


def test_a_disk_that_is_gone_is_told_after_two_seconds():
    play = two()
    play.crash("store")
    began = play.world.now
    assert isinstance(play.done("P", lambda p: p.pending.entries()), DiskTrouble)
    assert play.world.now - began == 2_000_000
