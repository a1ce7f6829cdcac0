"""Which shipped scenario shows which rows, and which one goes wrong without a rule.

A scenario may name rows itself, in its comments; those need no line here.
"""

from __future__ import annotations

from typing import Final

SHOWN: Final[dict[str, tuple[str, ...]]] = {
    "cancel-crosses-end": ("HK-45", "HK-66"),
    "cancel-queued": ("HK-01", "HK-65", "HK-66"),
    "card-open-at-end": ("HK-12", "HK-143", "HK-144"),
    "cut-redelivers": ("HK-37", "HK-38", "HK-39"),
    "deleted-placeholder": ("HK-69",),
    "duplicate-dispatch": ("HK-37",),
    "edit-unknown": ("HK-69",),
    "end-before-ack": ("HK-02", "HK-37", "HK-40"),
    "half-open": ("HK-38", "HK-40", "HK-51"),
    "late-ack": ("HK-37", "HK-38"),
    "parallel-threads": ("HK-01", "HK-07", "HK-08"),
    "progress-after-end": ("HK-06",),
    "puppet-desktop": ("HK-13", "HK-34", "HK-177", "HK-178"),
    "reopen-teardown": (
        "HK-169", "HK-170", "HK-173", "HK-179", "HK-180", "HK-184", "HK-186", "HK-187", "HK-192",
        "HK-193", "HK-199",
    ),
    "server-crash": ("HK-37", "HK-38"),
    "slow-slack": ("HK-42", "HK-64"),
    "stale-press": ("HK-11", "HK-47", "HK-144"),
    "stop-with-card": ("HK-12", "HK-65", "HK-66", "HK-143"),
    "two-desktops": ("HK-14", "HK-15"),
    "two-presses": ("HK-11", "HK-141", "HK-142"),
    "typical": (
        "HK-02", "HK-03", "HK-04", "HK-05", "HK-42", "HK-48", "HK-69", "HK-139", "HK-141",
    ),
    "webhook-twice": ("HK-39",),
}  # fmt: skip

BROKEN_BY: Final[dict[str, tuple[str, int]]] = {
    "ack-replay": ("duplicate-dispatch", 1),
    "cancel-cards-at-end": ("card-open-at-end", 1),
    "end-replay": ("end-before-ack", 1),
    "first-answer-wins": ("two-presses", 1),
    "one-decision": ("two-presses", 1),
    "one-session-per-key": ("cancel-queued", 1),
    "ownership-at-write": ("reopen-teardown", 1),
    "pong": ("second-process", 1),
    "progress-throttle": ("slow-slack", 1),
    "redelivery": ("half-open", 1),
    "retire-cards": ("card-open-at-end", 1),
    "safe-default": ("card-open-at-end", 1),
    "webhook-dedupe": ("webhook-twice", 1),
}
"""Rule → (scenario, seed): with that rule off, this run goes wrong."""
