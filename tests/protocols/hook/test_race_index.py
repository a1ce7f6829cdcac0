"""Every race of the hook catalogue has a scenario or a test that names it.

A scenario names it in its comment, a test in its docstring: ``hook RC-06``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from sim.play import load
from sim.scenario.load import shipped_folder, shipped_scenarios

RACES = {
    "RC-03": "same device reconnects before the old socket's close is noticed",
    "RC-06": "two reopens of the same failure in a row",
    "RC-07": "chain of continuations",
    "RC-08": "reopenOf skips a link",
    "RC-10": "requestId equal to an already finished request",
    "RC-11": "reopenOf unknown",
    "RC-12": "reopenOf known but externalKey differs",
    "RC-13": "duplicate reopen while running",
    "RC-15": "duplicate reopen on the new socket after teardown",
    "RC-16": "reopen frame lost, then progress/end",
    "RC-17": "turn.end before reopen",
    "RC-19": "reopen while S still believes R1 is running",
    "RC-21": "continuation survives in D but socket flapped twice",
    "RC-22": "grace period trap",
    "RC-24": "server restarts with open continuations",
    "RC-25": "takeover by a new task in the same session",
    "RC-26": "/stop during a continuation",
    "RC-27": "interaction.request with a continuation id",
    "RC-28": "reopened message deleted by the user",
    "RC-29": "reopen after the mapping TTL",
    "RC-30": "reopen without capability",
    "RC-31": "ack lost, task redelivered",
    "RC-32": "late ack arrives on the new socket before welcome was sent",
    "RC-33": "redelivery sent before welcome",
    "RC-34": "duplicate dispatch in the admission window",
    "RC-35": "turn.end arrives though no ack was ever seen",
    "RC-36": "rejected ack after progress",
    "RC-37": "desktop restarts mid-task, after ack",
    "RC-38": "desktop restarts after finishing, before S saw the end",
    "RC-40": "replay older than 24 h",
    "RC-41": "queue overflow and queue loss",
    "RC-42": "two messages of one thread in one segment",
    "RC-43": "dispatch uses an alias removed a moment ago",
    "RC-44": "account switch on the same device",
    "RC-45": "rejection disabled during shutdown",
    "RC-46": "accepted lost",
    "RC-47": "replay races the publish",
    "RC-48": "accepted sent before durable handover",
    "RC-49": "retrying / failed / delivered order",
    "RC-50": "delivery to a desktop that did not ask",
    "RC-51": "feature withdrawn on same-socket re-welcome",
    "RC-53": "continuation end must not get delivery frames",
    "RC-54": "offline burst",
    "RC-55": "late end for a request S already gave up on",
    "RC-57": "cancel crosses a successful end",
    "RC-58": "cancelled end with text",
    "RC-59": "cancel of a queued task",
    "RC-60": "cancel while offline",
    "RC-62": "cancel, then press",
    "RC-63": "double press / two users",
    "RC-64": "card open at turn.end",
    "RC-65": "decision after reconnect",
    "RC-66": "unknown buttonId / foreign requestId",
    "RC-67": "cancel for an unknown interaction, or request repeated",
    "RC-68": "/stop while a card is open",
    "RC-69": "progress after end",
    "RC-71": "progress from an old connection",
    "RC-72": "progress identical / empty / oversized for the channel",
    "RC-73": "first progress before the placeholder post returned",
    "RC-75": "reconnect while the old socket is half-open",
    "RC-76": "two processes of one device",
    "RC-77": "missing pongs",
    "RC-78": "welcome never sent",
    "RC-79": "reconnect storm",
    "RC-80": "hello invalid (default alias not a member)",
    "RC-81": "old desktop, new server",
    "RC-82": "new desktop, old node (rolling deploy)",
    "RC-83": "X hello has no provider:x",
    "RC-84": "lifecycle preference between hello and welcome",
    "RC-85": "superseded by a second desktop",
    "RC-86": "frames for D1's task from D2",
    "RC-87": "pending replaced by a newer start",
    "RC-88": "cancel versus confirm",
    "RC-89": "stale first snapshot",
    "RC-90": "prefs latest-wins",
    "RC-91": "prefs push races set",
    "RC-92": "provider.prefs reply after rebinding",
    "RC-93": "group relay to a stale recipient",
    "RC-94": "group dispatch with the old principal",
    "RC-95": "group.message missing negotiation",
    "RC-96": "query answered late / on another socket",
    "RC-97": "session.archive then dispatch, crossing generations",
    "RC-98": "Slack placeholder deleted (ordinary task)",
    "RC-99": "Slack 429 on final",
    "RC-100": "edit outcome unknown",
    "RC-101": "X single post",
    "RC-102": "Telegram final then delete progress",
    "RC-103": "teardown edit fails permanently mid-way",
    "RC-104": "restart of S with ordinary tasks in flight",
    "RC-105": "webhook redelivery",
}
TESTS = Path(__file__).parents[2]
SCENARIOS = sorted(shipped_scenarios(shipped_folder() / "hook"))
NO_COMMENT = "typical"  # the diagram of the protocol's document, as it stands there
ROWS = 204


def comment_of(text: str) -> str:
    """What a scenario says about itself, in one line."""
    lines = [line.strip() for line in text.split("\n")]
    return " ".join(line[3:] for line in lines if re.match("%% [^@]", line))


def named_in(text: str) -> set[str]:
    """The races that a text names."""
    return set(re.findall(r"\bRC-\d+\b", text))


def texts() -> Iterator[tuple[str, str]]:
    """(name, what may name a race) of each scenario and each test module but this."""
    for name in SCENARIOS:
        yield name, comment_of(load(name).source_text)
    for path in sorted(TESTS.rglob("test_*.py")):
        if path != Path(__file__) and "relay" not in path.parts:  # races of its own
            yield path.name, path.read_text(encoding="utf-8")


NAMED = {name: named_in(text) for name, text in texts()}


@pytest.mark.parametrize("race", RACES)
def test_every_race_is_named_by_a_scenario_or_by_a_test(race):
    assert any(race in races for races in NAMED.values()), RACES[race]


def test_scenarios_and_tests_name_only_races_of_the_catalogue():
    unknown = {name: races - set(RACES) for name, races in NAMED.items()}
    assert {name: races for name, races in unknown.items() if races} == {}


@pytest.mark.parametrize("name", [n for n in SCENARIOS if n != NO_COMMENT])
def test_every_scenario_says_which_rows_of_the_catalogue_it_shows(name):
    comment = comment_of(load(name).source_text)
    shown = re.search(r"Shows ((?:HK-\d+(?:, )?)+)\.", comment)
    assert shown is not None, "a comment ends with: Shows HK-1, HK-2."
    rows = [int(number) for number in re.findall(r"HK-(\d+)", shown[1])]
    assert rows == sorted(set(rows))
    assert 1 <= rows[0] <= rows[-1] <= ROWS
