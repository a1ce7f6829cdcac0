"""The disk of the pending store: what each operation does, and what may befall it."""

import pytest

from sim.core import op
from sim.core.event import Erased
from sim.protocols.question import acts
from sim.protocols.question.constants import STORE_FILE
from sim.protocols.question.store.operations import (
    Content,
    CreateFile,
    Done,
    Failed,
    Held,
    IsAlive,
    NoFile,
    NotHeld,
    ReadFile,
    RemoveFile,
    RenameFile,
    WriteFile,
)
from tests.protocols.question.question_play import LOCK, QuestionPlay


@pytest.fixture
def play():
    made = QuestionPlay()
    made.process("P")
    return made


def ask(play, operation):
    return play.done("P", lambda actor: actor.perform(op.Call("store", operation)))


def test_a_file_is_made_once_read_and_removed(play):
    began = play.now_ms
    assert ask(play, ReadFile("/f")) == NoFile()
    assert ask(play, CreateFile("/f", "one")) == Done()
    assert ask(play, CreateFile("/f", "two")) == Content("one", began)
    assert ask(play, ReadFile("/f")).text == "one"
    assert ask(play, RemoveFile("/f")) == Done()
    assert ask(play, RemoveFile("/f")) == Done()
    assert (play.files(), len(play.events(Erased))) == ([], 1)


def test_a_rename_replaces_its_target(play):
    assert ask(play, RenameFile("/a", "/b")) == NoFile()
    for path, text in (("/a", "new"), ("/b", "old")):
        assert ask(play, WriteFile(path, text)) == Done()
    assert ask(play, RenameFile("/a", "/b")) == Done()
    assert (play.files(), play.file("/b")) == (["/b"], "new")


@pytest.mark.parametrize("held", [Held("/lock", "mine"), Held("/lock", "other"), Held("/no", "")])
def test_what_depends_on_a_file_is_done_only_while_that_says_so(play, held):
    ask(play, CreateFile("/lock", "mine"))
    ask(play, CreateFile("/f", "old"))
    good = held.text == "mine"
    assert ask(play, WriteFile("/f", "new", held=held)) == (Done() if good else NotHeld())
    assert play.file("/f") == ("new" if good else "old")
    assert ask(play, RenameFile("/f", "/g", held)) == (Done() if good else NotHeld())
    assert ask(play, RemoveFile("/lock", held)) == (Done() if good else NotHeld())
    assert play.files() == (["/g"] if good else ["/lock", "/f"])


def test_a_write_in_place_is_there_by_half_for_a_moment(play):
    play.use("P", lambda actor: actor.perform(op.Call("store", WriteFile(STORE_FILE, "123456"))))
    play.run_ms(0.2)
    assert play.file() == "123"
    play.run_ms(0.2)
    assert play.file() == "123456"


def test_a_write_may_stop_half_way(play):
    play.act("store", acts.TearNextWrite())
    assert isinstance(ask(play, WriteFile("/f", "123456")), Failed)
    assert play.file("/f") == "123"
    assert ask(play, WriteFile("/f", "123456")) == Done()
    play.act("store", acts.TearNextWrite(times=2))
    replies = [ask(play, WriteFile("/f", "123456")) for _ in range(3)]
    assert [type(reply) for reply in replies] == [Failed, Failed, Done]


def test_files_survive_a_crash_of_the_disks_host(play):
    ask(play, CreateFile("/f", "text"))
    play.crash("store")
    play.restart("store")
    assert ask(play, ReadFile("/f")).text == "text"


def test_a_disk_that_refuses_says_why_until_it_takes_operations_again(play):
    play.act("store", acts.DenyStore(why="read-only"))
    for operation in (ReadFile("/f"), CreateFile("/f", ""), WriteFile("/f", ""), RemoveFile("/f")):
        assert ask(play, operation) == Failed("read-only")
    assert ask(play, IsAlive("P#1")) is True
    play.act("store", acts.DenyStore(on=False))
    assert ask(play, CreateFile("/f", "")) == Done()


@pytest.mark.parametrize(
    ("owner", "alive"),
    [
        ("P#1", True),
        ("P#2", False),
        ("killed#1", False),
        ("P", False),
        ("", False),
        ("#1", False),
        ("P#x", False),
    ],
)
def test_a_disk_knows_which_owners_live(play, owner, alive):
    assert ask(play, IsAlive(owner)) is alive


def test_acts_break_the_file_and_leave_locks(play):
    play.act("store", acts.BreakStore("{garbage"))
    play.act("store", acts.LeaveLock(age_ms=500))
    assert play.file() == "{garbage"
    assert '"owner":"killed#1"' in play.file(LOCK)
    play.act("store", acts.LeaveLock(text="no json"))
    assert play.file(LOCK) == "no json"
    play.act("store", acts.RemoveLock())
    assert play.files() == [STORE_FILE]
    play.act("store", acts.PutEntry("bbbb0002", {"type": "question"}, age_ms=1_000))
    assert list(play.kept()) == ["bbbb0002"]
    assert play.kept()["bbbb0002"]["timestamp"] == play.now_ms - 1_010
    play.act("store", acts.PutEntry("aaaa0001", {"timestamp": 5}))
    assert list(play.kept()) == ["bbbb0002", "aaaa0001"]
    assert play.kept()["aaaa0001"] == {"timestamp": 5}
    for broken in ("[]", "{no json"):
        play.act("store", acts.BreakStore(broken))
        play.act("store", acts.PutEntry("cccc0003", {"timestamp": 7}))
        assert play.kept() == {"cccc0003": {"timestamp": 7}}


def test_what_is_no_operation_and_no_act_is_the_askers_fault(play):
    with pytest.raises(LookupError, match="cannot do 'x'"):
        play.tell("store", lambda actor: actor.on_call("P", "x"))
    with pytest.raises(LookupError, match="it can BreakStore"):
        play.act("store", acts.Ask(session="s"))
