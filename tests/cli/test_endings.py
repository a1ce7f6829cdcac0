"""Ctrl-C and SIGTERM: what was found is told, and no process or folder stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sim.cli import ending
from sim.cli.ending import gentle_endings
from sim.cli.living.setup import stop_of
from tests.cli.screens import ROOT

PATIENCE_S = 60.0
SEARCH = ("explore", "typical", "--seconds", "300", "--strategy", "uniform")


class Command:
    """A command line in a process group of its own, as a shell starts it."""

    def __init__(self, *arguments: str, folder: Path) -> None:
        self.folder = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sim", *arguments],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            # A shell starts what runs in its background deaf to Ctrl-C: not so these.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL) and None,
            env={**os.environ, "TMPDIR": str(folder), "COLUMNS": "100"},
        )

    def children(self) -> list[int]:
        """Processes of this session, and of those that it has started."""
        return descendants(self.process.pid)

    def end(self, number: signal.Signals, *, group: bool) -> tuple[int, str, str]:
        """Send the signal; exit code, stdout, stderr."""
        if group:
            os.killpg(self.process.pid, number)
        else:
            self.process.send_signal(number)
        try:
            out, err = self.process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise
        return self.process.returncode, out, err


def descendants(pid: int) -> list[int]:
    """All living processes below one."""
    try:
        listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [one for child in map(int, listed) for one in (child, *descendants(child))]


def lives(pid: int) -> bool:
    """Whether it is still there, and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def until(what: object, patience_s: float = PATIENCE_S) -> None:
    """Wait for another process: this is the real world."""
    assert callable(what)
    end = time.monotonic() + patience_s
    while not what():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)


needs_proc = pytest.mark.skipif(
    not Path("/proc/self/task").exists(), reason="counts processes in /proc"
)


@needs_proc
@pytest.mark.parametrize(
    ("number", "group", "code"),
    [
        (signal.SIGINT, True, 130),
        (signal.SIGTERM, False, 143),
        (signal.SIGTERM, True, 143),
    ],
)
def test_a_search_in_processes_ends_with_all_of_them(
    tmp_path: Path, number: signal.Signals, group: bool, code: int
) -> None:
    command = Command(*SEARCH, "--jobs", "2", folder=tmp_path)
    until(lambda: len(command.children()) >= 3)  # two workers and the tracker of their semaphores
    children = command.children()
    said = command.end(number, group=group)
    assert said[0] == code, said
    assert "Traceback" not in said[2]
    assert "interrupted; there was more to try" in said[1]
    assert "go on with other draws: hooktwin explore typical --seed 2" in said[1]
    until(lambda: not [pid for pid in children if lives(pid)])


@needs_proc
def test_workers_do_not_outlive_a_search_that_is_killed(tmp_path: Path) -> None:
    command = Command(*SEARCH, "--jobs", "2", folder=tmp_path)
    until(lambda: len(command.children()) >= 3)
    children = command.children()
    command.process.kill()
    command.process.wait()
    for stream in (command.process.stdout, command.process.stderr):
        assert stream
        stream.close()
    until(lambda: not [pid for pid in children if lives(pid)])


@needs_proc
def test_verify_ends_its_workers_and_clears_its_folder(tmp_path: Path) -> None:
    command = Command("verify", "typical", "--seeds", "500", folder=tmp_path)
    until(lambda: len(command.children()) == 4 and any(tmp_path.glob("hooktwin-verify-*/*")))
    children = command.children()
    code, out, err = command.end(signal.SIGTERM, group=False)
    assert code == 143
    assert "terminated" in err
    assert "Traceback" not in err
    assert "runs" in out
    assert list(tmp_path.glob("hooktwin-verify-*")) == []
    until(lambda: not [pid for pid in children if lives(pid)])


def test_a_single_run_is_ended_too(tmp_path: Path) -> None:
    command = Command("run", "typical", "--seeds", "100000", "--json", folder=tmp_path)
    assert command.process.stdout
    assert command.process.stdout.readline().startswith("{")
    code, _, err = command.end(signal.SIGTERM, group=False)
    assert (code, "terminated" in err, "Traceback" in err) == (143, True, False)


def test_the_signals_are_given_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with gentle_endings() as came:
        assert came() == 0
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        assert came() == signal.SIGTERM
        signal.raise_signal(signal.SIGTERM)  # timeout sends two: the second one is ignored
    assert signal.getsignal(signal.SIGTERM) is before


def test_whoever_ignores_hang_ups_goes_on_ignoring_them() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with gentle_endings():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_signal_whose_exception_was_lost_is_remembered_and_a_later_one_is_heard():
    with gentle_endings() as ended_by:
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
        # Somebody has swallowed it, and goes on.
        assert ended_by() == ending.signal_that_came() == signal.SIGTERM
        assert stop_of().event.is_set()
        assert stop_of().signal == signal.SIGTERM
        os.kill(os.getpid(), signal.SIGTERM)  # the second of ``timeout``
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)


def test_two_signals_at_once_are_one():
    with gentle_endings():
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)


def test_without_a_signal_a_live_session_begins_as_usual():
    with gentle_endings():
        assert not stop_of().event.is_set()


def test_ctrl_c_that_python_drops_in_a_callback_comes_again(monkeypatch: pytest.MonkeyPatch):
    """Seen once in 350 times while modules were imported: the search went on for minutes."""
    heard: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", heard.append)
    ending.hear_what_python_drops()

    class Loaded:
        def __init__(self, error: BaseException) -> None:
            self.error = error

        def __del__(self) -> None:
            raise self.error

    def load_and_work() -> None:
        Loaded(KeyboardInterrupt())  # gone at once, as nobody keeps it
        time.sleep(PATIENCE_S)

    Loaded(ValueError("somebody else's"))
    with pytest.raises(KeyboardInterrupt):
        load_and_work()
    assert len(heard) == 1
