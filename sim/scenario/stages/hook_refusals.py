"""Diagrams that parse but that this stage cannot play: said before the run, with the place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.channel.services import SERVICES
from sim.scenario import directive_nodes as nodes
from sim.scenario.playing.preconditions import refusal
from sim.scenario.stages.hook_acts import read_act
from sim.scenario.stages.recorded import complaint_about_act
from sim.scenario.syntax import Act, Arrow, ChannelCall, Participant, Scenario
from sim.scenario.tree import statements_in

PLAYED = ("server", "desktop", "person", *SERVICES)
ONCE = ("server", *SERVICES)


def refuse_unplayable(scenario: Scenario) -> None:
    """Raise ScenarioError for the first thing that has no meaning here."""
    people = {one.id: one for one in scenario.participants}
    _check_cast(scenario, people)
    for one in statements_in(scenario.body):
        complaint = _complaint(one, people)
        if complaint is not None:
            raise refusal(scenario, one, complaint)


def _check_cast(scenario: Scenario, people: Mapping[str, Participant]) -> None:
    seen: dict[str, str] = {}
    for one in people.values():
        if one.kind not in PLAYED:
            message = f"{one.id} is a {one.kind!r}, which this version does not play"
            raise refusal(scenario, one, message, PLAYED)
        if one.kind in seen:
            message = f"{seen[one.kind]} and {one.id} are both a {one.kind}; one run has one"
            raise refusal(scenario, one, message)
        if one.kind in ONCE:
            seen[one.kind] = one.id


def _complaint(one: Any, people: Mapping[str, Participant]) -> str | None:
    match one:
        case nodes.Reconnect(host=host) if people[host].puppet is None:
            return f"@reconnect is for puppets; {host} is a twin and reconnects by itself"
        case nodes.ChannelFault(op="answer" | "poll" as op):
            return f"the calls of a channel are post, edit, card, react and delete, not {op}"
        case nodes.Act(host=host, act=act):
            return complaint_about_act(read_act, people[host], act)
        case Arrow(source=source, content=ChannelCall()) if people[source].puppet is not None:
            return (
                f"{source} is a puppet, and an arrow does not say what it would write into the "
                "channel; puppets send frames only"
            )
        case Arrow(content=Act(verb="group")) if "x" in _kinds_of(one, people):
            return "X has no groups; write message or reply"
    return None


def _kinds_of(arrow: Arrow, people: Mapping[str, Participant]) -> tuple[str, str]:
    return people[arrow.source].kind, people[arrow.target].kind
