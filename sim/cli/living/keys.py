"""Single keys from a terminal, while an event loop runs; the terminal is as it was after."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from sim.core.errors import UsageError

Press = Callable[[str], None]
Reader = Callable[[Press], Awaitable[None]]


@contextmanager
def keys_of_terminal(wanted: bool) -> Iterator[Reader | None]:
    """Gives what reads keys in a running Trio, None if they are not wanted.

    Raises UsageError when standard input is no terminal.
    """
    if not wanted:
        yield None
        return
    try:
        import termios
        import tty
    except ImportError as error:
        raise UsageError(
            "--keys: this system has no such terminals; use the control API"
        ) from error
    if sys.stdin is None or not sys.stdin.isatty():
        raise UsageError("--keys needs a terminal; use the control API (its port is printed)")
    number = sys.stdin.fileno()
    before = termios.tcgetattr(number)
    try:
        tty.setcbreak(number)  # Ctrl-C stays Ctrl-C
        yield _reader(number)
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)


def _reader(number: int) -> Reader:
    async def read(press: Press) -> None:
        import trio

        while True:
            await trio.lowlevel.wait_readable(number)
            pressed = os.read(number, 64)
            if not pressed:
                return  # the terminal has gone
            for key in pressed.decode("ascii", errors="replace"):
                press(key)

    return read
