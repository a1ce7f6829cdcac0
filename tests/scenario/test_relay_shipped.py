"""The shipped relay scenarios show all that the relay protocol has."""

from __future__ import annotations

import pytest

from sim.play import load
from sim.protocols.relay import ACTIONS, ERROR_CODES, EVENTS, MESSAGES
from sim.protocols.relay.constants import ERROR_CATEGORIES
from sim.scenario.load import shipped_folder, shipped_scenarios

NAMES = sorted(shipped_scenarios(shipped_folder() / "relay"))
SOURCES = "\n".join(load(name).source_text for name in NAMES)
NOT_OURS = {"internal"}
"""No twin answers with it: nothing in a twin relay can fail by itself."""


@pytest.mark.parametrize("category", sorted(set(ERROR_CATEGORIES) - NOT_OURS))
def test_each_kind_of_error_is_shown(category):
    codes = [code for code, one in ERROR_CODES.items() if one.category == category]
    assert any(f"code={code}" in SOURCES for code in codes)


@pytest.mark.parametrize("action", ACTIONS)
def test_each_action_is_shown(action):
    assert action in SOURCES


@pytest.mark.parametrize("event", EVENTS)
def test_each_event_is_shown(event):
    assert f": {event} (" in SOURCES


@pytest.mark.parametrize("family", [one for one in MESSAGES if one not in ("event",)])
def test_each_family_is_shown(family):
    inner = ACTIONS if family == "command" else ()
    assert any(f": {name}" in SOURCES for name in (family, *inner))
