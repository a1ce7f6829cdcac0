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

    # ---- obeyed by the desktop -----------------------------------------------
    ack_replay: bool = rule(
        "HK-37",
        by="desktop",
        reason="A redelivered dispatch is the same task; only its ack is repeated.",
        without="Work is done twice and two answers compete.",
    )
    end_replay: bool = rule(
        "HK-40",
        by="desktop",
        reason="A result that could not be written is still the task's only result.",
        without="Work that finished while the desktop was offline never shows up.",
    )
    one_session_per_key: bool = rule(
        "HK-01",
        by="desktop",
        reason="A thread is one conversation, so its tasks share one session.",
        without="The assistant has forgotten what was said before in the same thread.",
    )
    hello_first: bool = rule(
        "HK-04",
        by="desktop",
        reason="Until hello the server does not know whose connection it is.",
        without="Results that are sent before hello belong to nobody and get lost.",
    )
    pong: bool = rule(
        "HK-51",
        by="desktop",
        reason="A ping asks whether this end is alive; only a pong proves it.",
        without="A healthy desktop is taken for dead and its connection closed.",
    )
    nothing_after_end: bool = rule(
        "HK-06",
        by="desktop",
        reason="An end is final; a snapshot that was still waiting is out of date.",
        without="A finished message flips back to running.",
    )
    progress_throttle: bool = rule(
        "HK-64",
        by="desktop",
        reason="Channels limit edits, and only the latest snapshot is of interest.",
        without="The channel refuses edits for their rate and the message freezes.",
    )
    cancel_cards_at_end: bool = rule(
        "HK-143",
        by="desktop",
        reason="A question whose task is over can no longer be answered.",
        without="A dead card stays in the channel and can be pressed.",
    )
    reopen_needs_feature: bool = rule(
        "HK-189",
        by="desktop",
        reason="A server that has not announced turn.reopen does not know the frame.",
        without="Useless frames; with half an implementation a message that runs for ever.",
    )
    retry_only: bool = rule(
        "HK-190",
        by="desktop",
        reason="Only a retry continues the failed task; other prompts are private.",
        without="The channel's message is overwritten by a private conversation.",
    )
    claim_at_first_event: bool = rule(
        "HK-192",
        by="desktop",
        reason="A retry may never get as far as the agent; only an event proves that it did.",
        without="The message shows 'running' although nothing runs.",
    )
    reopen_before_progress: bool = rule(
        "HK-193",
        by="desktop",
        reason="The server drops what it cannot place, and an end that came first is gone.",
        without="The answer is dropped; the message stays failed, or runs for ever.",
    )
    reopen_never_replayed: bool = rule(
        "HK-194",
        by="desktop",
        reason="The server closes the round when the connection breaks; one authority is enough.",
        without="A closed round gets late frames; channel and desktop contradict each other.",
    )
    dead_thread: bool = rule(
        "HK-195",
        by="desktop",
        reason="A round whose end was not written has been unbound by the server's close-out.",
        without="Retry silently does nothing: it continues a round that nobody knows.",
    )
