"""Recordings that nobody has made, from some that somebody has: other outcomes, other times.

They show that twins and harness do not fit the given files alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.protocols.question.golden_compare import played, recorded
from tests.protocols.question.golden_play import GoldenPlay
from tests.protocols.question.golden_recording import Line, Recording
from tests.protocols.question.test_golden import named

Lines = list[Line]


def call(lines: Lines, ending: str, caller: str = "listener") -> Line:
    found = (line for line in lines if line["from"] == caller)
    return next(one for one in found if one.get("request", {}).get("path", "").endswith(ending))


def rejected_in_vain(lines: Lines) -> None:
    call(lines, "/reject")["response"] = {"status": 500, "body": {"name": "UnknownError"}}
    lines[:] = [line for line in lines if line.get("event") != "question.rejected"]
    lines[-1].update(tools={"que_1": "running"}, still_listed=["que_1"])


def answered_at_the_desk_between_list_and_reply(lines: Lines) -> None:
    line = next(one for one in lines if one.get("event") == "question.replied")
    line.update(by="tui", answers=[["A"]], at_ms=1624)


def hook_never_heard_of_its_message(lines: Lines) -> None:
    lost = {"status": None, "error": "connection dropped"}
    call(lines, "/sendMessage", "hook")["response"] = lost
    lines[:] = [
        line
        for line in lines
        if (line["from"], line["to"]) != ("hook", "store") or line["at_ms"] < 1070
    ]


def polls_answered_with_no(lines: Lines) -> None:
    no = {"status": 200, "body": {"ok": False, "error_code": 500, "description": "x"}}
    for line in lines:
        if line.get("response", {}).get("error"):
            line["response"] = no


def long_poll_broke_after_a_while(lines: Lines) -> None:
    call(lines, "/getUpdates")["done_ms"] = 580
    for line in lines:
        if line["at_ms"] >= 5_124 and line.get("event") != "final_state":
            line["at_ms"] += 460
            line["done_ms"] = line.get("done_ms", 0) + 460


def a_killed_process_left_its_lock(lines: Lines) -> None:
    left = {"at_ms": 1_400, "from": "scenario", "to": "store", "event": "lock_left"}
    lines.append(left)


def text_to_another_bot(lines: Lines) -> None:
    said = {"user": 7001, "text": "do it", "reply_to": None, "chat": -4200000001}
    line = {"at_ms": 1_900, "from": "user", "to": "telegram", "event": "text", **said}
    lines.append({**line, "message_id": 104})
    for later in [*lines, *lines[-2]["messages"]]:
        if later.get("at_ms", 9_999) > 1_900 and later.get("message_id", 0) >= 104:
            later["message_id"] += 1
    for update in call(lines[::-1], "/getUpdates")["response"]["body"]["result"]:
        update["message"]["message_id"] += 1


VARIANTS: list[tuple[str, Callable[[Lines], Any]]] = [
    ("08", rejected_in_vain),
    ("01", answered_at_the_desk_between_list_and_reply),
    ("01", hook_never_heard_of_its_message),
    ("14", polls_answered_with_no),
    ("14", long_poll_broke_after_a_while),
    ("01", a_killed_process_left_its_lock),
    ("02", text_to_another_bot),
]


def varied(which: str, vary: Callable[[Lines], Any], folder: Path) -> Recording:
    texts = named(which).read_text(encoding="utf-8").splitlines()
    lines: Lines = [json.loads(text) for text in texts if text]
    vary(lines)
    lines.sort(key=lambda line: line["at_ms"])
    path = folder / f"{which}-{vary.__name__}.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    return Recording(path)


@pytest.mark.parametrize(("which", "vary"), VARIANTS, ids=lambda one: getattr(one, "__name__", one))
def test_the_twins_do_as_the_program_would_have_done(which, vary, tmp_path):
    play = GoldenPlay(varied(which, vary, tmp_path))
    assert "\n".join(recorded(play.of, play).differences(played(play))) == ""
    assert play.unknown == []


def test_an_event_that_nobody_knows_is_named(tmp_path):
    def strange(lines: Lines) -> None:
        lines.insert(0, {"at_ms": 1, "from": "scenario", "to": "moon", "event": "eclipse"})

    assert GoldenPlay(varied("01", strange, tmp_path)).unknown == ["scenario: eclipse"]
