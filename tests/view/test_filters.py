import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.view.columns import Columns
from sim.view.diagram import Diagram
from sim.view.filters import FilterError, Lookup, complete, parse_filter
from tests.view.traces import file_of, result_of


@pytest.fixture(scope="module")
def lookup():
    file = file_of("reopen-teardown")
    columns = Columns(file)
    columns.read(10_000)
    diagram = Diagram(file)
    names = dict(result_of("reopen-teardown").names)
    sets = {"@marked": [3], "finding": [81], "finding:close-out-respects-owner": [81]}
    return Lookup(file, columns, lambda event: diagram.row(event.n).text, names, sets)


def matches(lookup, text):
    test = parse_filter(text).test
    return [n for n in range(lookup.trace.count) if test(lookup.facts(n))]


def test_an_empty_filter_lets_everything_through(lookup):
    assert len(matches(lookup, "  ")) == lookup.trace.count


def test_globs_match_whole_values_of_a_field(lookup):
    ends = matches(lookup, "type:turn.end")
    assert [lookup.facts(n).type() for n in ends] == ["turn.end"] * 4
    assert set(ends) < set(matches(lookup, "type:turn.*"))
    assert matches(lookup, "type:turn") == []


def test_a_kind_of_event_is_a_type_too(lookup):
    assert matches(lookup, "type:FaultInjected") == [62]


def test_and_or_not_and_parentheses_bind_as_usual(lookup):
    both = matches(lookup, "type:turn.end & link:D.slack#2")
    assert both == matches(lookup, "type:turn.end link:*#2")
    assert matches(lookup, "type:hello | type:turn.end & link:*#2") == sorted(
        {*matches(lookup, "type:hello"), *both}
    )
    grouped = matches(lookup, "(type:hello | type:turn.end) & link:*#2")
    assert set(grouped) > set(both)
    assert matches(lookup, "! type:turn.end") == [
        n for n in range(lookup.trace.count) if n not in matches(lookup, "type:turn.end")
    ]


def test_numbers_take_comparisons_and_ranges(lookup):
    assert matches(lookup, "step:10..12") == [10, 11, 12]
    assert matches(lookup, "step<3") == [0, 1, 2]
    assert matches(lookup, "step>=97") == [97, 98]
    late = matches(lookup, "t>3.8")
    assert all(lookup.columns.at[n] > 3_800_000 for n in late)
    assert late
    assert set(matches(lookup, "gen:2")) == set(matches(lookup, "link:*#2"))
    assert matches(lookup, "size>100000") == []


def test_requests_are_known_by_the_names_of_the_diagram(lookup):
    first = matches(lookup, "req:R1 & type:task.*")
    assert {lookup.facts(n).type() for n in first} == {"task.dispatch", "task.ack"}


def test_bare_words_match_what_is_visible_in_any_case(lookup):
    assert matches(lookup, "TURN.reopen") == matches(lookup, '"turn.reopen"')
    assert matches(lookup, "re:/^D S turn/")
    assert matches(lookup, "re:/^S D turn/") == []


def test_selectors_and_findings_are_sets_of_steps(lookup):
    assert matches(lookup, "@marked") == [3]
    assert matches(lookup, "finding") == [81]
    assert matches(lookup, "finding:close-out-*") == [81]
    assert matches(lookup, "finding:other") == []


def test_ends_lanes_states_and_messages_are_fields(lookup):
    assert matches(lookup, "dir:D>S & type:hello")
    assert matches(lookup, "dir:S>D & type:hello") == []
    assert matches(lookup, "lane:slack & type:hello")
    assert matches(lookup, "state:FAILED & type:edit")
    assert matches(lookup, "msg:m2 & type:edit")
    assert matches(lookup, "host:IM & type:edit")
    assert matches(lookup, "choice:cut*") == [62]


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("typ:x", 1),
        ("type:turn.end & ", 17),
        ("type:", 6),
        ("(type:x", 1),
        ("type:x)", 7),
        ("a & & b", 5),
        ("t>soon", 3),
        ("step:10..x", 10),
        ("type<3", 1),
        ("@nobody", 1),
        ("link:re:/(/", 10),
        ('say "hello', 5),
        ("step:..", 6),
    ],
)
def test_an_error_names_its_column(text, column):
    with pytest.raises(FilterError) as caught:
        parse_filter(text)
    assert caught.value.column == column
    assert f"column {column}:" in str(caught.value)


def test_an_unknown_field_is_answered_with_the_known_ones():
    with pytest.raises(FilterError, match=re.escape("type, link, dir, lane, host")):
        parse_filter("colour:red")


def test_completion_offers_fields_values_and_selectors():
    assert complete("ty") == ["type:"]
    assert complete("type:turn.e", ["turn.end", "hello"]) == ["type:turn.end"]
    assert complete("ok & @m") == ["ok & @marked"]
    assert complete("") == []


@given(st.text(max_size=60))
def test_any_text_is_a_filter_or_an_error_with_a_column_inside_it(text):
    assert 1 <= column_of_error(text) <= len(text) + 1


def column_of_error(text):
    """1 for a filter that parses."""
    try:
        parse_filter(text)
    except FilterError as error:
        return error.column
    return 1
