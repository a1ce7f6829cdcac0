"""The pending store's operations on a real disk."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sim.live.disk import lives, owner_of, perform, unfit
from sim.protocols.question.store.operations import (
    Content,
    CreateFile,
    Done,
    Failed,
    Held,
    NoFile,
    NotHeld,
    ReadFile,
    RemoveFile,
    RenameFile,
    WriteFile,
)
from sim.wire.decode import NotJson, decode_json


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "pending.json")


def _text(path: str) -> str:
    content = perform(ReadFile(path))
    assert isinstance(content, Content)
    return content.text


def test_a_file_is_written_with_its_mode_whatever_it_was_before(path: str) -> None:
    assert perform(ReadFile(path)) == NoFile()
    Path(path).write_text("old, and longer than the new one")
    os.chmod(path, 0o644)
    assert perform(WriteFile(path, "ключ")) == Done()
    assert _text(path) == "ключ"
    assert os.stat(path).st_mode & 0o777 == 0o600


def test_a_content_tells_when_it_was_changed(path: str) -> None:
    Path(path).write_bytes(b"\xff{")
    os.utime(path, ns=(0, 1_700_000_000_123_000_000))
    assert perform(ReadFile(path)) == Content("\\xff{", 1_700_000_000_123)


def test_only_one_of_two_creates_the_file_and_the_other_reads_it(path: str) -> None:
    assert perform(CreateFile(path, "mine")) == Done()
    there = perform(CreateFile(path, "yours"))
    assert isinstance(there, Content)
    assert there.text == "mine"
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert os.listdir(Path(path).parent) == ["pending.json"]


def test_a_rename_replaces_its_target(path: str) -> None:
    fresh = path + ".new"
    assert perform(RenameFile(fresh, path)) == NoFile()
    perform(WriteFile(path, "old"))
    perform(WriteFile(fresh, "new"))
    assert perform(RenameFile(fresh, path)) == Done()
    assert (_text(path), perform(ReadFile(fresh))) == ("new", NoFile())


def test_what_depends_on_a_lock_is_done_only_while_that_lock_stands(path: str) -> None:
    lock = path + ".lock"
    mine = Held(lock, "mine")
    for operation in (
        WriteFile(path, "x", held=mine),
        RenameFile(path, path + ".2", mine),
        RemoveFile(path, mine),
    ):
        assert perform(operation) == NotHeld()
    perform(CreateFile(lock, "yours"))
    assert perform(WriteFile(path, "x", held=mine)) == NotHeld()
    assert perform(RemoveFile(lock, mine)) == NotHeld()
    yours = Held(lock, "yours")
    assert perform(WriteFile(path, "x", held=yours)) == Done()
    assert perform(RemoveFile(lock, yours)) == Done()
    assert (_text(path), perform(ReadFile(lock))) == ("x", NoFile())


@pytest.mark.parametrize("bad", [b'{"a": {"label": "\xff"}}', b"\xff\xfe{}", b'{"a": "\xc3("}'])
def test_a_file_with_bytes_that_are_no_utf_8_is_no_json_and_can_be_moved_aside(
    path: str, bad: bytes
) -> None:
    Path(path).write_bytes(bad)
    text = _text(path)
    with pytest.raises(NotJson):
        decode_json(text)
    aside = f"{path}.broken-1"
    assert perform(RenameFile(path, aside, Held(path, text))) == Done()
    assert Path(aside).read_bytes() == bad


def test_removing_what_is_not_there_is_done(path: str) -> None:
    assert perform(RemoveFile(path)) == Done()


def test_what_the_system_refuses_is_told_in_its_words(tmp_path: Path) -> None:
    nowhere = str(tmp_path / "none" / "pending.json")
    assert perform(WriteFile(nowhere, "x")) == Failed("No such file or directory")
    assert perform(ReadFile(str(tmp_path))) == Failed("Is a directory")
    assert isinstance(perform(ReadFile("a\0b")), Failed)
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    assert isinstance(perform(WriteFile(str(tmp_path / "link"), "x")), Failed)
    assert not (tmp_path / "elsewhere").exists()


def test_an_owner_lives_as_long_as_its_process() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        owner = owner_of("listener", child.pid)
        assert lives(owner)
        assert lives(owner_of("hook"))
        child.kill()
    assert not lives(owner)


def test_a_process_that_got_the_number_of_a_dead_one_is_another() -> None:
    now = owner_of("hook")
    number, _, rest = now.partition("-")
    assert not lives(f"{number}-1@{rest.partition('@')[2]}")


@pytest.mark.parametrize("owner", ["", "12345", "hook#1", "hook#1-2@another-machine"])
def test_of_an_owner_whom_nobody_here_knows_nobody_says_that_it_is_dead(owner: str) -> None:
    assert lives(owner)


def _take_turns(path: str, times: int) -> None:
    """Add one to the number in the file, under a lock, as a process of the bridge does."""
    lock = Held(path + ".lock", str(os.getpid()))
    for _ in range(times):
        while perform(CreateFile(lock.path, lock.text)) != Done():
            pass
        number = int(_text(path))
        assert perform(WriteFile(path + ".new", str(number + 1), held=lock)) == Done()
        assert perform(RenameFile(path + ".new", path, lock)) == Done()
        assert perform(RemoveFile(lock.path, lock)) == Done()


def test_processes_that_take_turns_lose_nothing(path: str) -> None:
    perform(WriteFile(path, "0"))
    context = multiprocessing.get_context("fork")
    others = [context.Process(target=_take_turns, args=(path, 10)) for _ in range(2)]
    for one in others:
        one.start()
    _take_turns(path, 10)
    for one in others:
        one.join()
    assert _text(path) == "30"


def test_what_is_no_plain_file_is_not_read_however_long_it_would_take(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(path)
    assert perform(ReadFile(path)) == Failed("this is no plain file")
    assert perform(ReadFile("/dev/zero")) == Failed("this is no plain file")
    assert isinstance(perform(ReadFile(os.path.dirname(path))), Failed)
    monkeypatch.setattr("sim.live.disk.MOST_BYTES", 3)
    os.unlink(path)
    Path(path).write_text("abcd")
    assert perform(ReadFile(path)) == Failed("it is larger than 3 bytes")


def test_a_place_for_a_store_is_a_plain_file_or_none_yet_in_a_directory(path: str) -> None:
    there = Path(path)
    assert unfit(there) == ""
    there.write_text("{}")
    assert unfit(there) == ""
    link = there.with_name("link")
    link.symlink_to(there)
    assert unfit(link) == f"is a link: give {there}"
    for other in ("/", "/dev/null", f"{path}/x", "/no/such/x", "a\0b", "x" * 5_000):
        assert "can be no file" in unfit(Path(other)), other
