"""The terminal UI shows a relay run, and knows no word of the relay protocol itself."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sim.core.trace import write_trace
from sim.protocols.relay import ACTIONS, EVENTS
from tests.tui.stage import perform, press, screen_text, settled, shared
from tui.drawing import frames, hosts
from tui.feeds.moment import moment_of
from tui.feeds.runner import run_session
from tui.keys import VIEWS
from tui.screens.faults import entries_for
from tui.session import Session

ROOT = Path(__file__).resolve().parent.parent.parent / "tui"
WIDTH = 100


def pane(run: Session, host: str, step: int, since: int = -1) -> str:
    """What the Hosts screen says of a host."""
    lines = hosts.draw(hosts.View(run, step, since, WIDTH), host)
    return "\n".join("".join(span.text for span in line.spans) for line in lines)


def step_of(run: Session, label: str, nth: int = 1) -> int:
    """The step that shows this label for the n-th time."""
    found = [n for n in range(run.count) if run.diagram.row(n).label == label]
    return found[nth - 1]


def test_the_lanes_are_controllers_relay_and_node():
    run = shared("lock-with-lease")
    assert run.lanes() == (
        ("A", "controller"), ("B", "controller"), ("R", "relay"), ("N", "node"),
    )  # fmt: skip


def test_the_relays_pane_shows_queues_with_who_runs_and_who_waits():
    run = shared("one-tab-in-order")
    told = pane(run, "R", step_of(run, "queued", 2))
    assert re.search(r"queues +N:T1 +runs R3 of A; waits R4 of B, R5 of A", told)


def test_the_relays_pane_shows_locks_with_their_leases_and_forgets_them_when_they_end():
    run = shared("lock-with-lease")
    held = pane(run, "R", step_of(run, "lock_acquired"))
    assert re.search(r"locks +N:T1 +A until T\+[0-9.]+ \(5000 ms\)", held)
    assert "locks" not in pane(run, "R", step_of(run, "lock_expired"))


def test_timers_are_told_by_the_names_that_the_diagram_has_for_ids():
    run = shared("lock-with-lease")
    moment = moment_of(run, step_of(run, "lock_acquired") + 2)
    lines = hosts.draw(hosts.View(run, moment.step, -1, WIDTH, moment=moment), "R")
    told = "\n".join("".join(span.text for span in line.spans) for line in lines)
    assert re.search(r"timers +lease N/T1 at T\+", told)
    assert "tab_1" not in told


def test_a_nodes_pane_shows_tabs_with_their_owners():
    run = shared("controller-goes-away")
    told = pane(run, "N", step_of(run, "lock_acquired"))
    assert "T1  owner A" in told
    assert "T2  owner B" in told
    assert "owner A" not in pane(run, "N", run.last)


def test_what_has_changed_since_an_earlier_step_is_marked():
    run = shared("lock-with-lease")
    before = step_of(run, "tab_lock")
    told = pane(run, "R", step_of(run, "lock_acquired"), since=before)
    assert re.search(r"^\+ locks", told, re.MULTILINE)
    gone = pane(run, "R", step_of(run, "lock_expired"), since=step_of(run, "lock_renewed"))
    assert re.search(r"^- locks.*gone", gone, re.MULTILINE)


def test_the_list_of_frames_calls_them_by_event_and_action():
    run = shared("lock-with-lease")
    rows = [
        "".join(span.text for span in frames.line_of(run, run.event(n), WIDTH, cursor=False,
                                                     late=False).spans)
        for n in range(run.count)
        if frames.is_frame(run.event(n))
    ]  # fmt: skip
    assert any("lock_acquired" in row and "←" in row for row in rows)
    assert any("primitive.tab.open" in row and "→" in row for row in rows)


def test_the_tables_say_that_a_command_before_the_ack_was_not_legal():
    run = shared("race-command-behind-auth")
    n = step_of(run, "primitive.tab.query")
    frame = run.diagram.frame_of(run.event(n).sent)
    verdicts = run.record.legal(run.chronicle, "R", run.event(n).link, frame, n)
    assert [one.is_legal for one in verdicts if one.table == "relay session"] == [False]


def test_a_file_of_a_relay_run_is_judged_as_the_run_was_and_shows_the_same(tmp_path):
    run = shared("lock-with-lease")
    assert run.result is not None
    write_trace(tmp_path / "run.jsonl", run.result.trace)
    read = Session.of_file(tmp_path / "run.jsonl")
    read.finish()
    assert (read.violations, read.unjudged) == ([], "")
    n = step_of(run, "lock_acquired")
    assert pane(read, "R", n).count("until T+") == pane(run, "R", n).count("until T+") == 1


def test_every_view_of_a_relay_run_opens_and_says_what_it_knows():
    async def script(pilot):
        script.seen = {}
        for number, view in enumerate(VIEWS[:6], 1):
            await press(pilot, str(number), "G", "N")
            await settled(pilot)
            script.seen[view] = screen_text(pilot.app)

    perform(shared("lock-with-lease"), script)
    assert "controller" in script.seen["replay"]
    assert "lock_expired" in script.seen["frames"]
    assert "relay" in script.seen["hosts"]


def test_the_fault_menu_offers_what_a_controller_and_a_node_can_do():
    run = shared("open-and-read")
    found = entries_for(run, moment_of(run, 40))
    labels = [one.label for one in found if one.group == "person"]
    assert "C  opens a tab" in labels
    assert "N  fails the next command" in labels


def test_an_act_of_the_menu_makes_a_branch_of_the_run():
    run = shared("open-and-read")
    deed = next(one.value for one in entries_for(run, moment_of(run, 40), "C")
                if one.label == "C  queries the tabs")  # fmt: skip
    branch = run_session(run.scenario, deeds=(deed,), parent=run, driver="step")
    assert "primitive.tab.query" in [branch.diagram.row(n).label for n in range(branch.count)]


ALSO_ELSEWHERE = {"queued"}
WORDS = sorted(
    {*ACTIONS, *EVENTS} - ALSO_ELSEWHERE | {"tab_lock", "hello_ack", "auth_ack", "targetNodeId"}
)


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: path.stem)
def test_no_code_of_the_terminal_ui_speaks_of_the_relay_protocol(path):
    text = path.read_text(encoding="utf-8")
    assert "protocols.relay" not in text
    assert [word for word in WORDS if f'"{word}"' in text] == []
