"""SIGTERM and SIGHUP end a command as Ctrl-C does: it tells what it has, and cleans up.

Without this they kill the process on the spot, and its workers and temporary
folders stay. The exit code is 128 and the signal's number, as shells count.

An exception that a signal raises may be lost: Python drops those that come up in a
finalizer or a callback of the collector. So the third signal raises it again (the second
one may belong to the first: ``timeout`` sends two, and what is being cleaned up must not
be disturbed), and commands that wait for signals themselves ask first which one has come.
What was dropped comes again by itself, too (``hear_what_python_drops``).
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

NAMES = ("SIGTERM", "SIGHUP")
AGAIN_AFTER_S = 0.01


class _Came:
    """Which signal came first (0: none), and how many have come."""

    number = 0
    count = 0


def signal_that_came() -> int:
    """The number of the signal that this command line was to end by, whatever became of it;
    0: none."""
    return _Came.number


@contextmanager
def gentle_endings() -> Iterator[Callable[[], int]]:
    """Gives the function that says which signal came: its number, 0 for none.

    Does nothing outside the main thread, and for signals that somebody handles
    or ignores already (nohup).
    """
    _Came.number = _Came.count = 0

    def end(number: int, frame: Any) -> None:
        # Simulated code may be running: no clock may be asked here.
        _Came.number = _Came.number or number
        _Came.count += 1
        if _Came.count % 2 == 0:
            return
        on_interrupt = signal.getsignal(signal.SIGINT)
        if callable(on_interrupt):
            on_interrupt(signal.SIGINT, frame)
        else:
            raise KeyboardInterrupt

    taken = list(_ours()) if threading.current_thread() is threading.main_thread() else []
    for number in taken:
        signal.signal(number, end)
    try:
        yield signal_that_came
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def hear_what_python_drops() -> None:
    """Send Ctrl-C again, a moment later, when its exception came up where nobody passes it on.

    The import system alone has one such callback per module: without this a command that is
    told to end while it loads may go on as if nothing had been said.
    """
    usual = sys.unraisablehook

    def heard(dropped: Any) -> None:
        if issubclass(dropped.exc_type, KeyboardInterrupt):
            # Not from here: this is the callback's frame, and it would be dropped again.
            main = threading.main_thread().ident
            again = threading.Timer(AGAIN_AFTER_S, signal.pthread_kill, (main, signal.SIGINT))
            again.daemon = True
            again.start()
        else:
            usual(dropped)

    sys.unraisablehook = heard


def _ours() -> Iterator[signal.Signals]:
    for name in NAMES:
        number: signal.Signals | None = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            yield number
