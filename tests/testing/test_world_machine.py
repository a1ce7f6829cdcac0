"""The Hypothesis machine: what it may decide, what it finds, what it leaves behind."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from sim.core.entropy import Stream
from sim.core.errors import ScenarioError, UsageError
from sim.core.trace import Trace
from sim.drivers.step import StepDriver
from sim.explore.replaying import resolve
from sim.explore.schedule import open_schedule
from sim.explore.trial import judged
from sim.play import load
from sim.scenario.playing.play import header_of
from sim.scenario.playing.strikes import Striker
from sim.testing import WorldMachine, machine_for
from sim.testing.machine import BrokenInvariantError
from sim.world.helm import Helm
from tests.architecture.source import ROOT
from tests.testing import diagrams

FINDS = settings(max_examples=60, phases=[Phase.generate], stateful_step_count=20)
FEW = settings(max_examples=15, phases=[Phase.generate], stateful_step_count=15)


def test_a_race_is_found_when_its_rule_is_off() -> None:
    machine = machine_for("reopen-teardown", without="ownership-at-write", faults="cut:1")
    with pytest.raises(BrokenInvariantError, match="close-out-respects-owner broken at step"):
        run_state_machine_as_test(machine, settings=FINDS)


@pytest.mark.parametrize("name", ["typical", "reopen-teardown", "heartbeat"])
def test_nothing_is_found_when_all_rules_are_on(name: str) -> None:
    run_state_machine_as_test(machine_for(name, faults="cut:1"), settings=FEW)


def wander(machine: WorldMachine, number: int) -> None:
    """Some decisions, by number."""
    stream = Stream(number, "wander")
    for _ in range(25):
        if machine.over or machine.broken():
            return
        what = stream.between(0, 3)
        if what == 0:
            machine.take(stream.between(0, 9))
        elif what == 1:
            machine.go_on(stream.between(1, 9))
        elif what == 2 and machine.hand.purse.total:
            machine.strike(stream.between(0, 40))
        elif machine.hand.stops_at == 0:
            machine.stop_a_handler(stream.between(1, 6))


def digest(world: object, run: object) -> str:
    return Trace(header_of(run, "step"), world.events).digest()  # type: ignore[arg-type,attr-defined]


@pytest.mark.parametrize("number", range(20))
def test_what_was_decided_is_a_schedule_that_gives_the_same_run(number: int) -> None:
    machine = machine_for("two-presses", faults="cut:1,duplicate:1,crash:1,channel:1")()
    wander(machine, number)
    events = len(machine.twin.world.events)
    again = open_schedule(
        machine.case,
        machine.schedule(),
        lambda _, world, stage: Helm(world, Striker(world, stage), machine.schedule().steps),
    )
    StepDriver(again.world).run(lambda: again.over() or len(again.world.events) >= events)
    assert again.world.events[:events] == machine.twin.world.events
    again.world.close()
    machine.teardown()


def test_zero_is_the_timed_run() -> None:
    machine = machine_for("typical")()
    while not machine.over:
        machine.take(0)
    assert machine.schedule().steps == ()
    assert machine.twin.director.over
    machine.teardown()


def test_another_number_lets_something_else_come_first() -> None:
    machine = machine_for("parallel-threads")()
    machine.go_on(30)
    for _ in range(5):
        machine.take(1)
    assert machine.schedule().steps
    machine.teardown()


def test_faults_end_with_the_budget() -> None:
    machine = machine_for("typical", faults="cut:2")()
    machine.go_on(10)
    for _ in range(4):
        machine.strike(0)
        machine.go_on(15)
    cuts = [step for step in machine.schedule().steps if step.is_fault]
    assert len(cuts) == 2
    assert machine.hand.purse.total == 0
    machine.teardown()


def test_a_handler_that_stops_goes_on_when_it_is_its_turn() -> None:
    machine = machine_for("typical")()
    machine.go_on(5)
    machine.stop_a_handler(3)
    machine.go_on(10)
    assert machine.hand.stops_at == 0
    assert any("/" in step.at for step in machine.schedule().steps)
    machine.teardown()


def test_the_file_s_own_faults_and_steps_count() -> None:
    machine = machine_for("typical")
    assert machine.case.faults == load("typical").settings.faults
    assert machine_for("typical", faults="cut:1").case.faults.cut == 1


def test_a_breach_that_the_file_announces_is_none_of_the_machine_s(tmp_path: Path) -> None:
    path = tmp_path / "race.mmd"
    path.write_text(diagrams.with_a_race(), encoding="utf-8")
    machine = machine_for(path)()
    machine.teardown()
    assert [one.invariant for one in machine.twin.monitor.violations] == [
        "close-out-respects-owner"
    ]


def broken(machine: type[WorldMachine]) -> BrokenInvariantError:
    with pytest.raises(BrokenInvariantError) as caught:
        machine().teardown()
    return caught.value


def test_a_breach_in_a_shipped_scenario_tells_its_token() -> None:
    error = broken(machine_for("reopen-teardown", without=("ownership-at-write",)))
    token = re.search(r"reproduce with: hooktwin replay (\S+)$", str(error))
    assert token
    assert judged(*resolve(token[1])).violations[0].invariant == error.broken.invariant


def test_a_breach_in_another_file_tells_its_choices(tmp_path: Path) -> None:
    path = tmp_path / "mine.mmd"
    path.write_text(Path(load("reopen-teardown").path).read_text("utf-8"), encoding="utf-8")
    error = broken(machine_for(path, without="ownership-at-write"))
    stored = tmp_path / "failure.json"
    stored.write_text(str(error).splitlines()[-1], encoding="utf-8")
    assert json.loads(stored.read_text(encoding="utf-8"))["invariant"] == error.broken.invariant
    assert judged(*resolve(str(stored))).violations[0].invariant == error.broken.invariant


def test_teardown_leaves_nothing_behind() -> None:
    machine = machine_for("typical", faults="cut:1")()
    machine.plays_to_the_end = False  # type: ignore[misc]
    machine.go_on(20)
    assert machine.twin.world.planned()
    machine.teardown()
    assert machine.twin.world.planned() == []
    assert not machine.twin.world.ready


def test_mistakes_are_told_by_the_factory() -> None:
    with pytest.raises(UsageError, match="ownership-at-write"):
        machine_for("typical", without="ownership")
    with pytest.raises(UsageError, match="write WORD:COUNT"):
        machine_for("typical", faults="cat:1")
    with pytest.raises(ScenarioError, match="typical"):
        machine_for("typicall")
    with pytest.raises(UsageError, match="machine_for"):
        WorldMachine()


@pytest.mark.parametrize("name", ["machine_for", "frames", "scenarios"])
def test_without_hypothesis_the_import_says_what_to_install(name: str) -> None:
    script = f"import sys; sys.modules['hypothesis'] = None; from sim.testing import {name}"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert "needs Hypothesis" in done.stderr
    assert "pip install '.[testing]'" in done.stderr.splitlines()[-1]
