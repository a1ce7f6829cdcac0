"""Every race of the relay catalogue has a scenario that names it, and breaks without its rule.

A scenario names it in its comment: ``relay RC-22``.
"""

from __future__ import annotations

import re

import pytest

from sim.play import load, play
from sim.scenario.load import shipped_folder, shipped_scenarios

RACES = {
    "RC-01": "flapping controller loses its new tabs",
    "RC-03": "node offline during cleanup",
    "RC-04": "late result after timeout",
    "RC-05": "timed-out command still running, next one starts",
    "RC-08": "double budget",
    "RC-09": "lock lease ends mid-command",
    "RC-10": "lock expires with nobody talking",
    "RC-12": "unlock by the previous holder",
    "RC-13": "cancel crosses the result",
    "RC-15": "foreign cancel",
    "RC-16": "unsubscribe crosses update",
    "RC-17": "update before the subscribe result",
    "RC-18": "subscriber gone, node keeps streaming",
    "RC-19": "same requestId from two controllers",
    "RC-21": "forged result",
    "RC-22": "node reconnects before the old socket dies",
    "RC-24": "unauthenticated displacement",
    "RC-25": "queue stranded by node loss",
    "RC-27": "frozen controller",
    "RC-29": "nonce reuse over reconnect, future timestamp",
    "RC-30": "skew with a jumping clock",
    "RC-32": "auth and first command pipelined",
    "RC-35": "poison frame",
}
WITHOUT = {
    "race-flapping-controller": ("cleanup-after-last-session",),
    "race-away-during-cleanup": ("cleanup-reaches-absent-nodes",),
    "race-back-before-cleanup": ("cleanup-spares-the-living",),
    "race-late-result": ("late-answer-dropped",),
    "race-next-after-timeout": ("tab-waits-for-late-answer", "cancel-at-timeout"),
    "race-one-budget": ("one-budget",),
    "race-lease-ends-at-work": ("lease-end-spares-work",),
    "race-lease-ends-in-silence": ("lease-ends-by-timer",),
    "race-unlock-too-late": ("unlock-by-holder",),
    "race-cancel-meets-result": ("one-terminal-at-cancel",),
    "race-cancel-by-a-stranger": ("cancel-by-owner",),
    "race-unsubscribe-crosses-update": ("silence-after-unsubscribe",),
    "race-queued-unsubscribe": ("queued-unsubscribe-counts",),
    "race-update-before-result": ("updates-after-result",),
    "race-subscriber-gone": ("updates-to-their-session", "node-told-of-lost-subscriber"),
    "race-same-request-id": ("request-id-is-taken",),
    "race-forged-result": ("only-executing-node-answers",),
    "race-node-overtakes-itself": ("displaced-work-ends", "old-close-means-nothing"),
    "race-stranger-takes-no-node": ("displace-after-auth",),
    "race-queue-of-a-lost-node": ("node-loss-ends-waiting",),
    "race-frozen-controller": ("heartbeat-cleans-at-once",),
    "race-nonce-again": ("nonce-per-identity", "nonce-for-two-windows"),
    "race-clock-corrected": ("each-stamp-by-itself",),
    "race-command-behind-auth": ("auth-before-work",),
    "race-poison": ("poison-stays-with-sender",),
}
"""The rules that each race's scenario is about: it fails without them."""

FOLDER = shipped_folder() / "relay" / "races"
NAMED = re.compile(r"relay (RC-\d+)")


def named() -> dict[str, list[str]]:
    """Race to the scenarios whose comment names it."""
    found: dict[str, list[str]] = {}
    for name in shipped_scenarios(FOLDER):
        lines = load(name).source_text.split("\n")
        comment = " ".join(line.strip(" %") for line in lines if line.strip().startswith("%% "))
        for race in NAMED.findall(comment):
            found.setdefault(race, []).append(name)
    return found


@pytest.mark.parametrize("race", RACES)
def test_a_race_has_a_scenario_that_names_it(race):
    assert race in named(), f"{race}: {RACES[race]}"


def test_no_scenario_names_a_race_that_there_is_not():
    assert named().keys() <= RACES.keys()


def test_every_race_scenario_is_about_a_rule():
    assert sorted(WITHOUT) == sorted(shipped_scenarios(FOLDER))


@pytest.mark.parametrize(
    ("name", "rule"), [(name, rule) for name, rules in WITHOUT.items() for rule in rules]
)
def test_a_race_goes_wrong_without_its_rule(name, rule):
    assert not play(load(name), without=[rule], driver="step").ok
