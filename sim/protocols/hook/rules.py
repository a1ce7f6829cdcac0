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
        without="The message is reopened after its end and stays 'running' for ever.",
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
