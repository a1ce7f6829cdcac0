"""Inside the fence the real world is out of reach; outside nothing has changed."""

from __future__ import annotations

import datetime
import logging
import os
import pickle
import random
import secrets
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime as early_datetime
from pathlib import Path
from random import choice as early_choice
from random import random as early_random
from time import sleep as early_sleep
from time import time as early_time
from typing import Any

import pytest

from sim.core import ambient
from sim.core.errors import FenceError
from sim.core.fence import fenced
from sim.world.world import World


@contextmanager
def simulated(strict: bool = False) -> Iterator[None]:
    """As if a host's handler ran here, with the fence up."""
    world = World()
    token = ambient.HOST.set(world.add_host("D", "desktop", lambda port: None))  # type: ignore
    try:
        with fenced(strict=strict):
            yield
    finally:
        ambient.HOST.reset(token)


FORBIDDEN: dict[str, Callable[[], Any]] = {
    "time.time": lambda: time.time(),
    "time.time_ns": lambda: time.time_ns(),
    "time.monotonic": lambda: time.monotonic(),
    "time.perf_counter": lambda: time.perf_counter(),
    "time.process_time": lambda: time.process_time(),
    "time.localtime": lambda: time.localtime(),
    "time.sleep": lambda: time.sleep(0),
    "datetime.now": lambda: datetime.datetime.now(datetime.UTC),
    "datetime.today": lambda: datetime.datetime.today(),
    "date.today": lambda: datetime.date.today(),
    "os.urandom": lambda: os.urandom(1),
    "random.random": lambda: random.random(),
    "random.randint": lambda: random.randint(1, 2),
    "random.shuffle": lambda: random.shuffle([1, 2]),
    "random.seed": lambda: random.seed(1),
    "random.Random() without a seed": lambda: random.Random(),
    "random.choice": lambda: random.SystemRandom().choice([1]),
    "uuid.uuid1": lambda: uuid.uuid1(),
    "uuid.uuid4": lambda: uuid.uuid4(),
    "secrets.token_hex": lambda: secrets.token_hex(),
    "secrets.randbelow": lambda: secrets.randbelow(3),
    "socket": lambda: socket.socket(),
    "socket.getaddrinfo": lambda: socket.getaddrinfo("127.0.0.1", 80),
    "subprocess.Popen": lambda: subprocess.Popen(["true"]),
    "os.system": lambda: os.system("true"),
    "os.fork": lambda: os.fork(),
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_simulated_code_cannot_reach(what: str) -> None:
    call = FORBIDDEN[what]
    with simulated(), pytest.raises(FenceError) as caught:
        call()
    line = call.__code__.co_firstlineno
    text = str(caught.value)
    assert text.startswith(f"{__file__}:{line}: simulated code called ")
    assert what in text or what.split(".")[0] in text
    assert "; use " in text or "; simulated hosts " in text


@pytest.mark.parametrize("what", FORBIDDEN)
def test_outside_code_can_during_a_run(what: str) -> None:
    if what in ("subprocess.Popen", "os.system", "os.fork", "random.seed"):
        pytest.skip("works, but leaves something behind")
    with fenced():
        result = FORBIDDEN[what]()
    if isinstance(result, socket.socket):
        result.close()


def test_after_the_run_everything_is_as_it_was() -> None:
    def watched() -> list[Any]:
        owners = (time, os, random, uuid, secrets, datetime, random.Random, random.SystemRandom)
        return [dict(vars(owner)) for owner in owners]

    before = watched()
    during: list[Any] = []

    def fail() -> None:
        during.extend(watched())
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), fenced(), fenced():
        fail()
    assert during != before
    assert watched() == before


def test_datetime_today_asks_the_clock_and_is_caught_under_any_name() -> None:
    with simulated(), pytest.raises(FenceError):
        early_datetime.today()


def test_an_early_alias_of_a_python_function_of_random_is_caught() -> None:
    with simulated(), pytest.raises(FenceError, match=r"random\.choice"):
        early_choice([1, 2])


@pytest.mark.parametrize(
    "escape",
    [early_time, early_random, early_datetime.now],
    ids=["time", "random", "now"],
)
def test_the_strict_fence_catches_early_aliases_of_c_functions(escape: Callable[[], Any]) -> None:
    with simulated():
        escape()
    with simulated(strict=True), pytest.raises(FenceError):
        escape()
    assert sys.getprofile() is None


def test_the_strict_fence_catches_an_early_alias_of_sleep() -> None:
    with simulated(strict=True), pytest.raises(FenceError, match=r"time\.sleep"):
        early_sleep(0)


def test_the_strict_fence_calls_the_profiler_that_was_there() -> None:
    seen: list[str] = []
    sys.setprofile(lambda frame, event, arg: seen.append(event))
    try:
        with fenced(strict=True), fenced(strict=True):
            len("x")
        assert sys.getprofile() is not None
    finally:
        sys.setprofile(None)
    assert "c_call" in seen


def test_a_seeded_generator_is_allowed_and_gives_the_same_numbers() -> None:
    outside = random.Random(7)
    expected = (outside.random(), outside.randint(1, 99), outside.choice("abc"))
    with simulated():
        inside = random.Random(7)
        assert (inside.random(), inside.randint(1, 99), inside.choice("abc")) == expected


def test_given_times_and_dates_are_allowed() -> None:
    with simulated():
        moment = datetime.datetime(2026, 1, 2, tzinfo=datetime.UTC)
        assert isinstance(moment, datetime.datetime)
        assert isinstance(moment, datetime.date)
        assert not isinstance("x", datetime.datetime)
        assert issubclass(datetime.datetime, datetime.date)
        assert datetime.datetime.fromtimestamp(0, datetime.UTC).year == 1970
        assert datetime.date(2026, 1, 2) + datetime.timedelta(1) == datetime.date(2026, 1, 3)
        assert time.gmtime(0).tm_year == 1970
        assert type(moment) is early_datetime
    assert pickle.loads(pickle.dumps(moment)) == moment


def test_logging_inside_a_handler_still_works(caplog: pytest.LogCaptureFixture) -> None:
    with simulated():
        logging.getLogger("host").warning("hello")
    assert caplog.messages == ["hello"]


def test_files_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("y")
    with simulated():
        assert (tmp_path / "x").read_text() == "y"


def test_other_threads_do_not_notice() -> None:
    got: list[Any] = []
    with simulated():
        thread = threading.Thread(target=lambda: got.append((time.time(), uuid.uuid4())))
        thread.start()
        thread.join()
    assert len(got) == 1


def test_what_somebody_else_put_over_it_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    with fenced():
        monkeypatch.setattr(time, "time", lambda: 1.0)
    assert time.time() == 1.0


def test_what_was_put_in_before_is_what_outside_code_gets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "time", lambda: 1.0)
    with fenced():
        assert time.time() == 1.0


def test_an_inner_fence_does_no_work_and_does_not_open_the_outer_one() -> None:
    with fenced():
        outer = time.time
        with fenced():
            assert time.time is outer
        assert time.time is outer
