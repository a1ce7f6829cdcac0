"""Logs for the tests: frames as programs write them down."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from sim.check.checking import Wanted, check_file
from sim.check.verdict import Report
from sim.core.trace import Trace
from sim.play import load, play
from sim.protocols.hook import MESSAGES

FEATURES = ("turn-reopen-v1", "turn-delivery-v1")
ACCEPTED = {"result": "accepted", "reason": None, "sessionId": "s-1", "queuePosition": None}


class Story:
    """Frames with their times, in order; ``lines`` writes them down."""

    def __init__(self, device: str = "d-1", conn: str = "c1") -> None:
        self.device = device
        self.conn = conn
        self.now = 0.0
        self.count = 0
        self.frames: list[tuple[float, str, bool, dict[str, Any]]] = []

    def up(self, kind: str, /, **fields: Any) -> Story:
        return self._frame(True, kind, fields)

    def down(self, kind: str, /, **fields: Any) -> Story:
        return self._frame(False, kind, fields)

    def wait(self, seconds: float) -> Story:
        self.now += seconds
        return self

    def _frame(self, up: bool, kind: str, fields: dict[str, Any]) -> Story:
        self.now = round(self.now + 0.05, 6)
        self.count += 1
        example = copy.deepcopy(MESSAGES[kind].EXAMPLE)
        id = f"{self.device}-{'d' if up else 's'}{self.count}"
        ts = 1_760_000_000_000 + round(self.now * 1000)
        frame = {"v": 1, "type": kind, "id": id, "ts": ts, "payload": {**example, **fields}}
        self.frames.append((self.now, self.conn, up, frame))
        return self

    # -- usual parts -------------------------------------------------------------------

    def greet(self, features: tuple[str, ...] = FEATURES) -> Story:
        self.up(
            "hello", deviceId=self.device, workspaces=["chat", "web"], defaultWorkspace=None,
            features=list(features),
        )  # fmt: skip
        return self.down("welcome", features=list(features))

    def dispatch(self, request: str = "R1", **fields: Any) -> Story:
        facts = {"requestId": request, "externalKey": "slack:C1", "workspace": "chat"}
        return self.down("task.dispatch", **facts, sessionId=None, **fields)

    def ack(self, request: str = "R1", **fields: Any) -> Story:
        return self.up("task.ack", requestId=request, **{**ACCEPTED, **fields})

    def progress(self, request: str = "R1", text: str = "working") -> Story:
        return self.wait(1.6).up("turn.progress", requestId=request, text=text)

    def end(self, request: str = "R1", **fields: Any) -> Story:
        facts = {"requestId": request, "externalKey": "slack:C1", "status": "ok"}
        facts |= {"finalText": "done", "errorMessage": None, "usage": {"durationMs": None}}
        return self.up("turn.end", **{**facts, **fields})

    def task(self, request: str = "R1") -> Story:
        self.dispatch(request).ack(request).progress(request).end(request)
        return self.down(
            "turn.delivery", requestId=request, state="delivered", attempt=1, error=None,
            retryAt=None,
        )  # fmt: skip

    # -- forms of logs ------------------------------------------------------------------

    def bare(self) -> list[str]:
        return [json.dumps(frame) for _, _, _, frame in self.frames]

    def lines(
        self, start: float = 1_764_465_600.0, unit: float = 1.0, words: tuple[str, str] = ("up",
        "down"), times: bool = True,
    ) -> list[str]:  # fmt: skip
        return [
            json.dumps(
                {
                    "ts": (start + at) * unit if times else None,
                    "dir": words[0 if up else 1],
                    "conn": conn,
                    "raw": json.dumps(frame),
                }
            )
            for at, conn, up, frame in self.frames
        ]


def written(folder: Path, lines: list[str] | bytes, name: str = "frames.log") -> str:
    path = folder / name
    data = lines if isinstance(lines, bytes) else "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(data)
    return str(path)


def checked(folder: Path, lines: list[str] | bytes, **wanted: Any) -> Report:
    return check_file(written(folder, lines), Wanted(**wanted))


def broken(report: Report) -> list[tuple[int, str]]:
    """(line, rule) of each finding."""
    return [(one.line, one.finding.rule) for one in report.found]


def played(name: str) -> Trace:
    """The run of a shipped scenario; skips the test for frames of another protocol."""
    scenario = load(name)
    if scenario.protocol != "hook":
        pytest.skip("frames of another protocol than the one that is judged")
    return play(scenario, driver="step").trace
