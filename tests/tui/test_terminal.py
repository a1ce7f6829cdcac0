"""The real program in a real (pseudo) terminal: what it leaves behind, above all."""

import contextlib
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from fcntl import ioctl
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENTER_ALTERNATE, LEAVE_ALTERNATE = b"\x1b[?1049h", b"\x1b[?1049l"
SHOW_CURSOR = b"\x1b[?25h"
SEQUENCE = re.compile(rb"\x1b\[[0-9;?<>=]*[a-zA-Z]")
PATIENCE_S = 120


class Terminal:
    """A program in a pseudo terminal of 120x36."""

    def __init__(self, *command: str) -> None:
        self.master, self.slave = pty.openpty()
        ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))
        self.before = termios.tcgetattr(self.slave)
        self.seen = b""
        environment = {**os.environ, "TERM": "xterm-256color", "LANG": "C.UTF-8"}
        for name in ("LC_ALL", "COLUMNS", "LINES"):
            environment.pop(name, None)
        environment["PYTHONPATH"] = str(ROOT)
        self.program = subprocess.Popen(
            [sys.executable, *command], stdin=self.slave, stdout=self.slave, stderr=self.slave,
            cwd=ROOT, env=environment, start_new_session=True,
        )  # fmt: skip

    def read(self) -> None:
        ready, _, _ = select.select([self.master], [], [], 0.1)
        if ready:
            with contextlib.suppress(OSError):
                self.seen += os.read(self.master, 1 << 16)

    def wait_for(self, text: str) -> None:
        """Until the text was written; what came before it is forgotten."""
        end = time.monotonic() + PATIENCE_S
        while text not in self.plain():
            assert time.monotonic() < end, f"never saw {text!r}: {self.plain()[-2000:]!r}"
            assert self.program.poll() is None, self.plain()[-2000:]
            self.read()
        self.seen = b""

    def plain(self) -> str:
        """What was written, without colours and moves of the cursor."""
        return SEQUENCE.sub(b"", self.seen).decode("utf-8", "replace")

    def press(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def end(self) -> int:
        """Wait for the program's end; its exit code."""
        end = time.monotonic() + PATIENCE_S
        while self.program.poll() is None:
            assert time.monotonic() < end, "the program does not end"
            self.read()
        for _ in range(3):
            self.read()
        return self.program.returncode

    def is_clean(self) -> bool:
        """The usual screen, a visible cursor, and the settings of before."""
        left = self.seen.rfind(LEAVE_ALTERNATE) > self.seen.rfind(ENTER_ALTERNATE)
        return (
            left
            and self.seen.rfind(SHOW_CURSOR) > -1
            and termios.tcgetattr(self.slave) == self.before
        )

    def close(self) -> None:
        if self.program.poll() is None:
            self.program.kill()
            self.program.wait()
        os.close(self.master)
        os.close(self.slave)


@pytest.fixture
def open_terminal():
    opened = []

    def start(*command):
        opened.append(Terminal(*command))
        return opened[-1]

    yield start
    for terminal in opened:
        terminal.close()


def test_a_whole_visit_leaves_the_terminal_as_it_was(open_terminal):
    terminal = open_terminal("-m", "tui", "reopen-teardown", "--lang", "en")
    terminal.wait_for("step 6")
    terminal.press("n")
    terminal.wait_for("step 8")
    terminal.press("/turn.end\r>f")  # in one go, as fast typists do
    terminal.wait_for("makes a branch")
    terminal.press("crash S\r")
    terminal.wait_for("branch: crash S")
    terminal.press("q")
    assert terminal.end() == 0  # nobody has opened a start screen
    assert terminal.is_clean()


def test_two_interrupts_quit_and_one_only_says_so(open_terminal):
    terminal = open_terminal("-m", "tui", "--lang", "en")
    terminal.wait_for("what shall be opened?")
    terminal.press("\x03")
    terminal.wait_for("Ctrl-C again quits")
    terminal.press("\x03")
    assert terminal.end() == 0
    assert terminal.is_clean()


def test_a_terminated_program_leaves_the_terminal_as_it_was(open_terminal):
    terminal = open_terminal("-m", "tui", "--lang", "en")
    terminal.wait_for("what shall be opened?")
    terminal.program.send_signal(signal.SIGTERM)
    assert terminal.end() == 128 + signal.SIGTERM
    assert terminal.is_clean()


BREAKS = """
from tui.app import HooktwinApp
class Broken(HooktwinApp):
    BINDINGS = [("z", "break", "break")]
    def action_break(self):
        raise RuntimeError("broken on purpose")
app = Broken()
app.run()
raise SystemExit(app.return_code)
"""


def test_an_exception_leaves_the_terminal_as_it_was_and_is_shown(open_terminal, tmp_path):
    script = tmp_path / "breaks.py"
    script.write_text(BREAKS, encoding="utf-8")
    terminal = open_terminal(str(script))
    terminal.wait_for("what shall be opened?")
    terminal.press("z")
    assert terminal.end() == 1
    assert terminal.is_clean()
    assert b"broken on purpose" in terminal.seen


def test_what_cannot_be_opened_is_said_behind_the_screen(open_terminal):
    terminal = open_terminal("-m", "tui", "tipical", "--lang", "en")
    assert terminal.end() == 2
    assert b"no shipped scenario is called 'tipical'" in terminal.seen
    assert b"typical" in terminal.seen
