"""Named ways to break each side of the relay protocol, without touching the source.

A mutant is a switched-off rule, or a change of what an endpoint writes or gets. Each names
the invariant that must notice it; a run with the mutant in it that breaks nothing shows an
oracle that cannot fail.
"""

from __future__ import annotations

from sim.protocols.mutant import Mutant, off
from sim.protocols.relay.constants import CONTROLLER, NODE, RELAY

SILENT = "silence-after-the-end"
KEYS = "keys-run-once"
TELLS = "nodes-tell-their-subscribers"
LOST = "node-loss-ends-its-work"
SUPPORTED = "known-actions-are-supported"


def _relays(rule: str, caught_by: str, needs: str = "", seeds: int = 60) -> Mutant:
    return off(rule, RELAY, caught_by, seeds=seeds, needs=needs)


def _nodes(rule: str, caught_by: str, needs: str = "", seeds: int = 60) -> Mutant:
    return off(rule, NODE, caught_by, seeds=seeds, needs=needs)


def _controllers(rule: str, caught_by: str, needs: str = "", seeds: int = 60) -> Mutant:
    return off(rule, CONTROLLER, caught_by, seeds=seeds, needs=needs)


RULES: tuple[Mutant, ...] = (
    _relays("poison-stays-with-sender", "bad-envelopes-are-refused"),
    _relays("honest-sender", "senders-are-honest", "wrong"),
    _relays("stamp-on-every-frame", "stamps-are-held-against-the-clock"),
    _relays("each-stamp-by-itself", "stamps-are-held-against-the-clock"),
    _relays("hello-keeps-session", "second-hellos-change-nothing", "wrong"),
    _relays("auth-before-work", "handshake-comes-first", "comings"),
    _relays("own-refresh-token", "refreshes-renew"),
    _relays("nonce-per-identity", "nonces-count-once", "wrong"),
    _relays("nonce-for-two-windows", "nonces-count-once", "wrong", 150),
    _relays("heartbeat-cleans-at-once", "cleanup-follows-the-last-session", "frozen"),
    _relays("only-heard-frames-count", "silence-ends-sessions", "frozen"),
    _relays("nodes-are-watched", "silence-ends-sessions", "frozen"),
    _relays("displace-after-auth", "offline-nodes-are-said-so"),
    _relays("displaced-work-ends", LOST, "comings"),
    _relays("old-close-means-nothing", "offline-nodes-are-said-so", "comings"),
    _relays("node-loss-ends-running", LOST),
    _relays("node-loss-ends-waiting", LOST),
    _relays("only-executing-node-answers", "origin-gets-the-answer", "wrong"),
    _relays("request-id-is-taken", "request-ids-are-taken"),
    _relays("duplicate-runs-once", "duplicates-run-once"),
    _relays("fifo-per-tab", "fifo-per-tab"),
    _relays("tabs-in-parallel", "queues-hold-who-waits"),
    _relays("inner-tab-counts", "fifo-per-tab"),
    _relays("tab-queue-limit", "tab-queues-have-a-limit"),
    _relays("controller-queue-limit", "controller-queues-have-a-limit", "busy"),
    _relays("one-budget", "budgets-are-kept"),
    _relays("queue-timeout-is-final", "given-up-work-never-runs"),
    _relays("late-answer-dropped", "one-terminal-per-command"),
    _relays("tab-waits-for-late-answer", "fifo-per-tab"),
    _relays("cancel-at-timeout", "timeouts-stop-the-node"),
    _relays("progress-to-owner", "progress-reaches-the-owner"),
    _relays("cancel-by-owner", "cancels-are-the-owners"),
    _relays("one-terminal-at-cancel", "cancelled-are-those-who-waited"),
    _relays("every-cancel-answered", "cancels-are-answered"),
    _relays("purge-waiting", "given-up-work-never-runs"),
    _relays("cleanup-after-last-session", "cleanup-spares-the-living"),
    _relays("cleanup-reaches-absent-nodes", "cleanup-follows-the-last-session", "comings"),
    _relays("cleanup-spares-the-living", "cleanup-spares-the-living", "comings"),
    _relays("relay-names-the-owner", "owners-are-named-by-the-relay"),
    _relays("close-owned-is-the-relays", "actions-are-permitted"),
    _relays("one-holder", "one-holder-per-tab"),
    _relays("lock-gates-commands", "locked-tabs-refuse-strangers"),
    _relays("conflict-is-told", "conflicts-are-told"),
    _relays("lease-ends-by-timer", "leases-end-by-themselves"),
    _relays("lease-end-spares-work", "cancelled-are-those-who-waited"),
    _relays("unlock-by-holder", "unlocked-by-the-holder"),
    _relays("lock-ends-with-session", "one-holder-per-tab", "comings"),
    _relays("updates-after-result", "updates-follow-the-result", "listening"),
    _relays("silence-after-unsubscribe", SILENT, "listening"),
    _relays("queued-unsubscribe-counts", SILENT, "listening"),
    _relays("updates-to-their-session", "updates-go-to-their-subscriber", "listening"),
    _relays("node-told-of-lost-subscriber", "left-listeners-are-turned-off"),
    _relays("lost-listener-is-told", "lost-listeners-are-told"),
    _relays("stream-ends-by-event", "origin-gets-the-answer", "tests"),
    _relays("stream-cancel-silences", SILENT, "tests"),
    _nodes("pings-in-time", "nodes-keep-alive"),
    _nodes("pings-answered", "nodes-answer-pings", "pinging-relay"),
    _controllers("growing-retries", "controllers-come-back-slowly"),
    _nodes("keyed-work-runs-once", KEYS, "keyed"),
    _nodes("copy-waits-for-first", KEYS, "keyed"),
    _nodes("answer-under-own-id", "nodes-answer-once", "keyed"),
    _nodes("key-means-one-work", KEYS, "keyed"),
    _nodes("ledger-outlives-process", KEYS, "keyed", 150),
    _nodes("one-at-a-time-in-tab", "one-at-a-time-in-tab", "comings", 150),
    _nodes("answers-stay-in-session", "nodes-answer-under-the-request-id", "comings"),
    _nodes("one-answer-per-command", "nodes-answer-once"),
    _nodes("cancel-is-answered", "cancelled-work-is-answered"),
    _nodes("cancel-stops-work", "effects-come-of-work"),
    _nodes("test-falls-back", SUPPORTED),
    _nodes("alias-is-kept", SUPPORTED),
    _nodes("owner-kept-per-tab", "owners-are-kept"),
    _nodes("only-own-tabs-close", "tabs-are-closed-by-their-own"),
    _nodes("no-tab-after-cleanup", "no-tab-outlives-the-cleanup", "comings", 300),
    _nodes("result-before-updates", TELLS),
    _nodes("updates-under-subscribe-id", TELLS, "listening"),
    _nodes("silent-after-unsubscribe", TELLS, "listening"),
    _nodes("listeners-end-with-socket", TELLS, "listening", 150),
    _controllers("fresh-nonces", "nonces-are-fresh"),
    _controllers("events-end-nothing", "events-end-no-command"),
    _controllers("first-end-counts", "calls-end-once"),
    _controllers("timeout-from-policy", "timeouts-follow-the-policy"),
    _controllers("explicit-timeout-wins", "timeouts-follow-the-policy"),
    _controllers("format-names-action", "formats-name-the-action"),
    _controllers("own-deadline", "calls-end-in-time"),
    _controllers("lost-socket-ends-calls", "lost-sockets-end-calls"),
    _controllers("retry-keeps-key", "retries-keep-the-key"),
    _controllers("knows-itself", "locks-are-known"),
    _controllers("lease-end-is-believed", "locks-are-known"),
    _controllers("updates-need-subscription", "updates-need-a-subscription", "ghosts"),
)


def all_mutants() -> tuple[Mutant, ...]:
    """Every mutant of all three sides."""
    from sim.protocols.relay import mutants_peers, mutants_relay

    return (*RULES, *mutants_relay.MUTANTS, *mutants_peers.MUTANTS)
