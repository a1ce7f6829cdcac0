"""Which shipped scenario shows which rows, and which one goes wrong without a rule.

A scenario may name rows itself, in its comments; those need no line here.
"""

from __future__ import annotations

from typing import Final

SHOWN: Final[dict[str, tuple[str, ...]]] = {}

BROKEN_BY: Final[dict[str, tuple[str, int]]] = {
    "cached-id-counts": ("killed-at-work", 1),
    "cached-id-checked": ("killed-at-work", 1),
    "closed-is-told-at-once": ("killed-at-work", 1),
    "callid-before-session": ("race-reply-to-the-older", 1),
    "never-guess": ("race-no-call-ids", 1),
    "session-fallback-narrow": ("race-old-button", 1),
    "items-may-lack-tool": ("list-without-tool", 1),
    "directory-in-query": ("aborted-session", 1),
    "retry-20x300": ("aborted-session", 1),
    "tries-are-counted": ("aborted-session", 1),
    "failed-list-ends-it": ("opencode-restarts", 1),
    "no-second-post": ("race-response-lost", 1),
    "claim-before-get": ("aborted-session", 1),
    "stale-claims-are-void": ("killed-at-work", 1),
    "prompt-is-remembered": ("custom-answer", 1),
    "reply-before-fallback": ("race-reply-to-the-older", 1),
    "newest-wait-wins": ("race-two-waiting", 1),
    "dead-prompt-is-no-fallback": ("reply-to-a-dead-prompt", 1),
    "last-press-owns-wait": ("somebody-else-replies", 1),
    "option-ends-wait": ("option-ends-the-wait", 1),
    "remove-on-success": ("answer-from-the-phone", 1),
    "edit-on-success": ("answer-from-the-phone", 1),
    "remove-after-success-only": ("aborted-session", 1),
    "edit-after-success-only": ("aborted-session", 1),
    "telegram-trouble-is-none": ("race-telegram-refuses-the-edit", 1),
    "failure-in-the-seeds-words": ("race-response-lost", 1),
    "one-toast": ("custom-answer", 1),
    "age-at-handling": ("pressed-too-late", 1),
    "expiry-spares-handling": ("pressed-too-late", 1),
    "reject-at-expiry": ("race-reject-fails", 1),
    "rejected-once": ("ttl-rejects", 1),
    "reject-failure-only-warns": ("race-reject-fails", 1),
    "poll-goes-on": ("race-poll-fails", 1),
    "link-is-named": ("opencode-restarts", 1),
    "offset-after-handling": ("aborted-session", 1),
    "handlers-side-by-side": ("race-slow-question", 1),
    "log-chain": ("custom-answer", 1),
    "one-listener-at-a-time": ("race-two-listeners", 1),
    "questions-only": ("other-tools-say-nothing", 1),
    "hook-never-blocks": ("aborted-session", 1),
    "hook-never-throws": ("hook-lets-the-tool-run", 1),
    "ids-from-input": ("check-by-hand", 1),
    "write-before-send": ("aborted-session", 1),
    "custom-button": ("aborted-session", 1),
    "keep-on-unknown-send": ("race-send-of-unknown-outcome", 1),
    "drop-on-refused-send": ("hook-lets-the-tool-run", 1),
    "rest-is-said": ("several-questions-in-one", 1),
    "locked-changes": ("aborted-session", 1),
    "atomic-writes": ("aborted-session", 1),
    "broken-is-read-again": ("race-garbage", 1),
    "broken-is-moved-aside": ("race-garbage", 1),
    "take-over-stale-lock": ("race-lock-left-behind", 1),
    "lock-wait-ends": ("race-lock-is-held", 1),
    "first-close-wins": ("race-desk-between", 1),
    "closed-leaves-list": ("aborted-session", 1),
    "reply-completes-tool": ("answer-from-the-phone", 1),
    "list-by-directory": ("race-reject-fails", 1),
}
"""Rule → (scenario, seed): with that rule off, this run goes wrong."""
