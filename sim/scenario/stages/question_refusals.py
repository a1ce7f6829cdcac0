"""Diagrams that parse but that this stage cannot play: said before the run, with the place."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from sim.protocols.question.constants import KINDS, LISTENER, OPENCODE, STORE, TELEGRAM
from sim.protocols.question.words import (
    ANSWERS,
    BEFORE,
    FEATURE_OF,
    METHODS,
    RETURNED,
    WORDS,
)
from sim.scenario import directive_nodes as nodes
from sim.scenario.playing.preconditions import refusal
from sim.scenario.stages.question_acts import read_act
from sim.scenario.stages.question_prompts import complaint_about_call
from sim.scenario.stages.recorded import complaint_about_act
from sim.scenario.syntax import Act, Arrow, FrameText, Participant, Scenario
from sim.scenario.tree import statements_in

PLAYED: Final = (*KINDS, "person")
SEVERAL: Final = (LISTENER, "person")
NO_CONNECTION: Final = "everything here is a request over HTTP; write @http {} refused"
OF_TELEGRAM: Final = ("post", "edit", "delete", "answer", "poll", "*")


def refuse_unplayable(scenario: Scenario) -> None:
    """Raise ScenarioError for the first thing that has no meaning here."""
    people = {one.id: one for one in scenario.participants}
    _check_cast(scenario)
    for switch in scenario.settings.features:
        complaint = _complaint_about_feature(switch.feature, people[switch.host])
        if complaint:
            raise refusal(scenario, switch, complaint)
    statements = list(statements_in(scenario.body))
    for place, one in enumerate(statements):
        complaint = _complaint(one, people, statements[place + 1 :])
        if complaint:
            raise refusal(scenario, one, complaint)


def _check_cast(scenario: Scenario) -> None:
    seen: dict[str, str] = {}
    for one in scenario.participants:
        if one.kind not in PLAYED:
            message = f"{one.id} is a {one.kind!r}, which a question run has not"
            raise refusal(scenario, one, message, PLAYED)
        if one.puppet is not None and one.kind == STORE:
            message = f"{one.id} cannot be a puppet: say with break, lock or deny what befalls it"
            raise refusal(scenario, one, message)
        if one.puppet:
            message = f"{one.id} has no manners: a puppet asks and answers what its arrows say"
            raise refusal(scenario, one, message)
        if one.kind in seen:
            message = f"{seen[one.kind]} and {one.id} are both a {one.kind}; one run has one"
            raise refusal(scenario, one, message)
        if one.kind not in SEVERAL:
            seen[one.kind] = one.id


def _complaint_about_feature(feature: str, host: Participant) -> str:
    owner = FEATURE_OF.get(feature, host.kind)
    known = {OPENCODE: "OpenCode", TELEGRAM: "Telegram"}
    return "" if owner == host.kind else f"{feature} belongs to {known[owner]}, not to {host.id}"


def _complaint(one: Any, people: Mapping[str, Participant], following: list[Any]) -> str:
    match one:
        case nodes.Reconnect(host=host) | nodes.Cut(host=host) | nodes.Heal(host=host):
            return f"{host} keeps no connection: " + NO_CONNECTION.format(f"{host}->…")
        case nodes.Open(host=host) | nodes.Closed(host=host):
            return f"{host} keeps no connection that could be open or closed"
        case nodes.Hold(source=source, target=target) | nodes.Release(source=source, target=target):
            return NO_CONNECTION.format(f"{source}->{target}")
        case nodes.FeatureChange(feature=feature):
            return f"{feature} is for the whole run: write it before the first arrow"
        case nodes.ChannelFault(op=op) if op not in OF_TELEGRAM:
            return f"the Bot API has no {op}; it has {', '.join(OF_TELEGRAM)}"
        case nodes.ChannelFault() if any(
            one.kind == TELEGRAM and one.puppet is not None for one in people.values()
        ):
            return "Telegram is a puppet: its arrows say all that it does"
        case nodes.DuplicateNext():
            return "a request over HTTP does not come twice"
        case nodes.LoseNext() | nodes.DelayNext():
            arrow = next((a for a in following if _is_frame(a)), None)
            return "" if arrow is None else _complaint_about_fate(arrow)
        case nodes.Act(host=host, act=act):
            one = people[host]
            read = partial(read_act, is_puppet=one.puppet is not None)
            return complaint_about_act(read, one, act) or ""
        case Arrow(lost=True):
            return _complaint_about_fate(one)
        case Arrow(source=source, target=target, content=FrameText() as frame) if (
            people[source].puppet is not None
        ):
            return _complaint_about_saying(frame, source == target)
        case Arrow(target=target, content=Act(verb=verb)) if people[
            target
        ].puppet is not None and verb not in ("quit", "start"):
            return f"{target} is a puppet: its arrows say all that it does"
        case Arrow(content=Act(frame=FrameText() as frame)):
            return complaint_about_call(frame)
    return ""


def _complaint_about_saying(frame: FrameText, is_local: bool) -> str:
    """Puppets ask and answer; entries and facts come about by what twins do."""
    name = frame.type
    is_http = name in METHODS or name.startswith(("GET ", "POST "))
    if not is_local and (is_http or name in (*ANSWERS, BEFORE, RETURNED)):
        return ""
    return f"a puppet asks or answers; {name} is neither"


def _is_frame(one: Any) -> bool:
    return isinstance(one, Arrow) and isinstance(one.content, FrameText)


def _complaint_about_fate(arrow: Arrow) -> str:
    """Only a request over HTTP can be lost or late; what becomes of an answer is the fate of
    its request."""
    assert isinstance(arrow.content, FrameText)
    name = arrow.content.type
    if name in METHODS or name.startswith(("GET ", "POST ")):
        return ""
    if name in ANSWERS:
        lane = f"{arrow.target}->{arrow.source}"
        return f"the answer to a request is lost with: @http {lane} REQUEST broken"
    way = WORDS.direction(name).partition("|")[0].replace(">", " to ")
    return f"{name} ({way}) is no request over HTTP: it cannot be lost or late"
