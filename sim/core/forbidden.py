"""What simulated code must not touch, and what it should use instead.

``FUNCTIONS`` are attributes that the fence replaces during a run, ``EVENTS``
the audit events by which the interpreter itself reports sockets, processes
and sleeps however they were imported.
"""

from __future__ import annotations

import datetime
import os
import random  # noqa: TID251 - the fence has to name what it forbids
import secrets
import time
import uuid  # noqa: TID251 - the fence has to name what it forbids
from typing import Any

import attrs

CLOCK = "use self.port.now_ms() or now_us(); in a Trio host trio.current_time()"
SLEEP = "use 'await self.perform(Sleep(us))'; in a Trio host 'await trio.sleep(s)'"
ENTROPY = (
    "use self.port.new_id(), new_frame_id() or draw(low, high); in a Trio host "
    "sim.core.ambient.HOST.get().new_id(), or random.Random(seed) with a seed of your own"
)
NETWORK = "use 'await self.perform(Dial(...))'; in a Trio host the connection that main() got"
PROCESS = "simulated hosts start no processes: model what they do as a host with on_call()"


@attrs.frozen
class Forbidden:
    """One attribute ``owner.name``. With ``bare`` it is only forbidden without arguments."""

    owner: Any
    name: str
    remedy: str
    bare: bool = False

    @property
    def title(self) -> str:
        """As the error message writes it."""
        return f"{self.owner.__name__}.{self.name}"


def _all(owner: Any, names: str, remedy: str, bare: bool = False) -> tuple[Forbidden, ...]:
    """Those of the names that this Python has."""
    return tuple(
        Forbidden(owner, name, remedy, bare) for name in names.split() if hasattr(owner, name)
    )


FUNCTIONS: tuple[Forbidden, ...] = (
    *_all(time, "time time_ns monotonic monotonic_ns perf_counter perf_counter_ns", CLOCK),
    *_all(time, "process_time process_time_ns thread_time thread_time_ns", CLOCK),
    *_all(time, "localtime gmtime ctime", CLOCK, bare=True),
    *_all(time, "sleep", SLEEP),
    *_all(os, "urandom getrandom", ENTROPY),
    *_all(uuid, "uuid1 uuid4 uuid6 uuid7", ENTROPY),
    *_all(secrets, "token_bytes token_hex token_urlsafe randbelow randbits choice", ENTROPY),
    *_all(random, "seed random uniform triangular randint choice choices randrange", ENTROPY),
    *_all(random, "sample shuffle normalvariate lognormvariate expovariate gauss", ENTROPY),
    *_all(random, "vonmisesvariate gammavariate betavariate paretovariate", ENTROPY),
    *_all(random, "weibullvariate binomialvariate getrandbits randbytes", ENTROPY),
    *_all(random, "getstate setstate", ENTROPY),
    *_all(random.SystemRandom, "random getrandbits randbytes", ENTROPY),
)

# The generator behind the module's functions, also behind ``from random import randint``.
SHARED_RANDOM: Any = getattr(random.random, "__self__")  # noqa: B009 - typeshed hides it

CLASSES: tuple[tuple[type, tuple[str, ...]], ...] = (
    (datetime.datetime, ("now", "utcnow", "today")),
    (datetime.date, ("today",)),
)

EVENTS: dict[str, str] = {
    "time.sleep": SLEEP,
    **dict.fromkeys(
        (
            "socket.__new__", "socket.bind", "socket.connect", "socket.sendto",
            "socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr",
            "urllib.Request", "http.client.connect", "ftplib.connect", "smtplib.connect",
        ),
        NETWORK,
    ),
    **dict.fromkeys(
        (
            "subprocess.Popen", "os.system", "os.posix_spawn", "os.spawn", "os.fork",
            "os.forkpty", "os.exec", "os.startfile",
        ),
        PROCESS,
    ),
}  # fmt: skip
