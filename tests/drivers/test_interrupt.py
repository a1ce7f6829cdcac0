"""Ctrl-C in virtual time: remembered, and raised between two steps."""

import os
import signal
import threading

import pytest

from sim.drivers.interrupt import between_steps


def test_the_first_interrupt_waits_until_it_is_asked_for() -> None:
    with between_steps() as ask:
        os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            ask()


def test_a_second_interrupt_does_not_wait_any_more() -> None:
    def press_twice() -> None:
        with between_steps():
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        press_twice()


def test_afterwards_the_usual_handler_is_back() -> None:
    with between_steps() as ask:
        ask()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_of_the_program_itself_is_left_alone() -> None:
    seen = []
    usual = signal.signal(signal.SIGINT, lambda *_: seen.append(1))
    try:
        with between_steps() as ask:
            os.kill(os.getpid(), signal.SIGINT)
            ask()
    finally:
        signal.signal(signal.SIGINT, usual)
    assert seen == [1]


def test_in_another_thread_nothing_is_installed() -> None:
    found = []

    def work() -> None:
        with between_steps() as ask:
            ask()
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [signal.default_int_handler]


def test_a_ctrl_c_behind_the_last_step_is_not_lost() -> None:
    with pytest.raises(KeyboardInterrupt), between_steps():
        os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
