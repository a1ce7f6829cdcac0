"""When a message may rightly look other than it should: its write is under way."""

from __future__ import annotations

from sim.protocols.hook.oracles.oracle import SECOND_US
from sim.protocols.hook.server.manners import manners_of
from sim.protocols.hook.server.plan import Limits
from sim.protocols.hook.view import HookView
from sim.protocols.hook.view_writes import Care

GRACE_US = 10 * SECOND_US
TROUBLE_US = 150 * SECOND_US


def looked_for_us(lane: str) -> int:
    """How long a server looks for a post of unknown outcome, and two pauses between looks."""
    limits = Limits()
    return manners_of(lane, limits.text_chars).doubt_us + 2 * limits.retry_max_us


def is_waiting(view: HookView, care: Care, since_us: int) -> bool:
    """Whether the server has had no fair chance to write since ``since_us``.

    It has not while a call is unanswered, for some seconds after the cause, for
    its longest backoff after a refusal, and while it is down.
    """
    now = view.now
    if care.pending or now - since_us < GRACE_US or now - care.troubled_us < TROUBLE_US:
        return True
    return any(
        not host.up or now - host.since < GRACE_US
        for host in view.hosts.values()
        if host.name in view.writers
    )
