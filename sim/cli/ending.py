"""SIGTERM and SIGHUP end a command as Ctrl-C does: it tells what it has, and cleans up.

Without this they kill the process on the spot, and its workers and temporary
folders stay. The exit code is 128 and the signal's number, as shells count.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

NAMES = ("SIGTERM", "SIGHUP")


@contextmanager
def gentle_endings() -> Iterator[Callable[[], int]]:
    """Gives the function that says which signal came: its number, 0 for none.

    Does nothing outside the main thread, and for signals that somebody handles
    or ignores already (nohup).
    """
    came = 0

    def end(number: int, frame: Any) -> None:
        nonlocal came
        came = number
        # More of them (timeout sends two) must not disturb the cleaning up.
        signal.signal(number, signal.SIG_IGN)
        on_interrupt = signal.getsignal(signal.SIGINT)
        if callable(on_interrupt):
            on_interrupt(signal.SIGINT, frame)
        else:
            raise KeyboardInterrupt

    taken = list(_ours()) if threading.current_thread() is threading.main_thread() else []
    for number in taken:
        signal.signal(number, end)
    try:
        yield lambda: came
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def _ours() -> Iterator[signal.Signals]:
    for name in NAMES:
        number: signal.Signals | None = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            yield number
