import pytest

from sim.core import event as events
from sim.play import load
from sim.scenario.load import shipped_scenarios
from sim.view.diagram import Diagram
from tests.view.traces import file_of


def rows_of(name, every=False):
    file = file_of(name)
    diagram = Diagram(file)
    return [diagram.row(n) for n in diagram.forwards(0, every=every)]


def test_a_delivered_frame_is_an_arrow_between_its_ends():
    row = next(row for row in rows_of("typical") if row.label == "task.dispatch")
    assert (row.source, row.target, row.arrow) == ("S", "D", "frame")
    assert file_of("typical").event(row.refers).frame["type"] == "task.dispatch"


def test_every_step_has_a_row_when_all_are_wanted():
    rows = rows_of("reopen-teardown", every=True)
    assert [row.n for row in rows] == list(range(99))
    assert all(row.source and row.target and row.label for row in rows)


def test_local_steps_are_left_out_otherwise():
    shown = {row.n for row in rows_of("reopen-teardown")}
    file = file_of("reopen-teardown")
    hidden = [file.event(n) for n in range(file.count) if n not in shown]
    assert any(isinstance(event, events.Saved) for event in hidden)
    assert not any(isinstance(event, events.FrameDelivered) for event in hidden)
    assert not any(isinstance(event, events.FaultInjected) for event in hidden)


def test_backwards_gives_the_same_steps_as_forwards():
    diagram = Diagram(file_of("typical"))
    assert list(diagram.backwards(10_000)) == list(diagram.forwards(0))[::-1]


def test_a_copy_of_a_frame_is_marked_as_a_second_arrival():
    rows = rows_of("duplicate-dispatch")
    assert [row.arrow for row in rows if row.label == "task.dispatch"].count("again") == 1


def through(name, *hidden):
    diagram = Diagram(file_of(name))
    rows = [diagram.through(diagram.row(n), hidden) for n in diagram.forwards(0)]
    return [(row.source, row.target, row.label) for row in rows if row.arrow == "through"]


def test_what_went_through_a_hidden_lane_begins_where_its_cause_came_from():
    found = through("reopen-teardown", "S")
    assert ("D", "IM", "edit") in found
    assert all(source != "S" != target for source, target, _ in found)


def test_a_chain_of_hidden_lanes_is_gone_through_as_a_whole():
    assert ("U", "D", "task.dispatch") in through("ask-and-press", "IM", "S")


def test_an_answer_to_the_lane_that_asked_is_no_way_through():
    assert not [row for row in through("reopen-teardown", "S") if row[2] == "welcome"]


def test_nothing_goes_through_where_no_lane_is_hidden():
    assert through("reopen-teardown") == []


@pytest.mark.parametrize("name", sorted(shipped_scenarios())[::9])
def test_every_kind_of_event_of_shipped_scenarios_has_a_row(name):
    assert load(name).name == name
    assert all(row.text for row in rows_of(name, every=True))
