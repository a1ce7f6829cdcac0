"""Diagrams that parse but that this stage cannot play: said before the run, with the place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.protocols.relay.constants import CONTROLLER, NODE, RELAY
from sim.protocols.relay.frames import ACTIONS
from sim.protocols.relay.relay.sessions import Grant
from sim.scenario import directive_nodes as nodes
from sim.scenario.playing.preconditions import refusal
from sim.scenario.stages.recorded import complaint_about_act
from sim.scenario.stages.relay_acts import read_act
from sim.scenario.syntax import Act, Arrow, Participant, Scenario
from sim.scenario.tree import statements_in

PLAYED = (RELAY, CONTROLLER, NODE, "person")
NO_CHANNEL = "controllers speak to no chat channel; @count frame TYPE counts frames"


def refuse_unplayable(scenario: Scenario) -> None:
    """Raise ScenarioError for the first thing that has no meaning here."""
    people = {one.id: one for one in scenario.participants}
    _check_cast(scenario)
    for token in scenario.settings.tokens:
        for scope in token.scopes:
            if not any(Grant(CONTROLLER, "", (scope,)).allows(action) for action in ACTIONS):
                raise refusal(scenario, token, f"no action is within {scope!r}", (*ACTIONS, "*"))
    for one in statements_in(scenario.body):
        complaint = _complaint(one, people)
        if complaint is not None:
            raise refusal(scenario, one, complaint)


def _check_cast(scenario: Scenario) -> None:
    relays = [one for one in scenario.participants if one.kind == RELAY]
    for one in scenario.participants:
        if one.kind not in PLAYED:
            message = f"{one.id} is a {one.kind!r}, which a relay run has not"
            raise refusal(scenario, one, message, PLAYED)
    if len(relays) > 1:
        first, second, *_ = relays
        message = f"{first.id} and {second.id} are both a relay; one run has one"
        raise refusal(scenario, second, message)


def _complaint(one: Any, people: Mapping[str, Participant]) -> str | None:
    match one:
        case nodes.Reconnect(host=host) if people[host].puppet is None:
            return f"@reconnect is for puppets; {host} is a twin and reconnects by itself"
        case nodes.ChannelFault() | nodes.Count(what="posts" | "edits"):
            return NO_CHANNEL
        case nodes.Act(host=host, act=act):
            return complaint_about_act(read_act, people[host], act)
        case Arrow(content=Act(), target=target) if people[target].puppet is not None:
            return f"{target} is a puppet: its arrows say all that it does"
    return None
