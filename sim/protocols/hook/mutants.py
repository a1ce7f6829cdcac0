"""Named ways to break each side of the hook protocol, without touching the source.

A run with a mutant in it that breaks nothing shows an oracle that cannot fail.
"""

from __future__ import annotations

from sim.protocols.mutant import Mutant, calls, mutated, off, reframed, saves, sends

__all__ = [
    "RULES",
    "Mutant",
    "all_mutants",
    "calls",
    "mutated",
    "off",
    "reframed",
    "saves",
    "sends",
]

RULES: tuple[Mutant, ...] = (
    off("ownership-at-write", "server", "close-out-respects-owner", needs="reopened-after-a-cut"),
    off("close-out", "server", "torn-rounds-are-closed-out"),
    off("refuse-bound-id", "server", "ignored-reopen-changes-nothing", needs="colliding-reopen"),
    off("redelivery", "server", "unended-is-redelivered"),
    off("webhook-dedupe", "server", "one-request-per-event", seeds=150),
    off("dedupe-outlives-repeats", "server", "one-request-per-event", needs="slow-event"),
    off("newest-wins", "server", "shows-final-state"),
    off("teardown-per-socket", "server", "torn-rounds-are-closed-out", needs="half-open-session"),
    off("end-beats-cancel", "server", "shows-final-state"),
    off("one-decision", "server", "one-decision-per-card", seeds=150),
    off("retire-cards", "server", "dead-cards-have-no-buttons", seeds=150),
    off("ack-replay", "desktop", "no-second-run"),
    off("end-replay", "desktop", "results-are-handed-in"),
    off("one-session-per-key", "desktop", "one-session-per-key"),
    off("hello-first", "desktop", "hello-comes-first"),
    off("pong", "desktop", "desktop-answers-pings"),
    off("nothing-after-end", "desktop", "nothing-after-the-end"),
    off("progress-throttle", "desktop", "progress-is-throttled"),
    off("cancel-cards-at-end", "desktop", "cards-are-taken-back"),
    off("reopen-needs-feature", "desktop", "reopen-needs-feature", needs="no-reopen"),
    off("retry-only", "desktop", "only-a-retry-continues", seeds=150),
    off("claim-at-first-event", "desktop", "claimed-at-first-event"),
    off("reopen-before-progress", "desktop", "reopen-comes-first"),
    off("reopen-never-replayed", "desktop", "rounds-are-never-replayed", seeds=150),
    off("dead-thread", "desktop", "no-reopen-of-a-dead-thread", seeds=300),
    off("chat-first", "desktop", "chat-is-first"),
    off("hello-again", "desktop", "changes-are-announced"),
    off("no-cards-in-rounds", "desktop", "rounds-ask-on-the-desktop"),
    off("quarantine", "server", "working-text-is-the-owners", needs="colliding-reopen"),
    off("owner-check", "server", "working-text-is-the-owners", needs="foreign-frames"),
)


def all_mutants() -> tuple[Mutant, ...]:
    """Every mutant of both sides."""
    from sim.protocols.hook import (
        mutants_accounts,
        mutants_agents,
        mutants_desktop,
        mutants_server,
    )

    return (
        *RULES,
        *mutants_server.MUTANTS,
        *mutants_desktop.MUTANTS,
        *mutants_agents.MUTANTS,
        *mutants_accounts.RULES,
        *mutants_accounts.MUTANTS,
    )
