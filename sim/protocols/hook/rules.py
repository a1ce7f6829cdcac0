"""The hook protocol's switchable rules.

Each field is a behaviour that the protocol document demands, with the row of
the catalogue, the reason, and what a user sees without it. Endpoints read the
fields; ``--without ownership-at-write`` switches one off.
"""

from __future__ import annotations

import attrs

from sim.core.rule import rule
from sim.protocols.hook.rules_desktop import DesktopRules


@attrs.frozen
class HookRules(DesktopRules):
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
    close_out: bool = rule(
        "HK-184",
        by="server",
        reason="The desktop keeps no record of a round beyond its process, so only the server "
        "can end it when the connection breaks.",
        without="A message says 'running' for ever though nobody works on it.",
    )
    refuse_bound_id: bool = rule(
        "HK-182",
        by="server",
        reason="Round ids come from desktops and share one table with the server's own ids.",
        without="A running task's message is hijacked by somebody else's retry.",
    )
    quarantine: bool = rule(
        "HK-183",
        by="server",
        reason="Frames carry no origin: after a refused reopen its id means the wrong task.",
        without="An unrelated message shows the round's progress and result.",
    )
    owner_check: bool = rule(
        "HK-178",
        by="server",
        reason="A request belongs to the device that it was dispatched to.",
        without="Another desktop's frames change somebody's answer.",
    )
    redelivery: bool = rule(
        "HK-38",
        "HK-39",
        by="server",
        reason="A dispatch, its ack or its end may be lost with the connection; the desktop's "
        "ledger makes a repetition harmless.",
        without="A network blip swallows the message, or its answer.",
    )
    webhook_dedupe: bool = rule(
        "HK-39",
        by="server",
        reason="Channels repeat an event until it is answered; the event id tells repetitions.",
        without="One message makes two tasks and two answers.",
    )
    one_decision: bool = rule(
        "HK-11",
        "HK-141",
        by="server",
        reason="A card asks one question; the first press that it offers is the answer.",
        without="Two people press, and the card shows what did not happen.",
    )
    retire_cards: bool = rule(
        "HK-144",
        by="server",
        reason="The cancel of an open card may be lost; the end of its task says the same.",
        without="Live buttons under a finished task.",
    )
