"""The fence between simulated code and the real world's clocks, entropy and sockets.

Drivers of virtual time put it up during a run. Inside, while a host's code
runs (``ambient.HOST`` says so, per context, so other threads and tasks do not
notice), a forbidden call raises FenceError with its place and the remedy.

How: the attributes in ``forbidden.FUNCTIONS`` are replaced for the time of the
run, and an audit hook (installed once, inert outside runs) sees sockets and
processes under any name (and sleeps, where Python reports them). What escapes:

* a clock, ``sleep``, ``os.urandom``, ``random.random``, ``getrandbits`` bound by
  ``from time import time`` before the run: C functions under another name;
* ``from datetime import datetime`` before the run, likewise. (During a run
  ``datetime.datetime`` is a stand-in for which ``isinstance`` holds; instances
  are real ones, but cannot be pickled until the run is over.)
* what C extensions do by themselves, and reading files.

``fenced(strict=True)`` also watches every call of a C function through
``sys.setprofile``: it catches all aliases, at several times the run time.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from sim.core.ambient import HOST, OUTSIDE
from sim.core.errors import FenceError, UsageError
from sim.core.forbidden import (
    CLASSES,
    CLOCK,
    ENTROPY,
    EVENTS,
    FUNCTIONS,
    SHARED_RANDOM,
    Forbidden,
)

# Between the forbidden function and the code that meant it.
_PASSED_OVER = frozenset({__name__, "random", "secrets", "uuid", "datetime", "tempfile"})
# They may ask for the time or a nonce in the middle of a host's code: none of it
# reaches the simulation.
_TRUSTED = frozenset({
    "trio", "outcome", "logging", "warnings", "traceback", "linecache", "threading",
    "concurrent", "pdb", "bdb", "pydevd", "_pydevd_bundle", "debugpy", "coverage",
    "_pytest", "pytest_timeout", "hypothesis", "importlib", "faulthandler",
})  # fmt: skip
# Trio opens sockets only because somebody told it to.
_MESSENGERS = frozenset({"trio", "socket", "subprocess", "threading", "concurrent"})

_lock = threading.Lock()
_depth = 0
_hooked = False
_replaced: list[tuple[Any, str, Any, Any]] = []  # owner, name, what was there, our stand-in
_stand_ins: dict[tuple[Any, str], tuple[Any, Any]] = {}
_ABSENT = object()


@contextmanager
def fenced(*, strict: bool = False) -> Iterator[None]:
    """Keep simulated code inside until the block ends. May be nested.

    Raises UsageError when ``strict`` meets a profiler that it cannot call.
    """
    _put_up()
    try:
        if strict:
            with _profiled():
                yield
        else:
            yield
    finally:
        _take_down()


def _put_up() -> None:
    global _depth, _hooked
    with _lock:
        _depth += 1
        if _depth > 1:
            return
        if not _hooked:
            sys.addaudithook(_audit)
            _hooked = True
        for owner, name, make in _places():
            _replace(owner, name, make)


@functools.cache
def _places() -> tuple[tuple[Any, str, Callable[[Any], Any]], ...]:
    """Every attribute to replace, and what makes its stand-in; a search asks for each run."""
    shared = type(SHARED_RANDOM)
    return (
        *((one.owner, one.name, functools.partial(_guarded, one)) for one in FUNCTIONS),
        (shared, "seed", _guarded_seed),
        (shared, "random", _guarded_draw),
        (shared, "getrandbits", _guarded_draw),
        *(
            (sys.modules[real.__module__], real.__name__,
             functools.partial(_stand_in_class, names=names))
            for real, names in CLASSES
        ),
    )  # fmt: skip


def _take_down() -> None:
    global _depth
    with _lock:
        _depth -= 1
        if _depth:
            return
        for owner, name, before, ours in reversed(_replaced):
            # Somebody else may have put something over ours: leave theirs alone.
            if vars(owner).get(name) is ours:
                if before is _ABSENT:
                    delattr(owner, name)
                else:
                    setattr(owner, name, before)
        _replaced.clear()


def _replace(owner: Any, name: str, make: Callable[[Any], Any]) -> None:
    """Put a stand-in over an attribute; made once for each thing that is found there."""
    before = vars(owner).get(name, _ABSENT)
    real = getattr(owner, name) if before is _ABSENT else before
    known = _stand_ins.get((owner, name))
    if known is None or known[0] is not real:
        _stand_ins[owner, name] = known = (real, make(real))
    _replaced.append((owner, name, before, known[1]))
    setattr(owner, name, known[1])


# -- stand-ins ---------------------------------------------------------------------


def _guarded(entry: Forbidden, real: Any) -> Any:
    inside = HOST.get
    bare = entry.bare

    @functools.wraps(real)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        if inside() is not OUTSIDE and not (bare and (args or kwargs)):
            _refuse(entry.title, entry.remedy)
        return real(*args, **kwargs)

    return guarded


def _guarded_seed(real: Any) -> Any:
    @functools.wraps(real)
    def seed(self: Any, a: Any = None, *args: Any, **kwargs: Any) -> None:
        if HOST.get() is not OUTSIDE and (a is None or self is SHARED_RANDOM):
            _refuse("random.seed" if a is not None else "random.Random() without a seed", ENTROPY)
        real(self, a, *args, **kwargs)

    return seed


def _guarded_draw(real: Any) -> Any:
    # ``from random import randint`` still ends here, with the module's own generator.
    @functools.wraps(real)
    def draw(self: Any, *args: Any) -> Any:
        if self is SHARED_RANDOM and HOST.get() is not OUTSIDE:
            _refuse(f"random.{real.__name__}", ENTROPY)
        return real(self, *args)

    return draw


def _stand_in_class(real: Any, names: tuple[str, ...]) -> Any:
    class Meta(type(real)):  # type: ignore[misc]
        def __instancecheck__(cls, value: Any) -> bool:
            return isinstance(value, real)

        def __subclasscheck__(cls, other: type) -> bool:
            return issubclass(other, real)

    def new(cls: Any, *args: Any, **kwargs: Any) -> Any:
        return real.__new__(real if cls is made else cls, *args, **kwargs)

    def asking(name: str) -> Any:
        def ask(cls: Any, *args: Any, **kwargs: Any) -> Any:
            if HOST.get() is not OUTSIDE:
                _refuse(f"{real.__name__}.{name}", CLOCK)
            return getattr(real, name)(*args, **kwargs)

        return classmethod(ask)

    body = {"__new__": new, "__module__": real.__module__, "__doc__": real.__doc__}
    made = Meta(real.__name__, (real,), body | {name: asking(name) for name in names})
    return made


# -- refusing ------------------------------------------------------------------------


def _refuse(what: str, remedy: str, passed_over: frozenset[str] = _PASSED_OVER) -> None:
    """Raise FenceError, unless the call comes from a tool that is above suspicion."""
    frame: FrameType | None = sys._getframe(1)
    site = frame
    while frame is not None:
        name = frame.f_globals.get("__name__") or ""
        package = name.partition(".")[0]
        if name not in passed_over and package not in passed_over:
            site = frame
            if package in _TRUSTED:
                return
            break
        # The outermost function of the standard library is the one that was meant.
        if name != __name__ and not frame.f_code.co_name.startswith("_"):
            what = f"{package}.{frame.f_code.co_name}"
        frame = frame.f_back
    assert site is not None
    raise FenceError(
        f"{site.f_code.co_filename}:{site.f_lineno}: simulated code called {what}, "
        f"which belongs to the real world; {remedy}"
    )


def _audit(event: str, args: tuple[Any, ...]) -> None:
    """Python reports sockets, processes and sleeps here under whatever name they go."""
    if _depth and event in EVENTS and HOST.get() is not OUTSIDE:
        _refuse(event.removesuffix(".__new__"), EVENTS[event], _PASSED_OVER | _MESSENGERS)


# -- strict --------------------------------------------------------------------------


@functools.cache
def _c_functions() -> dict[Any, tuple[str, str]]:
    """The real C functions behind the forbidden names."""
    table = {}
    for entry in FUNCTIONS:
        known = _stand_ins.get((entry.owner, entry.name))
        real = known[0] if known else getattr(entry.owner, entry.name)
        if type(real) is type(len) and not entry.bare:
            table[real] = (entry.title, entry.remedy)
    for cls, names in CLASSES:
        for name in names:
            table[getattr(cls, name)] = (f"{cls.__name__}.{name}", CLOCK)
    return table


@contextmanager
def _profiled() -> Iterator[None]:
    before: Any = sys.getprofile()
    if getattr(before, "is_fence", False):
        yield
        return
    if before is not None and not callable(before):
        raise UsageError(
            f"the strict fence needs sys.setprofile, which {type(before).__name__} occupies: "
            "run without the profiler, or without strict"
        )
    table = _c_functions()

    def profile(frame: FrameType, event: str, arg: Any) -> None:
        if before is not None:
            before(frame, event, arg)
        if event == "c_call" and HOST.get() is not OUTSIDE and arg in table:
            _refuse(*table[arg])

    profile.is_fence = True  # type: ignore[attr-defined]
    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(before)
