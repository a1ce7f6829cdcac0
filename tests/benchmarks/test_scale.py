"""The scale run says how it went, also when it is stopped early."""

from __future__ import annotations

import pytest

from sim.core.event import FrameSent
from sim.drivers.step import StepDriver
from tests.benchmarks import scale
from tests.benchmarks.relay_load import RelayLoad


def test_a_small_run_is_complete_and_breaks_nothing(capsys):
    assert scale.main(["--desktops", "3", "--tasks", "2"]) == 0
    told = capsys.readouterr().out
    assert "3 desktops, 2 tasks each: complete" in told
    assert "violations       0" in told


def test_a_window_of_events_makes_the_same_run(capsys):
    scale.main(["--desktops", "3", "--tasks", "2"])
    whole = capsys.readouterr().out.split("\n")
    assert scale.main(["--desktops", "3", "--tasks", "2", "--keep", "200"]) == 0
    windowed = capsys.readouterr().out.split("\n")
    assert [line.split("(")[0] for line in whole if "frames" in line or "events" in line] == [
        line.split("(")[0] for line in windowed if "frames" in line or "events" in line
    ]


def test_a_dropped_event_is_not_given_as_another_one():
    window = scale.Window(keep=2)
    for event in range(9):
        window.append(event)
    assert len(window) == 9
    assert window[8] == 8
    with pytest.raises(IndexError, match="was dropped"):
        window[1]


def test_a_run_that_is_interrupted_tells_what_was_done(capsys, monkeypatch):
    def interrupt(self: scale.Watch) -> bool:
        if self.load.done == 2:
            raise KeyboardInterrupt
        return False

    monkeypatch.setattr(scale.Watch, "__call__", interrupt)
    assert scale.main(["--desktops", "3", "--tasks", "2"]) == 1
    told = capsys.readouterr().out
    assert "interrupted" in told
    assert "2 of 6" in told


def test_a_run_stops_before_it_takes_all_memory(capsys, monkeypatch):
    monkeypatch.setattr(scale, "LOOK_EVERY", 1)
    assert scale.main(["--desktops", "3", "--tasks", "2", "--memory-gib", "0.001"]) == 1
    assert "out of memory" in capsys.readouterr().out


def test_a_small_load_of_a_relay_is_complete_and_breaks_nothing():
    load = RelayLoad(3, 5, nodes=2)
    load.boot()
    StepDriver(load.world).run(load.over)
    assert load.over()
    assert load.monitor.violations == []
    queued = [e for e in load.world.events if isinstance(e, FrameSent) and _is_queued(e.frame.wire)]
    assert queued


def _is_queued(wire):
    return wire["payload"].get("type") == "queued"
