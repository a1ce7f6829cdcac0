"""What is drawn of any shipped scenario, at any step, fits and breaks nothing."""

import pytest

from sim.core.event import FrameSent
from sim.protocols.register import protocol_of
from sim.scenario.load import shipped_scenarios
from tests.tui.stage import session
from tui.drawing import channels, frames, hosts, inspector, lanes, steps
from tui.plain import sentence

WIDTH = 46


def fits(lines):
    return all(one.width <= WIDTH for one in lines)


def look_at(run, step):
    """Draw everything of one step."""
    assert sentence(run, step).isprintable()
    assert fits(steps.inspect(run, step, WIDTH))
    layout = lanes.lay_out(run.lanes(), WIDTH)
    signs = lanes.signs_of(layout, run.scene(step))
    row = run.diagram.row(step)
    assert lanes.line_of(row, layout, signs, cursor=True, late=False).width <= WIDTH
    for name, kind in channels.channels_of(run):
        for unfolded in (False, True):
            look = channels.Look(run, step, WIDTH, "m2", unfolded)
            channels.draw(look, name, kind)
    view = hosts.View(run, step, max(step - 9, -1), WIDTH)
    for name, kind in hosts.hosts_of(run):
        assert hosts.title_of(view, name, kind)
        assert fits(hosts.draw(view, name))
    assert fits(hosts.links(view))


def look_at_frame(run, event):
    frames.line_of(run, event, WIDTH, cursor=False, late=False)
    inspector.tree(event.frame, WIDTH)
    spoken = protocol_of(event.frame)
    declared = event.frame.get(spoken.type_key) in spoken.messages
    assert inspector.judge(event.frame).known or not declared
    kinds, centre = dict(run.lanes()), run.record.centre
    host = event.receiver if kinds.get(event.receiver) == centre else event.sender
    verdicts = run.record.legal(run.chronicle, host, event.link, event.frame, event.n)
    inspector.legal(verdicts, event.frame, WIDTH, run.named)


@pytest.mark.parametrize("name", sorted(shipped_scenarios())[::11])
def test_every_step_of_a_scenario_can_be_drawn(name):
    run = session(name)
    run.finish()
    for step in range(0, run.count, max(run.count // 12, 1)):
        look_at(run, step)
    for step in range(0, min(run.count, 600), 3):
        event = run.event(step)
        if isinstance(event, FrameSent):
            look_at_frame(run, event)
    assert fits(steps.invariants(run, run.last, WIDTH))
