"""``serve --tui``: what was found is told when the screen is free again."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.cli.living import watching
from sim.live.holding import Summary
from tests.cli.screens import Shell


@pytest.mark.parametrize("kept", [True, False])
def test_its_end_tells_what_there_was_and_where_the_rest_stands(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    looked_at: list[Path] = []

    async def watched(plan: object, address: object, record: Path) -> Summary:
        looked_at.append(record)
        return Summary(0, 7, 9, 1, {"ack-comes-first": 1}, ())

    monkeypatch.setattr(watching, "_both", watched)
    record = tmp_path / "run.jsonl"
    told = shell("serve", "--tui", *(("--record", record) if kept else ()))
    assert told.code == 1
    assert "7 frames, 9 events, 1 finding: ack-comes-first 1×" in told.err
    assert (f"stands in {tmp_path / 'run.log'}" in told.err) is kept
    assert (looked_at == [record]) is kept
