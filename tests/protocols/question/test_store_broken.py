"""Files of the store that cannot be read: read again, moved aside, never overwritten."""

import json

import pytest

from sim.core import op
from sim.protocols.question import acts
from sim.protocols.question.constants import STORE_FILE
from sim.protocols.question.store.entry import PendingQuestion
from sim.protocols.question.store.operations import RenameFile, WriteFile
from sim.protocols.question.store.trouble import DiskTrouble
from tests.protocols.question.question_play import LOCK, QuestionPlay, question
from tests.protocols.question.test_pending_store import add, two

GARBAGE = '{"aaaa0001": {"type": "ques'


def test_a_broken_file_is_read_again_three_times_and_then_moved_aside_once():
    play = two()
    play.act("store", acts.BreakStore(GARBAGE))
    began = play.world.now
    first = play.use("P", lambda p: p.pending.entries())
    second = play.use("Q", lambda p: p.pending.get("aaaa0001"))
    play.run()
    assert (first, second) == ([{}], [None])
    assert play.operations("P")[:5] == ["ReadFile"] * 4 + ["RenameFile"]
    assert 150_000 < play.world.now - began < 153_000
    (broken,) = play.files()
    assert broken.startswith(STORE_FILE + ".broken-17672256")
    assert play.file(broken) == GARBAGE
    told = [play.world.hosts[name].actor.pending.broken for name in "PQ"]
    assert sorted(told) == [[], [broken]]


def test_what_a_hurried_handler_has_put_aside_is_known_to_the_process():
    play = two()
    play.act("store", acts.BreakStore(GARBAGE))
    hurried = play.done("P", lambda p: p.pending.until(play.world.now + 900_000).get("a"))
    assert hurried is None
    assert len(play.world.hosts["P"].actor.pending.broken) == 1


@pytest.mark.parametrize("text", ["", "[]", "5", '"x"', "{} {}", "NaN"])
def test_what_is_no_object_of_entries_is_broken_too(text):
    play = two()
    play.act("store", acts.BreakStore(text))
    assert isinstance(play.done("P", add), str)
    assert len(play.kept()) == 1
    assert len(play.world.hosts["P"].actor.pending.broken) == 1


def test_a_file_that_is_only_half_written_is_found_whole_at_the_next_look():
    play = two("atomic-writes")
    play.put(a=question())
    play.use("Q", lambda q: q.pending.update("a", message_id=101))
    play.run_ms(0.55)
    with pytest.raises(json.JSONDecodeError):
        json.loads(play.file())
    found = play.done("P", lambda p: p.pending.get("a"))
    assert isinstance(found, PendingQuestion)
    assert play.world.hosts["P"].actor.pending.broken == []


def test_a_file_that_was_mended_meanwhile_is_not_moved_aside():
    play = two()
    play.act("store", acts.BreakStore(GARBAGE))
    result = play.use("P", lambda p: p.pending.get("a"))
    play.run_ms(150.35)  # the fourth look has found it broken; the rename is on its way
    play.put(a=question())
    play.run()
    assert result == [question()]
    assert play.files() == [STORE_FILE]


@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_file_that_is_broken_anew_while_it_is_looked_at_is_never_overwritten(times):
    play = two()
    play.act("store", acts.BreakStore(GARBAGE))
    result = play.use("P", add)
    seen = 0
    while not result:
        play.step()
        renames = play.operations("P").count("RenameFile")
        if seen < min(renames, times):  # the rename is on its way
            seen += 1
            play.perform("store", op.Save(STORE_FILE, f"{GARBAGE} {seen}"))
    play.run()
    moved = [play.file(path) for path in play.files() if ".broken-" in path]
    if times < 3:
        assert (moved, list(play.kept())) == ([f"{GARBAGE} {times}"], result)
    else:
        assert isinstance(result[0], DiskTrouble)
        assert (moved, play.file()) == ([], f"{GARBAGE} 3")


def test_without_the_rules_a_broken_file_is_empty_at_once_and_overwritten():
    play = two("broken-is-read-again", "broken-is-moved-aside")
    play.act("store", acts.BreakStore(GARBAGE))
    assert play.done("P", lambda p: p.pending.entries()) == {}
    assert play.operations("P") == ["ReadFile"]
    play.done("P", add)
    play.run()
    assert play.files() == [STORE_FILE]


def test_a_lock_that_is_lost_between_writing_and_renaming_changes_nothing():
    play = QuestionPlay()
    play.process("a")
    play.put(aaaa0001=question())
    result = play.use("a", lambda actor: actor.pending.remove("aaaa0001"))
    while "RenameFile" not in play.operations("a"):
        play.step()
    play.perform("store", op.Save(LOCK, json.dumps({"owner": "store#1", "at": play.now_ms})))
    play.run_ms(1_000)
    assert "aaaa0001" in play.kept()
    assert not result


def test_a_change_of_which_the_disk_has_said_nothing_is_done_where_it_stands_there():
    play = two()
    play.put(a=question())
    play.slow_disk(RenameFile, "P", 3_000)
    assert play.done("P", lambda p: p.pending.remove("a")) is True
    assert play.operations("P")[-3:] == ["RenameFile", "RemoveFile", "ReadFile"]
    assert (play.kept(), play.files()) == ({}, [STORE_FILE])


def test_a_change_of_which_the_disk_has_said_nothing_is_trouble_where_it_does_not_stand_there():
    play = two()
    play.put(a=question())
    play.slow_disk(WriteFile, "P", 3_000)
    assert isinstance(play.done("P", lambda p: p.pending.remove("a")), DiskTrouble)
    assert "a" in play.kept()
    assert LOCK not in play.files()


def test_a_broken_file_of_which_the_disk_has_said_nothing_is_told_of_where_it_is_aside():
    play = two()
    play.act("store", acts.BreakStore(GARBAGE))
    play.slow_disk(RenameFile, "P", 3_000)
    assert play.done("P", lambda p: p.pending.entries()) == {}
    (aside,) = play.files()
    assert play.world.hosts["P"].actor.pending.broken == [aside]
