"""Every complaint names its place and offers what would have been understood."""

from __future__ import annotations

import pytest

from sim.core.errors import ScenarioError
from sim.scenario.parse import LARGEST_BYTES
from tests.scenario.refused import REFUSED_BY_MERMAID, REFUSED_BY_US
from tests.scenario.words import HOOK, between, read

REFUSED = {**REFUSED_BY_MERMAID, **REFUSED_BY_US}


@pytest.mark.parametrize("name", REFUSED)
def test_a_complaint_names_place_reason_and_remedy(name: str) -> None:
    case = REFUSED[name]
    with pytest.raises(ScenarioError) as caught:
        read(case.text)
    error = caught.value
    assert case.says in error.text
    assert (error.line, error.column) == case.place
    assert error.path == "test.mmd"
    if case.offers:
        assert any(case.offers in word for word in error.allowed)


@pytest.mark.parametrize("name", REFUSED)
def test_line_ends_of_windows_do_not_move_a_complaint(name: str) -> None:
    case = REFUSED[name]
    if "\r" in case.text:
        return
    with pytest.raises(ScenarioError) as caught:
        read(case.text.replace("\n", "\r\n"))
    assert (caught.value.line, caught.value.column) == case.place


def test_a_puppet_may_send_in_the_wrong_direction_and_with_a_wrong_enum_value() -> None:
    assert read(between("%% @puppet S", "S->>D: hello")).body
    assert read(between("%% @puppet D", "D->>S: turn.end (status=fine)")).body


def test_a_puppet_may_not_send_an_unknown_field() -> None:
    with pytest.raises(ScenarioError, match=r"no field of turn\.end"):
        read(between("%% @puppet D", "D->>S: turn.end (state=ok)"))


def test_a_hundred_nested_blocks_are_read_and_one_more_is_refused() -> None:
    def nested(depth: int) -> str:
        return between(*["opt x"] * depth, "D->>S: hello", *["end"] * depth)

    assert read(nested(100)).body
    with pytest.raises(ScenarioError, match="more than 100 blocks") as caught:
        read(nested(101))
    assert caught.value.line == 6 + 100


def test_deep_values_and_endless_numbers_are_refused() -> None:
    with pytest.raises(ScenarioError, match="nested deeper"):
        read(between(f"D->>S: hello (agents={'[' * 51}{']' * 51})"))
    with pytest.raises(ScenarioError, match="no JSON value"):
        read(between(f"D->>S: hello (agents={'9' * 5000})"))


def test_a_text_over_four_mebibytes_is_refused() -> None:
    padding = "%% x\n" * (LARGEST_BYTES // 5)
    with pytest.raises(ScenarioError, match="at most 4194304"):
        read(between("D->>S: hello") + padding)


def test_a_protocol_without_a_vocabulary_is_refused_with_those_that_have_one() -> None:
    from sim.scenario.parse import parse_scenario

    relay = "sequenceDiagram\nparticipant relay\n"
    with pytest.raises(ScenarioError, match="relay is not available") as caught:
        parse_scenario(relay, "test.mmd", {"hook": HOOK})
    assert caught.value.allowed == ("hook",)
