"""The file that a live session writes: one session's, and whole or said not to be."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.core.errors import UsageError
from sim.core.event import HostStarted
from sim.core.trace import Header, read_trace
from sim.live.holding import Summary
from sim.live.recording import Recording
from tests.live.proxying import fill_the_disk

HEADER = Header(driver="live")
FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="needs a disk that is full")


def started(n: int) -> HostStarted:
    return HostStarted(n, n, -1, "D", 1)


def test_two_sessions_do_not_record_in_one_file(tmp_path):
    path = tmp_path / "run.jsonl"
    first = Recording(path, HEADER)
    first.write(started(0))
    with pytest.raises(UsageError, match="another hooktwin records there"):
        Recording(path, HEADER)
    first.write(started(1))
    first.close()
    assert len(read_trace(path).events) == 2


def test_an_older_recording_is_replaced(tmp_path):
    path = tmp_path / "run.jsonl"
    for count in (3, 1):
        recording = Recording(path, HEADER)
        for n in range(count):
            recording.write(started(n))
        recording.close()
    assert len(read_trace(path).events) == 1


@needs_full
def test_a_disk_that_is_full_from_the_start_is_told_at_the_start():
    with pytest.raises(UsageError, match="No space left on device; give another file"):
        Recording(FULL, HEADER)


@needs_full
def test_a_disk_that_becomes_full_is_told_with_the_last_event(tmp_path):
    recording = Recording(tmp_path / "run.jsonl", HEADER)
    recording.write(started(0))
    fill_the_disk(recording)
    recording.write(started(1))
    recording.close()
    assert recording.problem.endswith("cannot record behind event 0: No space left on device")


def test_a_session_that_is_not_recorded_whole_ends_with_2(capsys):
    from sim.cli.living.summary import code_of, tell_summary

    summary = Summary(0, 1, 2, 0, {}, (), "run.jsonl: cannot record behind event 0: full")
    tell_summary(summary, Path("run.jsonl"))
    told = capsys.readouterr().err
    assert "not whole: run.jsonl: cannot record behind event 0" in told
    assert "recorded in" not in told
    assert code_of(summary) == 2
