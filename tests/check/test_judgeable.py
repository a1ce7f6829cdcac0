"""Which invariants frames alone can judge: no false alarm, and what is wrong is found."""

from __future__ import annotations

import itertools
import json

import pytest

from sim.check.judge import FrameJudge
from sim.check.protocols import judged
from sim.cli.proving.mutants import LESSONS, storm_with
from sim.core.event import FaultInjected, Noted
from sim.play import load, play
from sim.protocols.hook.catalogue.tale import Tale
from sim.protocols.hook.catalogue.tales import TALES
from sim.protocols.hook.invariants import INVARIANTS
from sim.protocols.hook.mutants import Mutant, all_mutants
from sim.scenario.load import shipped_scenarios
from tests.check.logs import Story
from tests.check.observing import PLACES, KeepsEvents, Observer

SOME = (
    "typical", "cut-redelivers", "bind-telegram", "choose-session", "two-teams", "x-retry",
    "reopen-teardown", "half-open", "ask-and-press", "stop-a-round", "delivery-replay",
)  # fmt: skip
FRAMES = [one for one in INVARIANTS if one.from_frames]
BY_FORM = {"desktop-frames-pass-the-parser", "server-frames-pass-the-parser"}


def seen_falsely(name: str, seed: int = 1) -> list[str]:
    """What an observer of frames complains of in a run that breaks nothing."""
    scenario = load(name)
    result = play(scenario, seed=seed, driver="step")
    broken = {violation.invariant for violation in result.violations}
    twins = frozenset(p.kind for p in scenario.participants if p.puppet is None)
    twins &= judged("hook").sides
    events = result.trace.events
    # No socket loses or doubles a frame: then the log of one end cannot show what happened.
    odd = any(isinstance(e, FaultInjected) and e.fault[:4] in ("lose", "dupl") for e in events)
    found = []
    for place, lanes, closings in itertools.product(PLACES, (True, False), (True, False)):
        if not odd or place == "wire":
            judge = Observer(FrameJudge(sides=twins), place, lanes, closings).watch(events)
            found += [f"{place}: {one.rule}: {one.text}" for one in judge.findings
                      if one.rule not in broken]  # fmt: skip
    return found


@pytest.mark.parametrize("name", [name for name in SOME if name in shipped_scenarios()])
def test_a_shipped_scenario_gives_no_false_alarm_wherever_one_stands(name):
    assert seen_falsely(name) == []


@pytest.mark.deep
@pytest.mark.parametrize("name", sorted(shipped_scenarios()))
def test_no_shipped_scenario_gives_a_false_alarm(name):
    assert [one for seed in (1, 2, 3) for one in seen_falsely(name, seed)] == []


class Kept(KeepsEvents, Tale):
    """A tale of this protocol that keeps its events."""


def seen_of(told, bad: bool) -> set[str]:
    """Which rules an observer of the frames of a tale sees broken."""
    tale = Kept(next(one for one in INVARIANTS if one.name == told.invariant))
    told.story(tale, bad)
    tale.finish()
    judge = FrameJudge()
    observer = Observer(judge)
    for event in tale.kept:
        observer.on(event)
    judge.view.on(Noted(judge.n, tale.now, -1, "IM", "the end", None))
    judge.ask()
    return {finding.rule for finding in judge.findings}


NOT_IN_FRAMES = {
    "reopen after a restart": "a process that starts anew is not to be seen",
    "ordinary task in somebody elses session": "which sessions somebody has picked",
    "finished task that is dispatched again": "that the server has stored its end",
    "decision that nobody pressed": "a press in a channel",
}
TOLD = [
    told for told in TALES if told.invariant in {one.name for one in FRAMES}
    and told.name not in NOT_IN_FRAMES
]  # fmt: skip


@pytest.mark.parametrize("told", TOLD, ids=lambda told: told.name)
def test_what_a_tale_does_wrong_is_seen_in_its_frames(told):
    assert told.invariant not in seen_of(told, bad=False)
    # What is wrong in form has been refused before any other rule could look at it.
    assert seen_of(told, bad=True) & {told.invariant, *BY_FORM}


OF_FORM = {"acks-fit-their-result", "ends-fit-their-status", "buttons-fit"}
NEEDS_MORE = {
    "desktop-cheerful": "that the end was the answer to the cancel",
    "server-cancels-the-original": "which round was stored",
    "server-one-key-for-all": "which thread a key stands for",
    "server-dispatches-for-ever": "after a welcome what has ended may come again",
    "server-takes-over": "which sessions somebody has picked",
    "without-dead-thread": "whether a socket that died has taken the end",
}
MUTANTS = [
    mutant for mutant in all_mutants()
    if mutant.caught_by in {one.name for one in FRAMES} - OF_FORM
    and mutant.needs not in LESSONS and mutant.name not in NEEDS_MORE
]  # fmt: skip
QUICK = ("desktop-ghost", "desktop-no-hello", "desktop-stutters", "server-no-pong")


def storms_until_seen(mutant: Mutant) -> int:
    """The number of storms until an observer of the frames sees it; 0: never."""
    for seed in range(mutant.seeds):
        storm = storm_with(mutant, seed)
        storm.run()
        if mutant.caught_by in storm.broken():
            judge = Observer(FrameJudge()).watch(storm.world.events)
            if mutant.caught_by in {one.rule for one in judge.findings}:
                return seed + 1
    return 0


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(one, id=one.name, marks=() if one.name in QUICK else pytest.mark.deep)
        for one in MUTANTS
    ],
)
def test_what_a_mutant_does_is_seen_in_its_frames(mutant):
    assert storms_until_seen(mutant)


def test_every_rule_about_frames_is_shown_broken_by_a_tale_or_a_mutant():
    shown = {told.invariant for told in TOLD} | {mutant.caught_by for mutant in MUTANTS}
    silent = {one.name for one in FRAMES if one.name not in shown}
    by_hand = {
        "reopen-is-not-remembered", "cancel-names-what-runs", "no-dispatch-after-the-end"
    }  # fmt: skip
    assert silent == by_hand, "see the tests below"


def test_a_round_that_failed_more_than_a_day_ago_is_not_continued():
    tale = Kept(next(one for one in INVARIANTS if one.name == "reopen-is-not-remembered"))
    tale.connect()
    tale.failed("R1")
    tale.wait(2 * 24 * 3600)
    tale.reopen("6c684e7d-0b26-46eb-a147-d1fffcac0310", "R1")
    judge = Observer(FrameJudge()).watch(tale.kept)
    assert "reopen-is-not-remembered" in [one.rule for one in judge.findings]


@pytest.mark.parametrize(
    ("story", "rule"),
    [
        (Story().greet().down("task.cancel", requestId="R9"), "cancel-names-what-runs"),
        (Story().greet().task().dispatch(), "no-dispatch-after-the-end"),
        (
            Story().greet().dispatch().ack().progress().end().wait(9).dispatch(),
            "no-dispatch-after-the-end",
        ),
    ],
)
def test_what_a_server_says_wrong_in_a_short_story_is_seen(story, rule):
    judge = FrameJudge()
    judge.opened(0, "c1", "D", "S")
    for at, conn, up, frame in story.frames:
        judge.passed(int(at * 1e6), conn, up, json.dumps(frame))
    assert [one.rule for one in judge.findings] == [rule]


def test_the_declarations_are_in_the_record():
    record = judged("hook")
    assert [one.name for one in record.invariants] == [one.name for one in FRAMES]
    assert len(FRAMES) > 50
