"""Named ways to break each side of the question bridge, without touching the source.

A mutant is a switched-off rule, or a change of what a process asks of the world or is
answered. Each names the invariant that must notice it; a run with the mutant in it that
breaks nothing shows an oracle that cannot fail.
"""

from __future__ import annotations

from sim.protocols.mutant import Mutant, off
from sim.protocols.question.constants import HOOK, LISTENER, OPENCODE, STORE

TEXTS = "texts-find-their-question"
MATCH = "replies-go-to-the-question"
LISTED = "lists-show-what-is-open"
VANISH = "entries-do-not-vanish"


def _listens(rule: str, caught_by: str, needs: str = "", seeds: int = 12) -> Mutant:
    return off(rule, LISTENER, caught_by, seeds=seeds, needs=needs)


def _hooks(rule: str, caught_by: str, needs: str = "", seeds: int = 12) -> Mutant:
    return off(rule, HOOK, caught_by, seeds=seeds, needs=needs)


def _stores(rule: str, caught_by: str, needs: str = "", seeds: int = 12) -> Mutant:
    return off(rule, STORE, caught_by, seeds=seeds, needs=needs)


def _opens(rule: str, caught_by: str, needs: str = "", seeds: int = 12) -> Mutant:
    return off(rule, OPENCODE, caught_by, seeds=seeds, needs=needs)


RULES: tuple[Mutant, ...] = (
    _listens("cached-id-counts", MATCH, "response-is-lost"),
    _listens("cached-id-checked", "lists-come-before-replies", "response-is-lost"),
    _listens("closed-is-told-at-once", "tries-are-counted", "desk-answers-a-known-question"),
    _listens("callid-before-session", "found-is-answered"),
    _listens("never-guess", MATCH, seeds=30),
    _listens("session-fallback-narrow", "other-calls-are-others"),
    _listens("own-session-only", "other-calls-are-others"),
    _listens("index-checked", "bad-presses-are-harmless", "option-is-gone"),
    _listens("items-may-lack-tool", "presses-are-answered-once", "item-without-tool"),
    _listens("directory-in-query", "requests-name-the-project"),
    _listens("retry-20x300", "tries-are-used"),
    _listens("tries-are-counted", "tries-are-counted"),
    _listens("failed-list-ends-it", "failed-lists-end-it"),
    _listens("no-second-post", "one-post-per-attempt"),
    _listens("claim-before-get", "claims-come-first"),
    _listens("stale-claims-are-void", "good-presses-are-tried", "listener-dies-with-a-claim"),
    _listens("prompt-is-remembered", "prompts-are-remembered"),
    _listens("reply-before-fallback", TEXTS),
    _listens("newest-wait-wins", "texts-are-taken"),
    _listens("fallback-is-personal", TEXTS),
    _listens("dead-prompt-is-no-fallback", TEXTS),
    _listens("text-only-when-awaited", TEXTS),
    _listens("last-press-owns-wait", "waits-belong-to-the-last"),
    _listens("option-ends-wait", "options-end-the-wait"),
    _listens("only-this-chat", "strangers-are-ignored", "pressed-elsewhere"),
    _listens("remove-on-success", "settled-is-removed"),
    _listens("edit-on-success", "settled-is-shown"),
    _listens("remove-after-success-only", VANISH),
    _listens("edit-after-success-only", "nothing-is-shown-before"),
    _listens("telegram-trouble-is-none", "settled-is-never-failed", "toast-comes-too-late"),
    _listens("failure-in-the-seeds-words", "failures-are-told"),
    _listens("one-toast", "presses-are-answered-once"),
    _listens("edge-of-ttl", "in-time-is-in-time", "pressed-at-the-edge"),
    _listens("age-at-handling", "late-is-late", seeds=30),
    _listens("expiry-spares-handling", "handling-is-spared", "handled-across-the-edge"),
    _listens("reject-at-expiry", "expiry-looks-for-the-question"),
    _listens("rejected-once", "rejects-are-for-the-expired"),
    _listens("reject-failure-only-warns", "polling-goes-on"),
    _listens("poll-goes-on", "polling-goes-on"),
    _listens("link-is-named", "failing-links-are-named"),
    _listens("offset-after-handling", "offsets-follow-handling"),
    _listens("handlers-side-by-side", "handlers-run-side-by-side"),
    _listens("bad-update-is-skipped", "polling-goes-on", "raising"),
    _listens("log-chain", "the-log-tells"),
    _listens("one-listener-at-a-time", "one-listener-polls", "two-listeners"),
    _hooks("questions-only", "hooks-react-to-questions"),
    _hooks("hook-never-blocks", "hooks-return-in-time"),
    _hooks("hook-never-throws", "hooks-never-throw"),
    _hooks("ids-from-input", "entries-copy-the-call"),
    _hooks("write-before-send", "written-before-sent"),
    _hooks("custom-button", "buttons-answer-for-options"),
    _hooks("keep-on-unknown-send", "unknown-sends-keep-entries"),
    _hooks("drop-on-refused-send", "refused-sends-leave-nothing"),
    _hooks("late-write-changes-only", "nothing-comes-back", "store-breaks-before-the-late-write"),
    _hooks("rest-is-said", "the-rest-is-said"),
    _stores("locked-changes", "changes-are-locked"),
    _stores("atomic-writes", "writes-are-atomic"),
    _stores("broken-is-read-again", "broken-files-are-read-again", "garbage-in-the-store"),
    _stores("broken-is-moved-aside", "broken-files-are-kept", "garbage-in-the-store"),
    _stores("take-over-stale-lock", "stale-locks-are-taken-over", "disk"),
    _stores("lock-wait-ends", "lock-waits-end", "lock-of-the-living"),
    _opens("first-close-wins", "first-close-wins", "desk-between-list-and-reply"),
    _opens("closed-leaves-list", LISTED),
    _opens("reply-completes-tool", "answers-complete-the-tool"),
    _opens("list-by-directory", LISTED),
)  # fmt: skip


def all_mutants() -> tuple[Mutant, ...]:
    """Every mutant of all sides."""
    from sim.protocols.question import mutants_hosts, mutants_listener

    return (*RULES, *mutants_listener.MUTANTS, *mutants_hosts.MUTANTS)
