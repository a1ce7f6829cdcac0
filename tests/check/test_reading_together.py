"""Lines that are read together are judged as if each had come alone."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from sim.check.checking import Log, Wanted, check_file, check_rotated
from sim.check.rotated import joined
from sim.check.verdict import Report
from tests.check.logs import Story, broken, written

BAD = '{"ts": 1764465600.5, "dir": "up", "conn": "c1", "raw": "{\\"v\\":1"}'


def busy() -> list[str]:
    story = Story().greet()
    for number in range(120):
        name = f"R{number}"
        story.dispatch(name).ack(name).progress(name).progress(name)
        if number % 7 == 0:
            story.wait(0.1).up("turn.progress", requestId=name, text="hasty")
        story.end(name, externalKey="slack:C1" if number % 5 else "slack:C2")
        if number % 11 == 0:
            story.progress(name).down("task.ack", requestId=name)
    return story.lines()


def alone(name: str, **wanted: bool) -> Report:
    """The report of a log whose lines have come one by one."""
    log = Log(name, Wanted(**wanted))  # type: ignore[arg-type]
    for number, line in enumerate(Path(name).read_bytes().split(b"\n")[:-1], 1):
        log.read(number, line)
    return log.finish()


@pytest.mark.parametrize("wanted", [{}, {"only_wire": True}, {"only_rules": True}])
def test_a_log_is_judged_alike_line_by_line_and_in_batches(tmp_path, wanted):
    lines = busy()
    lines[300:300] = [BAD, "", "no json", '{"ts": null, "dir": "up", "raw": "{}"}']
    lines[500], lines[520] = lines[520], lines[500]
    name = written(tmp_path, lines)
    together = check_file(name, Wanted(**wanted))
    assert together.to_json() == alone(name, **wanted).to_json()
    assert together.found
    assert together.disorder.moved


def test_times_that_are_no_numbers_are_as_good_in_a_batch(tmp_path):
    lines = [json.loads(line) for line in busy()]
    for number, line in enumerate(lines):
        if number > 300 and number % 50 == 0:
            line["ts"] = None
        elif number > 300 and number % 70 == 0:
            line["ts"] = 1e300
    name = written(tmp_path, [json.dumps(line) for line in lines])
    assert check_file(name, Wanted()).to_json() == alone(name).to_json()


# -- rotated ------------------------------------------------------------------------------


def rotated(folder: Path) -> tuple[list[str], list[str]]:
    """A log in three files: their names as a folder lists them, and its lines."""
    lines = busy()
    data = ["".join(f"{line}\n" for line in part).encode()
            for part in (lines[:200], lines[200:400], lines[400:])]  # fmt: skip
    (folder / "app.log.2.gz").write_bytes(gzip.compress(data[0]))
    (folder / "app.log.1").write_bytes(data[1])
    (folder / "app.log").write_bytes(data[2])
    return sorted(str(one) for one in folder.iterdir()), lines


def test_rotated_logs_are_judged_as_the_one_log_that_they_are(tmp_path):
    (tmp_path / "logs").mkdir()
    names, lines = rotated(tmp_path / "logs")
    (group,) = joined(names)
    assert [Path(name).name for name in group] == ["app.log.2.gz", "app.log.1", "app.log"]
    whole = check_file(written(tmp_path, lines), Wanted())
    parts = check_rotated(group, Wanted())
    starts = {"app.log.2.gz": 0, "app.log.1": 200, "app.log": 400}
    places = [(starts[Path(one.file).name] + one.line, one.finding.rule) for one in parts.found]
    assert places == broken(whole)
    assert len({one.file for one in parts.found}) == 3
    assert parts.rules == whole.rules
    assert any("read as one log" in note for note in parts.notes)


def test_a_line_that_cannot_be_read_is_told_with_its_own_file(tmp_path):
    names, _ = rotated(tmp_path)
    with (tmp_path / "app.log.1").open("a") as file:
        file.write("{broken\n")
    (bad,) = check_rotated(joined(names)[0], Wanted()).bad
    assert (Path(bad.file).name, bad.line) == ("app.log.1", 201)  # type: ignore[attr-defined]


def test_dates_count_upwards_and_numbers_downwards():
    names = [
        "l/a.log",
        "l/a.log.10",
        "l/a.log.9.gz",
        "l/b.log-20251130",
        "l/b.log-20251129",
        "l/b.log",
    ]
    assert joined(names) == [
        ["l/a.log.10", "l/a.log.9.gz", "l/a.log"],
        ["l/b.log-20251129", "l/b.log-20251130", "l/b.log"],
    ]


def test_files_of_other_names_folders_and_forms_stay_apart(tmp_path):
    assert joined(["x/a.log", "y/a.log.1", "-", "a", "b"]) == [
        ["x/a.log"], ["y/a.log.1"], ["-"], ["a"], ["b"],
    ]  # fmt: skip
    (tmp_path / "run.jsonl").write_text('{"kind":"FrameSent","n":0,"at":0,"cause":-1}\n')
    (tmp_path / "run.jsonl.1").write_text('{"kind":"FrameSent","n":0,"at":0,"cause":-1}\n')
    names = [str(tmp_path / "run.jsonl"), str(tmp_path / "run.jsonl.1")]
    assert joined(names) == [[names[0]], [names[1]]]
