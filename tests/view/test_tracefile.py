import json

import pytest

from sim.core.errors import TraceError
from sim.core.trace import encode_event, lines_of, read_trace, write_trace
from sim.view.columns import Columns
from sim.view.snapshots import SceneSnapshots
from sim.view.tracefile import DAMAGED, TraceFile
from tests.view.traces import file_of, made_up, result_of


def test_every_event_is_found_by_its_number_without_an_index():
    trace = result_of("reopen-teardown").trace
    file = TraceFile.of_trace(trace)
    assert file.count == len(trace.events)
    for n in (*range(file.count), *reversed(range(file.count))):
        assert file.event(n).n == n
        assert file.line(n) == encode_event(trace.events[n])


def test_a_large_trace_is_bisected_to_any_of_its_steps():
    trace = made_up(3000)
    file = TraceFile.of_trace(trace)
    for n in (0, 1, 5999, 3210, 6003, 77):
        assert file.event(n).at == trace.events[n].at


def test_a_file_with_snapshots_gives_the_same_events_and_the_same_digest(tmp_path):
    trace = made_up(1500)
    path = tmp_path / "run.jsonl"
    write_trace(path, trace, SceneSnapshots())
    assert path.read_bytes().count(b'"kind":"Snapshot"') == 3
    file = TraceFile.open(path)
    assert file.count == len(trace.events)
    assert [file.event(n).n for n in (999, 1000, 1001, 2000)] == [999, 1000, 1001, 2000]
    assert read_trace(path).digest() == trace.digest()


def test_the_newest_snapshot_that_knows_nothing_later_is_given(tmp_path):
    path = tmp_path / "run.jsonl"
    write_trace(path, made_up(1500), SceneSnapshots())
    file = TraceFile.open(path)
    assert file.snapshot_before(999) is None
    assert [file.snapshot_before(n)[0] for n in (1000, 1999, 2000, 3004)] == [
        1000,
        1000,
        2000,
        3000,
    ]


def test_a_half_written_line_is_left_out_until_it_is_whole(tmp_path):
    whole = b"".join(lines_of(made_up(20)))
    path = tmp_path / "growing.jsonl"
    path.write_bytes(whole[:-30])
    file = TraceFile.open(path)
    before = file.count
    assert file.truncated
    with pytest.raises(IndexError, match=f"steps 0 to {before - 1}"):
        file.event(before)
    path.write_bytes(whole)
    assert file.refresh()
    assert file.count == before + 1
    assert not file.truncated
    assert file.event(before).n == before


def test_a_header_without_events_is_a_trace_of_no_steps():
    file = TraceFile("empty", next(iter(lines_of(made_up(1)))))
    assert file.count == 0


@pytest.mark.parametrize(
    ("data", "words"), [(b"", "no header line"), (b"hello\n", "no header"), (b"{}\n", "no header")]
)
def test_what_is_no_trace_is_refused_with_a_remedy(data, words):
    with pytest.raises(TraceError, match=words) as caught:
        TraceFile("x.jsonl", data)
    assert "hooktwin run SCENARIO --trace FILE" in str(caught.value)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(TraceError, match=r"nothing\.jsonl: cannot read"):
        TraceFile.open(tmp_path / "nothing.jsonl")


def test_a_damaged_line_is_named_by_its_step():
    data = b"".join(lines_of(made_up(5))).replace(b'"epoch":1', b'"epoch":x')
    with pytest.raises(TraceError, match="step 1"):
        TraceFile("x.jsonl", data).event(1)


def test_lines_with_blanks_are_read_like_compact_ones():
    lines = b"".join(lines_of(made_up(5))).splitlines()
    spaced = b"\n".join([lines[0], *(json.dumps(json.loads(one)).encode() for one in lines[1:])])
    file = TraceFile("x.jsonl", spaced + b"\n")
    assert [file.event(n).n for n in range(file.count)] == list(range(len(lines) - 1))


def test_columns_say_what_the_events_say():
    file = file_of("reopen-teardown")
    columns = Columns(file)
    while columns.read(7):
        pass
    assert columns.done
    for n in range(file.count):
        event = file.event(n)
        assert columns.kind_of(n) == type(event).__name__
        assert columns.at[n] == event.at
        assert columns.words.texts[columns.link[n]] == getattr(event, "link", "")
    types = [columns.type_of(n) for n in range(file.count)]
    assert types.count("turn.reopen") == 4
    assert "edit" in types


def damaged(path, how):
    """A made-up trace of some 3,000 events in which something is wrong at step 2,000."""
    write_trace(path, made_up(1_500))
    lines = path.read_bytes().split(b"\n")
    place = next(k for k, line in enumerate(lines) if b'"n":2000,' in line)
    instead = {"missing": [], "half": [lines[place][:30]], "binary": [b"\xff\0"]}
    lines[place : place + 1] = instead[how]
    path.write_bytes(b"\n".join(lines))
    return TraceFile.open(path)


@pytest.mark.parametrize("how", ["missing", "half", "binary"])
def test_a_lenient_trace_notes_what_cannot_be_read_and_keeps_the_rest(tmp_path, how):
    file = damaged(tmp_path / "damaged.jsonl", how)
    with pytest.raises(TraceError):
        file.event(2_000)
    file.lenient = True
    columns = Columns(file)
    while columns.read(500):
        pass
    assert len(columns) == file.count > 3_000
    assert file.event(2_000).what == DAMAGED
    assert [file.event(n).n for n in (1_999, 2_001, 3_000)] == [1_999, 2_001, 3_000]
    assert [n for n in range(file.count) if columns.type_of(n) == DAMAGED] == [2_000]


def test_the_index_of_a_strict_trace_says_where_it_is_damaged(tmp_path):
    columns = Columns(damaged(tmp_path / "damaged.jsonl", "half"))
    with pytest.raises(TraceError, match="step 2000: no event of this format"):
        columns.read(5_000)


def test_a_file_that_shrinks_vanishes_or_becomes_another_one_stays_as_it_was_read(tmp_path):
    path = tmp_path / "trace.jsonl"
    write_trace(path, made_up(50))
    file = TraceFile.open(path)
    whole, count = path.read_bytes(), file.count
    for other in (whole[:200], b"", whole.replace(b"made-up", b"another one") * 2, whole + b"?\n"):
        path.write_bytes(other)
        assert not file.refresh()
        assert (file.count, file.event(count - 1).n) == (count, count - 1)
    path.unlink()
    assert not file.refresh()
    assert file.line(count - 1) in whole
