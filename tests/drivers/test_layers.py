"""Nothing that behaves knows what drives it."""

from __future__ import annotations

import re
from pathlib import Path

SIM = Path(__file__).parents[2] / "sim"
DRIVER_WORDS = re.compile(
    r"^\s*(from|import)\s+(trio|asyncio|sim\.drivers|trio_websocket)\b"
    r"|\b(StepDriver|TrioDriver|LiveDriver)\b",
    re.MULTILINE,
)


def sources(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((SIM / folder).rglob("*.py"))]


def test_hosts_and_protocols_know_no_driver_and_no_event_loop() -> None:
    files = sources("core", "world", "hosts", "protocols", "channel", "wire")
    assert len(files) > 30
    found = [str(p.relative_to(SIM)) for p in files if DRIVER_WORDS.search(p.read_text())]
    assert found == []


def test_one_module_knows_trio_websocket_and_one_knows_trios_inside() -> None:
    files = sources("")
    websocket = [p.name for p in files if re.search(r"(from|import) trio_websocket", p.read_text())]
    inside = [p.name for p in files if re.search(r"(from|import) trio\._", p.read_text())]
    assert websocket == ["websocket.py"]
    assert inside == ["trio_determinism.py"]
