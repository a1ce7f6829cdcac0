import os

import msgspec
import pytest

from sim.core.errors import TraceError
from sim.core.event import FrameSent, HostStarted, Noted
from sim.core.trace import (
    Header,
    Trace,
    digest_of,
    encode_event,
    first_difference,
    is_trace,
    lines_of,
    read_trace,
    write_trace,
)
from tests.world.play import Word
from tests.world.random_worlds import timed_run
from tests.world.test_determinism import fixed_plan

HEADER = Header(scenario="typical", seed=7, hosts=(("D", "desktop"), ("S", "server")))


def events():
    return timed_run(fixed_plan(1)).events


def written(tmp_path, data):
    path = tmp_path / "run.jsonl"
    path.write_bytes(data)
    return path


def whole(of=None):
    return b"".join(lines_of(Trace(HEADER, events() if of is None else of)))


def test_of_a_frame_that_is_nested_too_deeply_its_type_is_written(tmp_path):
    frame = Word("deep")
    for _ in range(100_000):
        frame = [frame]
    event = FrameSent(0, 1, -1, "D.slack#1", "D", "S", 1, Nested(frame))
    path = written(tmp_path, whole([event]))
    [read] = read_trace(path).events
    assert read.frame["type"] == "nested"
    assert "too deeply" in read.frame["text"]
    assert len(digest_of([event])) == 32


class Nested:
    """A frame of that type whose wire form is this."""

    type = "nested"

    def __init__(self, wire):
        self.wire = wire


def test_a_trace_that_is_written_and_read_is_the_same_run(tmp_path):
    trace = Trace(HEADER, events())
    path = tmp_path / "run.jsonl"
    write_trace(path, trace)
    again = read_trace(path)
    assert again.header == HEADER
    assert again.digest() == trace.digest()
    assert len(again.events) == len(trace.events)
    assert not again.truncated
    assert path.read_bytes() == b"".join(lines_of(again))


def test_a_frame_is_read_back_in_its_wire_form(tmp_path):
    event = FrameSent(0, 5, -1, "D.a#1", "D", "S", 1, Word("hello"))
    again = read_trace(written(tmp_path, whole([event]))).events[0]
    assert again.frame == {"type": "hello"}
    assert encode_event(again) == encode_event(event)


@pytest.mark.parametrize("cut", [1, 10, 500])
def test_a_file_that_was_cut_off_still_opens_up_to_its_last_whole_line(tmp_path, cut):
    data = whole()[:-cut]
    trace = read_trace(written(tmp_path, data))
    assert trace.truncated
    assert len(trace.events) == data.count(b"\n") - 1
    assert first_difference(trace.events, events()) == len(trace.events)


def test_a_header_alone_is_a_run_in_which_nothing_happened(tmp_path):
    trace = read_trace(written(tmp_path, whole([])))
    assert (list(trace.events), trace.truncated) == ([], False)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"\n\n{}\n",
        b"sequenceDiagram\n  A->>B: hi\n",
        b"\x89PNG\r\n\x1a\n\x00\x00\xff\xfe",
        b'{"kind":"Noted"}\n',
        b'{"hooktwin":1',
        b"\xff\xfe{\x00",
    ],
)
def test_a_file_that_is_no_trace_is_answered_with_the_command_that_writes_one(tmp_path, data):
    path = written(tmp_path, data)
    with pytest.raises(TraceError, match=r"no hooktwin trace.*hooktwin run") as caught:
        read_trace(path)
    assert str(caught.value).startswith(f"{path}:1: ")


@pytest.mark.parametrize("version", ["2", "0", "null", '"1"'])
def test_a_trace_of_another_format_says_which_and_what_to_do(tmp_path, version):
    path = written(tmp_path, f'{{"hooktwin":{version},"new":[]}}\n'.encode())
    with pytest.raises(TraceError, match=r"trace format .*reads format 1; run the scenario again"):
        read_trace(path)


@pytest.mark.parametrize(
    "line",
    [
        b'{"hooktwin":1,"seed":"x"}',
        b'{"hooktwin":1,',
        b'{"hooktwin":true}',
        b'{"hooktwin":1,"scenario":"\xff"}',
    ],
)
def test_a_damaged_header_is_told_from_a_missing_one(tmp_path, line):
    with pytest.raises(TraceError, match="the header is damaged"):
        read_trace(written(tmp_path, line + b"\n"))


@pytest.mark.parametrize("line", [b"", b"{", b"\xff\xfe", b'{"kind":"Unknown","n":0}', b"[]"])
def test_a_line_that_is_no_event_is_named_with_its_number(tmp_path, line):
    good = whole()
    path = written(tmp_path, good + line + b"\n" + good.splitlines()[1] + b"\n")
    with pytest.raises(TraceError, match="no event of this format") as caught:
        read_trace(path)
    assert str(caught.value).startswith(f"{path}:{good.count(bytes([10])) + 1}: ")


def test_damage_is_told_even_when_the_file_is_cut_off_too(tmp_path):
    with pytest.raises(TraceError, match="no event of this format"):
        read_trace(written(tmp_path, whole() + b"{}\n{"))


def test_a_missing_file_and_a_folder_are_answered_with_the_systems_reason(tmp_path):
    with pytest.raises(TraceError, match="cannot read the trace: No such file"):
        read_trace(tmp_path / "missing")
    with pytest.raises(TraceError, match="cannot read the trace: Is a directory"):
        read_trace(tmp_path)


def test_a_file_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(TraceError, match="cannot write the trace"):
        write_trace(tmp_path / "no" / "such" / "folder", Trace(HEADER, []))


@pytest.mark.parametrize(
    "data", ["\ud800", {"\udfff": ["\ud83d"]}, "😀\u2028\x00", 2**80, -(2**63), 1.5, None, True]
)
def test_whatever_a_frame_may_hold_is_written_and_read_back(tmp_path, data):
    event = Noted(0, 0, -1, "D", "fact", data)
    again = read_trace(written(tmp_path, whole([event]))).events[0]
    assert again.data == data
    assert encode_event(again) == encode_event(event)


def test_the_digest_covers_the_events_and_nothing_else():
    one, other = Trace(HEADER, events()), Trace(Header(driver="trio"), events())
    assert one.digest() == other.digest() == digest_of(events())
    assert digest_of(events()[:-1]) != one.digest()
    assert len(one.digest()) == 32


def test_the_first_difference_of_two_runs_is_a_position():
    a, b, c = (HostStarted(n, 0, -1, "D", n) for n in range(3))
    assert first_difference([a, b], [a, b]) is None
    assert first_difference([a, b, c], [a, c]) == 1
    assert first_difference([a], [a, b]) == 1
    assert first_difference([], []) is None


def test_a_value_that_is_no_json_cannot_stand_in_a_trace():
    with pytest.raises(TypeError, match="object cannot stand in a trace"):
        encode_event(Noted(0, 0, -1, "D", "fact", object()))


def test_traces_of_any_version_are_recognised_by_their_first_bytes():
    assert is_trace(b'  {"hooktwin":99,')
    assert not is_trace(b'{"other":1}')
    assert not is_trace(os.urandom(0))
    assert is_trace(msgspec.json.encode(Header()))


def test_the_name_of_a_scenario_need_not_be_utf8(tmp_path):
    header = Header(scenario="odd\udcff", hosts=(("D", "desktop"),))
    write_trace(tmp_path / "odd.jsonl", Trace(header, events()))
    again = read_trace(tmp_path / "odd.jsonl")
    assert again.header == header
    assert again.digest() == Trace(header, events()).digest()
