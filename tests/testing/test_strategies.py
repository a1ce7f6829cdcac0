"""Strategies for frames and scenarios, as users import them."""

from __future__ import annotations

import pytest
from hypothesis import find, given, settings

import sim.testing
from sim.core.errors import UsageError
from sim.play import play
from sim.protocols.hook import parse_hook_message
from sim.protocols.relay import parse_relay_message
from sim.testing import frames, messages, scenario_texts, scenarios, texts
from tests.scenario.test_transcribe import assert_same


@settings(max_examples=50)
@given(frames("turn.end", "task.dispatch"))
def test_frames_are_valid_and_of_the_types_that_are_named(frame) -> None:  # type: ignore[no-untyped-def]
    assert frame["type"] in ("turn.end", "task.dispatch")
    assert parse_hook_message(frame).ok


@settings(max_examples=40)
@given(messages(), texts())
def test_messages_and_texts_are_of_any_type_and_parse(message, text) -> None:  # type: ignore[no-untyped-def]
    assert message.body is not None
    assert parse_hook_message(text).ok


@settings(max_examples=40)
@given(frames("routed", "primitive.tab.open"), messages("command"), texts(protocol="relay"))
def test_frames_of_another_protocol_are_drawn_by_its_names(frame, message, text) -> None:  # type: ignore[no-untyped-def]
    assert frame["messageType"] in ("event", "command")
    assert parse_relay_message(frame).ok
    assert message.type == message.wire["messageType"] == "command"
    assert parse_relay_message(text).ok


def test_a_name_that_several_protocols_have_is_the_first_ones_unless_said() -> None:
    assert "v" in find(frames("ping"), lambda _: True)
    assert "senderRole" in find(frames("ping", protocol="relay"), lambda _: True)
    with pytest.raises(UsageError, match=r"there is hook, relay"):
        frames("ping", protocol="telnet")
    with pytest.raises(UsageError, match=r"unknown frame 'turn\.end'"):
        texts("turn.end", protocol="relay")


def test_an_unknown_frame_is_answered_with_near_ones() -> None:
    with pytest.raises(UsageError, match=r"unknown frame 'turn\.edn'; did you mean: turn\.end"):
        frames("turn.edn")


@settings(max_examples=25)
@given(scenarios())
def test_scenarios_can_be_played_and_every_driver_sees_the_same(scenario) -> None:  # type: ignore[no-untyped-def]
    assert play(scenario, driver="step").digest == play(scenario, driver="trio").digest


@pytest.mark.deep
@settings(max_examples=200)
@given(scenarios())
def test_what_is_written_back_is_the_same_run(scenario) -> None:  # type: ignore[no-untyped-def]
    assert_same(play(scenario, driver="step"))


@pytest.mark.deep
def test_scenarios_shrink_to_a_small_one() -> None:
    smallest = find(scenario_texts(), lambda text: "@crash S" in text)
    assert len(smallest.splitlines()) < 24
    assert "@puppet" not in smallest


def test_all_that_is_promised_is_there() -> None:
    assert set(sim.testing.__all__) <= set(dir(sim.testing))
    for name in sim.testing.__all__:
        assert getattr(sim.testing, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        sim.testing.nothing  # noqa: B018
