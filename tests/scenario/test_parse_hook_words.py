"""The declared frames of the hook protocol, as words of the scenario language."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.core.errors import ScenarioError
from sim.protocols.hook.frames import MESSAGES
from sim.scenario.load import load_scenario
from sim.scenario.parse import parse_scenario
from sim.scenario.syntax import Scenario
from sim.scenario.vocabulary import FrameVocabulary, Vocabulary
from sim.wire.vocabulary import Vocabulary as DeclaredWords
from tests.scenario.accepted import ACCEPTED
from tests.scenario.words import HOOK, SomeFrames, between

FRAMES: FrameVocabulary = DeclaredWords(MESSAGES.values())
DECLARED = Vocabulary(FRAMES, HOOK.rules, HOOK.features, HOOK.invariants)
ACCEPTANCE = Path(__file__).parent.parent / "data" / "scenario" / "acceptance.mmd"


def read(line: str) -> Scenario:
    """A diagram with this line, its words checked against the declarations."""
    return parse_scenario(between(line), "test.mmd", DECLARED)


def test_the_acceptance_diagram_uses_declared_words_only() -> None:
    assert load_scenario(ACCEPTANCE, DECLARED) == load_scenario(ACCEPTANCE, HOOK)


@pytest.mark.parametrize("name", ACCEPTED)
def test_an_accepted_diagram_uses_declared_words_only(name: str) -> None:
    assert parse_scenario(ACCEPTED[name], "test.mmd", DECLARED).protocol == "hook"


def test_the_words_of_these_tests_are_declared() -> None:
    some = SomeFrames()
    for kind in some.frame_types():
        assert set(some.fields(kind)) <= set(FRAMES.fields(kind))
        assert some.direction(kind) == FRAMES.direction(kind)
        for field, values in some.enum_values(kind).items():
            assert set(values) <= set(FRAMES.enum_values(kind)[field])


@pytest.mark.parametrize("kind", MESSAGES)
def test_every_field_and_enum_value_of_every_frame_is_a_legal_item(kind: str) -> None:
    ends = "S->>D" if FRAMES.direction(kind) == "server>desktop" else "D->>S"
    items = [*FRAMES.fields(kind), *(v for vs in FRAMES.enum_values(kind).values() for v in vs)]
    for item in items:
        assert read(f"{ends}: {kind} ({item})").body


def test_a_misspelt_field_is_refused_with_the_declared_one() -> None:
    with pytest.raises(ScenarioError, match="no field") as caught:
        read("S->>D: task.dispatch (requestID=R1)")
    assert "requestId" in caught.value.allowed
