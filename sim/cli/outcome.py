"""Exit codes, and errors as one message: what is wrong, where, and what to do.

======== =========================================================
0        everything holds
1        something failed: a run, a comparison, or hooktwin itself
2        the input cannot be used, or the output not be written: who gave it must act
130      interrupted (what was found so far has been printed)
141      whoever read the output went away, as shells count SIGPIPE; nothing is said
143      the same as 130, by SIGTERM
======== =========================================================
"""

from __future__ import annotations

import platform
import re
import shlex
import traceback
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from sim.cli.terminal import print_json, say
from sim.core.errors import HooktwinError, SimInternalError, UsageError

OK = 0
FAILED = 1
CANNOT_RUN = 2
INTERRUPTED = 130
BY_SIGNAL = 128
PIPE_CLOSED = 141
FEW = 10
"""So many names are told of a long list, where none of them is near."""
_URL_SECRETS = re.compile(r"(?<=://)[^/@]*(?=@)|(?<=\?).+(?=#|$)")


def unknown(what: str, word: str, known: Iterable[str], *, remedy: str = "") -> UsageError:
    """The error for a word that nobody knows: near matches, else those that are known, in their
    order; of many, the first few.

    ``remedy`` says where all of many are listed.
    """
    from sim.scenario.source import close_to, near

    names = tuple(dict.fromkeys(known))
    if close_to(word, names):
        offered = f"did you mean: {', '.join(near(word, names))}"
    elif remedy and len(names) > FEW:
        offered = f"the first {FEW} of {len(names)}: {', '.join(names[:FEW])}"
    else:
        offered = f"known: {', '.join(names)}"
    tail = f"; {remedy}" if remedy else ""
    return UsageError(f"unknown {what} {word!r}; {offered}{tail}")


def unusable_json(scenario: str, error: UsageError) -> dict[str, Any]:
    """What ``--json`` prints for an input that cannot be used."""
    told = {
        name: getattr(error, name, default)
        for name, default in (("path", ""), ("line", 0), ("column", 0), ("text", str(error)))
    }
    told["allowed"] = list(getattr(error, "allowed", ()))
    return {"ok": False, "scenario": scenario, "error": told}


@contextmanager
def told_as_json(scenario: str, as_json: bool) -> Iterator[None]:
    """With ``--json``, an input that cannot be used is told on stdout, too."""
    try:
        yield
    except UsageError as error:
        if as_json:
            print_json(unusable_json(scenario, error))
        raise


def complain(error: BaseException, arguments: Sequence[str]) -> int:
    """Print the one message for an error; the exit code."""
    if isinstance(error, UsageError):
        say(f"hooktwin: {error}")
        return CANNOT_RUN
    if isinstance(error, HooktwinError) and not isinstance(error, SimInternalError):
        say(f"hooktwin: the simulation failed: {type(error).__name__}: {error}")
        for note in getattr(error, "__notes__", ()):
            say(f"  {note}")
        _say_what_to_paste(error, arguments)
        return FAILED
    if isinstance(error, OSError) and not isinstance(error, SimInternalError) and error.strerror:
        where = error.filename or "the output is not whole"
        say(f"hooktwin: {where}: {error.strerror}")
        return CANNOT_RUN
    say(f"hooktwin: internal error: {type(error).__name__}: {error}")
    _say_what_to_paste(error, arguments)
    return FAILED


def _without_secrets(arguments: Sequence[str]) -> Iterator[str]:
    """The command line as it may be shown to others: no token, no password, no query."""
    before = ""
    for word in arguments:
        if before == "--token":
            yield "…"
        elif word.startswith("--token="):
            yield "--token=…"
        else:
            yield _URL_SECRETS.sub("…", word)
        before = word


def _say_what_to_paste(error: BaseException, arguments: Sequence[str]) -> None:
    from sim import __version__

    say("This is a defect of hooktwin or of an actor. Please report it with these lines:")
    say(f"  hooktwin {shlex.join(_without_secrets(arguments))}")
    say(f"  version {__version__}, Python {platform.python_version()}, {platform.platform()}")
    for part in traceback.format_exception(error, limit=-6):
        say(*(f"  {line}" for line in part.rstrip("\n").split("\n")))
