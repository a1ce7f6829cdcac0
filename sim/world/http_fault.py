"""What may become of an HTTP call between two hosts, beside an answer.

======================  ============  =======================================
outcome                 applied       the caller gets
======================  ============  =======================================
``refused``             no            ``Unreached("refused")`` at once
``reset``               no            ``Unreached("reset")`` at once
``lost``                no            ``NO_ANSWER``, at its time-out
``400`` … ``599``       no            that status
``5000000us``           later         its answer, so much later (slow)
``broken``              yes           ``Unreached("reset")``
``unanswered``          yes           ``NO_ANSWER``, at its time-out
======================  ============  =======================================

A fault strikes a call on its way (:func:`strike_call`), or waits for the next ones of
a kind (:func:`strike_next`). A host that is down refuses; one that crashes in the middle
of a call resets it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import attrs

from sim.core.event import FaultInjected
from sim.core.http import REFUSED, RESET, HttpRequest, HttpResponse, Unreached

if TYPE_CHECKING:
    from sim.world.call import CallRequest, PendingCall
    from sim.world.world import World

LOST: Final = "lost"
BROKEN: Final = "broken"
UNANSWERED: Final = "unanswered"
BEHIND: Final = (BROKEN, UNANSWERED)
"""Those that befall the answer of a call that was applied."""
WORDS: Final = (REFUSED, RESET, LOST, *BEHIND)
MENU: Final = (*WORDS, "500", "404", "5000000us")
"""What a search tries."""
ANY: Final = "*"
MOST_TIMES: Final = 999

_STATUS = re.compile("[45][0-9][0-9]")
_SLOW = re.compile("[0-9]{1,12}us")


def is_outcome(word: str) -> bool:
    """Whether it is one of the table above."""
    return word in WORDS or bool(_STATUS.fullmatch(word) or _SLOW.fullmatch(word))


def is_request(name: str) -> bool:
    """Whether a schedule's name of something that happens is that of an HTTP request."""
    return name.startswith("apply ") and ":/" in name


def is_http(call: PendingCall) -> bool:
    """Whether the call is a request over HTTP."""
    return type(call.op.request) is HttpRequest


@attrs.define
class Waiting:
    """A fault for the next ``times`` requests of a kind; ``word`` may be ``*``."""

    word: str
    outcome: str
    times: int


class HttpFaults:
    """The faults of one world that wait for their call, by caller and callee."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], list[Waiting]] = {}

    def add(self, caller: str, callee: str, waiting: Waiting) -> None:
        """Those that were added first strike first."""
        self._waiting.setdefault((caller, callee), []).append(waiting)

    def take(self, call: PendingCall) -> str:
        """The outcome for this call, used up with it; "" without one."""
        route = (call.caller, call.op.to)
        waiting = self._waiting.get(route)
        if not waiting:
            return ""
        word = call.op.request.word
        found = next((one for one in waiting if one.word in (word, ANY)), None)
        if found is None:
            return ""
        found.times -= 1
        if not found.times:
            waiting.remove(found)
        return found.outcome


def _say(world: World, name: str, target: str) -> None:
    n = world.next_n()
    world.record(FaultInjected(n, world.now, world.cause, name, target))
    world.cause = n


def strike_call(world: World, item: CallRequest, outcome: str) -> None:
    """Befall one request that is on its way."""
    call = item.call
    _say(world, f"http {item.name()} {outcome}", call.op.to)
    call.outcome = outcome


def strike_next(
    world: World, caller: str, callee: str, word: str, outcome: str, times: int = 1
) -> None:
    """Befall the next ``times`` requests ``word`` (``GET:/question``, or ``*``)."""
    often = f" {times}x" if times > 1 else ""
    _say(world, f"http {caller}>{callee} {word} {outcome}{often}", callee)
    world.http_faults.add(caller, callee, Waiting(word, outcome, times))


def instead(outcome: str) -> HttpResponse | Unreached | None:
    """What the caller gets in place of an answer; None: nothing ever, or its answer."""
    if outcome in (REFUSED, RESET):
        return Unreached(outcome)
    if outcome == BROKEN:
        return Unreached(RESET)
    return HttpResponse(int(outcome)) if _STATUS.fullmatch(outcome) else None


def slow_us(outcome: str) -> int:
    """By how much the request is late (µs)."""
    return int(outcome.removesuffix("us")) if _SLOW.fullmatch(outcome) else 0
