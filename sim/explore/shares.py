"""What a worker of a cluster does: its share of a batch, if it runs the same code.

Everything comes and goes as bytes, so that nobody on the way has to
understand it, and so that another version is noticed before it is unpickled.
"""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock

import attrs

import sim
from sim.core.errors import UsageError
from sim.drivers.step import many_runs
from sim.explore.schedule import Case
from sim.explore.trial import Outcome, Try, attempt

# A worker may have several threads; runs of one process follow each other.
_one_at_a_time = Lock()


@attrs.frozen
class Code:
    """Which hooktwin this is: its version, and a hash of its sources."""

    version: str
    sources: str

    def __str__(self) -> str:
        return f"{self.version} ({self.sources[:12]})"


@cache
def code_here() -> Code:
    """The code of this process. Equal codes give equal outcomes for equal tries."""
    return Code(sim.__version__, hash_of(Path(sim.__file__).parent))


def hash_of(root: Path) -> str:
    """32 hexadecimal digits that depend on all Python files below a folder, not on its place."""
    digest = hashlib.blake2b(digest_size=16)
    for path in sorted(root.rglob("*.py"), key=lambda one: one.relative_to(root).as_posix()):
        # An editor or git may have changed how lines end; that changes nothing.
        text = path.read_bytes().replace(b"\r\n", b"\n")
        name = path.relative_to(root).as_posix()
        digest.update(f"{name}\0{len(text)}\0".encode() + text)
    return digest.hexdigest()


def packed(case: Case) -> bytes:
    """A case, ready to be sent."""
    return pickle.dumps(case)


def share_of(tries: Sequence[Try], length: int) -> bytes:
    """Some tries, ready to be sent. ``length``: see :func:`sim.explore.trial.attempt`."""
    return pickle.dumps((tuple(tries), length))


def run_share(version: str, sources: str, case: bytes, share: bytes) -> bytes:
    """Run a share; what it gives is for :func:`outcomes_of`.

    ``version`` and ``sources`` are the client's code. Raises UsageError when this
    worker has another.
    """
    theirs, ours = Code(version, sources), code_here()
    if theirs != ours:
        raise UsageError(different(theirs, {"a worker": ours}))
    tries, length = pickle.loads(share)
    outcomes = []
    with _one_at_a_time, many_runs() as after_run:
        known = _case(case)
        for one in tries:
            outcomes.append(attempt(known, one, length=length))
            after_run()
    return pickle.dumps(outcomes)


def outcomes_of(result: bytes) -> list[Outcome]:
    """The outcomes of a share."""
    outcomes: list[Outcome] = pickle.loads(result)
    return outcomes


def different(here: Code, there: dict[str, Code]) -> str:
    """What to say to somebody whose workers run other code."""
    listing = ", ".join(f"{worker} has {code}" for worker, code in there.items())
    return (
        f"this is hooktwin {here}, but {listing}: the same schedule could be another run there; "
        "install the same hooktwin everywhere and restart the workers"
    )


@lru_cache(maxsize=4)
def _case(data: bytes) -> Case:
    case: Case = pickle.loads(data)
    return case
