"""Ctrl-C between two steps, where nothing is half done.

A KeyboardInterrupt may be raised at any bytecode, in the middle of an event
loop or of a clean-up where nobody passes it on. While a run in virtual time
is on, the first Ctrl-C is only remembered, and raised when the driver next
asks whether the run is over, at the latest when it is over; a second one
interrupts on the spot (a handler may never come back).
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def between_steps() -> Iterator[Callable[[], None]]:
    """Gives the function that raises KeyboardInterrupt if somebody pressed Ctrl-C.

    Does nothing outside the main thread, and where the program has a SIGINT
    handler of its own.
    """
    pressed = False

    def remember(number: int, frame: Any) -> None:
        nonlocal pressed
        pressed = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def ask() -> None:
        nonlocal pressed
        if pressed:
            pressed = False
            raise KeyboardInterrupt

    usual = threading.current_thread() is threading.main_thread() and (
        signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if usual:
        signal.signal(signal.SIGINT, remember)
    try:
        yield ask
    finally:
        if usual:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    ask()  # nobody has asked since: it would be lost, and the next run begin
