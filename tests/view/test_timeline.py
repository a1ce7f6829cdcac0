from hypothesis import given
from hypothesis import strategies as st

from sim.view.columns import Columns
from sim.view.timeline import buckets, column_of, faults, next_mark, previous_mark
from sim.view.tracefile import TraceFile
from tests.view.traces import file_of, made_up


def columns_of(file):
    columns = Columns(file)
    columns.read(1 << 30)
    return columns


def test_every_step_is_counted_in_its_own_column():
    columns = columns_of(file_of("reopen-teardown"))
    found = buckets(columns, 60)
    assert sum(found.counts) == columns.trace.count
    expected = [0] * 60
    for n in range(columns.trace.count):
        expected[found.column_of(n)] += 1
    assert list(found.counts) == expected


def test_a_fault_is_louder_than_a_letter_and_a_finding_is_louder_than_a_fault():
    columns = columns_of(file_of("reopen-teardown"))
    found = buckets(columns, 20, findings=[62])
    assert found.marks[column_of(62, 99, 20)] == "!"
    assert buckets(columns, 20).marks[column_of(62, 99, 20)] == "x"
    assert "h" in buckets(columns, 90).marks
    assert "≠" in buckets(columns, 90, differences=[70]).marks


def test_what_has_not_been_read_yet_is_empty():
    columns = Columns(TraceFile.of_trace(made_up(100)))
    columns.read(100)
    found = buckets(columns, 20)
    assert sum(found.counts) == 100
    assert found.counts[-1] == 0


@given(st.integers(1, 2000), st.integers(1, 200))
def test_the_first_step_of_a_column_stands_in_that_column(steps, width):
    file = type("Trace", (), {"count": steps})
    found = buckets(type("Columns", (), COLUMNS | {"trace": file})(), width)
    for column in range(min(width, steps)):
        assert found.column_of(found.step_of(column)) >= min(column, steps - 1) * (steps > 1) or (
            width == 1
        )
    assert found.column_of(steps - 1) == (width - 1 if steps > 1 else 0)


COLUMNS = {
    "kind": bytearray(),
    "words": type("Words", (), {"texts": [""]}),
    "type": [],
    "__len__": lambda self: 0,
}


def test_faults_and_marks_are_found_in_both_directions():
    columns = columns_of(file_of("reopen-teardown"))
    assert faults(columns) == [62]
    assert next_mark([3, 62], 3) == 62
    assert next_mark([3, 62], 62) is None
    assert previous_mark([3, 62], 62) == 3
