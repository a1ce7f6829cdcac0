"""The wrong outcomes: without the rule that prevents it, each race goes wrong and is noticed.

With all rules on the same scenarios hold, see ``tests/scenario/test_shipped``.
"""

from __future__ import annotations

import pytest

from sim.core.rule import table_of
from sim.play import load, play
from sim.protocols.hook.invariants import INVARIANTS
from sim.protocols.hook.rules import HookRules

# scenario, rule that is switched off, invariant that is broken then ("" where only what
# the diagram expects fails).
WRONG_OUTCOMES = [
    # a continued round and its message
    ("reopen-teardown", "ownership-at-write", "close-out-respects-owner"),
    ("flapping-round", "close-out", "torn-rounds-are-closed-out"),
    ("half-open-round", "close-out", "torn-rounds-are-closed-out"),
    ("crash-with-round", "close-out", ""),
    ("close-out-waits", "close-out", ""),
    ("retry-taken-id", "refuse-bound-id", "ignored-reopen-changes-nothing"),
    ("retry-hijacks", "refuse-bound-id", "ignored-reopen-changes-nothing"),
    ("retry-hijacks", "quarantine", "finals-are-the-owners-end"),
    ("retry-fails-at-once", "reopen-before-progress", "reopen-comes-first"),
    ("retry", "claim-at-first-event", "claimed-at-first-event"),
    ("private-talk", "retry-only", "only-a-retry-continues"),
    ("round-ends-offline", "reopen-never-replayed", "rounds-are-never-replayed"),
    ("question-in-round", "no-cards-in-rounds", "rounds-ask-on-the-desktop"),
    ("upgrade-desktop-first", "reopen-needs-feature", "reopen-needs-feature"),
    # tasks
    ("foreign-frames", "owner-check", "finals-are-the-owners-end"),
    ("restart-mid-task", "redelivery", "unended-is-redelivered"),
    ("webhook-twice", "webhook-dedupe", "one-request-per-event"),
    ("other-account", "account-boundary", ""),
    ("duplicate-dispatch", "ack-replay", "acks-are-repeated"),
    ("end-before-ack", "end-replay", ""),
    ("quit-after-answer", "end-replay", ""),
    ("queued", "one-session-per-key", "one-session-per-key"),
    ("full-queue", "queue-limit", "queues-are-short"),
    ("slow-slack", "progress-throttle", "progress-is-throttled"),
    ("heartbeat", "pong", "desktop-answers-pings"),
    # questions
    ("two-presses", "one-decision", "one-decision-per-card"),
    ("stale-press", "one-decision", ""),
    ("card-open-at-end", "retire-cards", ""),
    ("stop-with-card", "cancel-cards-at-end", "cards-are-taken-back"),
    ("wrong-button", "first-answer-wins", "a-card-is-answered-once"),
    ("ask-in-vain", "safe-default", "silence-is-no-consent"),
    # receipts
    ("slack-no-delivery", "delivery-where-asked", "server-sends-what-is-agreed"),
    ("accepted-then-crash", "durable-acceptance", "accepted-means-stored"),
    ("x-delivery", "delivered-after-publish", "delivered-means-published"),
    ("x-unknown", "look-before-posting", ""),
    ("x-failed", "safe-delivery-error", "receipts-are-safe"),
    ("delivery-replay", "replay-ladder", ""),
    # accounts
    ("upgrade-server-first", "features-agreed", "server-sends-what-is-agreed"),
    ("bind-telegram-expired", "links-expire", "old-links-bind-nobody"),
    ("newest-link", "newest-link-only", "old-links-bind-nobody"),
    ("bind-two-teams", "pending-only", "revoke-takes-what-it-names"),
    ("bind-two-teams", "revoke-named-only", "revoke-takes-what-it-names"),
    ("superseded", "bind-state-pushed", "bind-state-is-pushed"),
    # settings and tools
    ("prefs", "prefs-partial", "prefs-are-patched"),
    ("prefs-apart", "prefs-isolated", "prefs-are-isolated"),
    ("choose-model", "prefs-pushed", ""),
    ("behavior", "behavior-partial", "behavior-is-patched"),
    ("tools", "unknown-tool-answered", "tools-are-answered"),
    ("tools-two-teams", "team-not-guessed", "tools-act-as-their-user"),
    ("tools-two-teams", "tools-as-user", "tools-act-as-their-user"),
    ("blink-no-offline", "query-grace", "commands-are-answered"),
    ("late-list", "late-answers-dropped", "pickers-show-the-answer"),
    ("folders-change", "live-lists", "lists-are-live"),
    ("folders-change", "hello-again", ""),
    ("folder-gone", "listed-folders-only", "only-listed-folders"),
    ("default-folder", "lane-before-default", "folder-precedence"),
    # groups and notices
    ("upgrade-server-first", "relay-needs-features", "server-sends-what-is-agreed"),
    ("group-revoked", "recipient-at-sending", "group-talk-goes-to-members"),
    ("group-relay", "relay-forgets", "group-talk-waits-for-nobody"),
    ("group-relay", "credentials-filtered", "group-talk-is-fit"),
    ("old-principal", "group-principal", "window-takes-its-own"),
    ("lifecycle-flap", "flaps-ignored", "flaps-are-not-told"),
    ("lifecycle-flap", "preference-at-once", "notices-are-wanted"),
    ("upgrade-desktop-first", "lifecycle-needs-feature", "preference-needs-the-server"),
]
SEEDS = range(1, 13)


@pytest.mark.parametrize(("name", "rule", "invariant"), WRONG_OUTCOMES)
def test_a_race_goes_wrong_without_its_rule_and_is_noticed(name, rule, invariant):
    scenario = load(name)
    for seed in SEEDS:
        result = play(scenario, seed=seed, without=[rule], driver="step")
        broken = [violation.invariant for violation in result.violations]
        if invariant in broken or (not invariant and result.failures):
            return
    pytest.fail(f"{name} holds without {rule}, or nobody noticed {invariant}")


def test_the_table_names_only_rules_and_invariants_that_exist():
    rules = {rule.name for rule in table_of(HookRules)}
    invariants = {invariant.name for invariant in INVARIANTS}
    assert {rule for _, rule, _ in WRONG_OUTCOMES} <= rules
    assert {invariant for _, _, invariant in WRONG_OUTCOMES if invariant} <= invariants


def test_at_least_fifty_rules_have_a_scenario_that_needs_them():
    assert len({rule for _, rule, _ in WRONG_OUTCOMES}) >= 50
