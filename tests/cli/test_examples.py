"""The example of a desktop of one's own: it runs, in virtual time, and is judged."""

from __future__ import annotations

import importlib.util
import sys
import time
from types import ModuleType

import pytest

from sim.core.event import ConnectionClosed, FrameSent
from sim.core.trace import digest_of
from tests.cli.screens import ROOT


@pytest.fixture(scope="module")
def example() -> ModuleType:
    path = ROOT / "docs" / "examples" / "my_desktop.py"
    spec = importlib.util.spec_from_file_location("my_desktop", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["my_desktop"] = module
    spec.loader.exec_module(module)
    return module


def test_my_desktop_answers_after_a_cut_and_breaks_no_invariant(example: ModuleType) -> None:
    began = time.perf_counter()
    played = example.build()
    played.run()
    assert time.perf_counter() - began < 30
    shown = [m for m in played.view.history.messages.values() if m.role == "request"]
    assert [(m.state, m.text) for m in shown] == [("OK", "WRITE THE REPORT")]
    assert played.monitor.violations == []
    events = played.world.events
    cut_at = next(e.at for e in events if isinstance(e, ConnectionClosed))
    (end,) = [e for e in events if isinstance(e, FrameSent) and e.frame.type == "turn.end"]
    assert end.at > cut_at


def test_a_mistake_of_my_desktop_is_found(
    example: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def forget(self: object, connection: object) -> None: ...

    monkeypatch.setattr(example.MyDesktop, "tell_preference", forget)
    played = example.build()
    played.run()
    broken = [violation.invariant for violation in played.monitor.violations]
    assert broken == ["preference-is-said-again"]


@pytest.mark.parametrize("seed", range(1, 6))
def test_the_same_seed_gives_the_same_run(example: ModuleType, seed: int) -> None:
    digests = []
    for _ in range(2):
        played = example.build(seed)
        played.run()
        assert played.monitor.violations == []
        digests.append(digest_of(played.world.events))
    assert digests[0] == digests[1]


def test_it_prints_what_alice_sees(example: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    example.main()
    assert "S: OK WRITE THE REPORT\n" in capsys.readouterr().out
