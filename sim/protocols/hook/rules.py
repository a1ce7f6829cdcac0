"""The hook protocol's switchable rules.

Each field is a behaviour that the protocol document demands, with the row of
the catalogue, the reason, and what a user sees without it. Endpoints read the
fields; ``--without ownership-at-write`` switches one off.
"""

from __future__ import annotations

import attrs

from sim.core.rule import rule
from sim.protocols.hook.rules_accounts import AccountRules


@attrs.frozen
class HookRules(AccountRules):
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
    teardown_per_socket: bool = rule(
        "HK-184",
        by="server",
        reason="A round lives on one connection; that its device is back on another one does "
        "not bring it back.",
        without="The desktop is online, and a message says 'running' for ever.",
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
    dedupe_outlives_repeats: bool = rule(
        "HK-39",
        by="server",
        reason="A channel repeats an event for as long as no answer has reached it; its id must "
        "be known for longer than that.",
        without="When the network is slow at the wrong moment, one message makes two tasks.",
    )
    newest_wins: bool = rule(
        "HK-42",
        by="server",
        reason="While a channel makes the server wait, the work goes on; what is tried again "
        "then may be out of date.",
        without="After a 429 a message shows old progress, and never the answer.",
    )
    end_beats_cancel: bool = rule(
        "HK-69",
        by="server",
        reason="A cancel may come too late; only the end says what became of a task.",
        without="The answer was there, and the message says 'stopped'.",
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
    account_boundary: bool = rule(
        "HK-178",
        by="server",
        reason="A device is not a person: after another login its tasks are somebody else's.",
        without="One person's prompt runs on, and answers from, the machine of another.",
    )
    delivery_where_asked: bool = rule(
        "HK-70",
        "HK-71",
        by="server",
        reason="A desktop that sees turn-delivery-v1 repeats its ends until it is told better, "
        "whether or not it reads what it is told.",
        without="A desktop that never asked repeats every result for a day.",
    )
    durable_acceptance: bool = rule(
        "HK-73",
        by="server",
        reason="On 'accepted' the desktop lets go of its result; it must be stored by then.",
        without="A crash at the wrong moment, and the answer is nowhere any more.",
    )
    delivered_after_publish: bool = rule(
        "HK-79",
        by="server",
        reason="Only the channel's yes makes a result public.",
        without="The desktop says 'sent', and nothing is there.",
    )
    publish_once: bool = rule(
        "HK-76",
        by="server",
        reason="A desktop repeats its end whenever it is in doubt; the result is published once.",
        without="The same answer stands in public twice.",
    )
    look_before_posting: bool = rule(
        "HK-76",
        by="server",
        reason="A post whose answer got lost may be there; only the channel knows.",
        without="The same answer stands in public twice, and is paid for twice.",
    )
    delivery_receipts: bool = rule(
        "HK-82",
        by="server",
        reason="The word that ended a delivery may be lost with the connection.",
        without="A desktop that was away never learns whether its answer was published.",
    )
    safe_delivery_error: bool = rule(
        "HK-81",
        by="server",
        reason="What a channel answers may hold tokens and other people's words.",
        without="A channel's raw answer shows up on the desktop and in its log.",
    )
    no_receipt_for_rounds: bool = rule(
        "HK-84",
        by="server",
        reason="A disconnect is the end of a round, so its result is never repeated nor receipted.",
        without="A desktop waits for, and repeats, what the server has closed long ago.",
    )
