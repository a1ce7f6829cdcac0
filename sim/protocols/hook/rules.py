"""The hook protocol's switchable rules.

Each field is a behaviour that the protocol document demands, with the row of
the catalogue, the reason, and what a user sees without it. Endpoints read the
fields; ``--without ownership-at-write`` switches one off.
"""

from __future__ import annotations

import attrs

from sim.core.rule import rule


@attrs.frozen
class HookRules:
    """All rules on by default."""

    # ---- obeyed by the server ------------------------------------------------
    ownership_at_write: bool = rule(
        "HK-186",
        "HK-187",
        by="server",
        reason="A close-out is written long after it was decided; by then a newer reopen or "
        "a final answer may own the message.",
        without="A fresh retry, or even its answer, is overwritten by an old 'interrupted'.",
    )

    # ---- obeyed by the desktop -----------------------------------------------
    ack_replay: bool = rule(
        "HK-37",
        by="desktop",
        reason="A redelivered dispatch is the same task; only its ack is repeated.",
        without="Work is done twice and two answers compete.",
    )
