"""For the tests of those who use hooktwin: state machines, strategies, a pytest plugin.

- ``machine``              a Hypothesis state machine over what is enabled in a scenario's world.
- ``hand``                 the helm that such a machine moves.
- ``frame_strategies``     strategies for frames, messages and texts of the protocols.
- ``scenario_strategies``  strategies for whole scenarios; ``writing`` is who writes them.
- ``twin``                 the fixture of the pytest plugin: play, explore, replay.
- ``telling``              what its findings and replays say in a report.
- ``mistakes``             errors of who writes the test, told at that line.
- ``plugin``               what pytest loads; ``collecting`` turns diagrams into tests.

``docs/testing.md`` shows each of them. Names are imported when they are first
asked for: pytest loads this package at every start, and Hypothesis is an extra
(from a clone: ``pip install '.[testing]'``).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sim.testing.frame_strategies import frames, messages, texts
    from sim.testing.machine import WorldMachine, machine_for
    from sim.testing.scenario_strategies import scenario_texts, scenarios
    from sim.testing.twin import Twin

_HOME = {
    "Twin": "twin",
    "WorldMachine": "machine",
    "frames": "frame_strategies",
    "machine_for": "machine",
    "messages": "frame_strategies",
    "scenario_texts": "scenario_strategies",
    "scenarios": "scenario_strategies",
    "texts": "frame_strategies",
}

__all__ = [
    "Twin",
    "WorldMachine",
    "frames",
    "machine_for",
    "messages",
    "scenario_texts",
    "scenarios",
    "texts",
]


def __getattr__(name: str) -> Any:
    """Where it lives is imported now."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
