"""A trace written back as a scenario is the same run, and a diagram that Mermaid draws."""

from __future__ import annotations

import json

import pytest

from sim.core.errors import UsageError
from sim.core.trace import Trace, read_trace, write_trace
from sim.play import load, play, vocabularies
from sim.scenario.load import shipped_scenarios
from sim.scenario.parse import parse_scenario
from sim.scenario.playing.result import Result
from sim.scenario.transcribe import transcribe
from tests.scenario.played import ASKED, CONNECTED, PUPPET_DESKTOP, fails, read, run
from tests.scenario.random_scenarios import scenario
from tests.scenario.test_mermaid import pytestmark as needs_mermaid
from tests.scenario.test_mermaid import verdicts

NAMES = sorted(shipped_scenarios())
SETTLED = (*ASKED, "%% @settle")


def rerun(text: str) -> Result:
    return play(parse_scenario(text, "written.mmd", vocabularies()), driver="step")


def assert_same(result: Result) -> str:
    """Write it back, run that. → the text"""
    text = transcribe(result.trace)
    again = rerun(text)
    assert again.digest == result.digest, text
    assert again.failures == (), text
    return text


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_scenario_written_back_is_the_same_run(name):
    for seed in range(1, 3):
        assert_same(play(load(name), seed=seed, driver="step"))


@pytest.mark.parametrize("name", ["reopen-teardown", "two-presses", "cut-redelivers"])
def test_so_it_is_with_rules_off(name):
    off = ["ownership-at-write", "redelivery", "one-decision", "webhook-dedupe"]
    for seed in range(1, 3):
        assert_same(play(load(name), seed=seed, without=off, driver="step"))


@pytest.mark.parametrize("number", range(30))
def test_a_random_scenario_written_back_is_the_same_run(number):
    scenario_read = parse_scenario(scenario(number), "random.mmd", vocabularies())
    assert_same(play(scenario_read, driver="step"))


@pytest.mark.deep
def test_so_are_many_random_scenarios():
    for number in range(30, 3_000):
        scenario_read = parse_scenario(scenario(number), "random.mmd", vocabularies())
        assert_same(play(scenario_read, driver="step"))


@needs_mermaid[0]
@needs_mermaid[1]
def test_mermaid_draws_what_was_written_back():
    results = [play(load(name), driver="step") for name in NAMES]
    read_ones = [
        parse_scenario(scenario(number), "random.mmd", vocabularies()) for number in range(30)
    ]
    results += [play(one, driver="step") for one in read_ones]
    texts = [transcribe(result.trace) for result in results]
    complaints = zip(texts, verdicts(texts), strict=True)
    assert [(text, complaint) for text, complaint in complaints if complaint] == []


# -- one thing at a time ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "lines",
    [
        ["%% @lose next", 'U->>IM: message "x"', "S->>D: task.dispatch"],
        ["%% @duplicate next after 1s", "D->>S: turn.end (ok)"],
        ["%% @delay next 3s", "D->>S: turn.end (ok)"],
        ["D-xS: turn.progress (text=a)"],
        ["%% @hold D->S", "D->>S: turn.end (ok)", "%% @after 1s", "%% @release D->S"],
        ["%% @cut D silent", "%% @after 5s", "%% @heal D"],
        ["%% @crash S", "%% @after 1s", "%% @restart S"],
        ["U->>D: quit", "%% @after 1s", "U->>D: start"],
        ["%% @skew D -70s", "%% @sleep D 8h", "%% @after 9h"],
        ["%% @feature D -multi-team", "%% @cut D rst", "D->>S: hello"],
        ["%% @channel edit 429 2s", "%% @channel post unknown", "D->>S: turn.end (ok)"],
        ["%% @channel * down 5m", "D->>S: turn.end (ok)"],
        ["D->>S: interaction.request (requestId=R1)", "U->>IM: press Allow"],
        ["U->>IM: /stop", "D->>S: turn.end (cancelled)"],
        ["%% @settle", "U->>IM: delete R1", "D->>S: turn.end (ok)"],
        ["D->>S: turn.end (error)", "U->>D: retry", "D->>S: turn.reopen (reopenOf=R1)"],
        ["alt", "D->>S: turn.end (ok)", "else", "D->>S: turn.end (error)", "end"],
        ["par", "D->>S: turn.progress", "and", 'U->>IM: message "x"', "end"],
    ],
)
def test_each_act_and_each_fault_comes_back(lines):
    for seed in (1, 2):
        assert_same(run(*lines, after=SETTLED, seed=seed))


def test_hosts_that_are_created_and_destroyed_come_back():
    lines = (
        "%% @after 2s", "create participant E as second desktop", "E->>E: begins", "E->>S: hello",
        "S->>E: welcome", "%% @after 1s", "destroy E", "E->>E: ends",
    )  # fmt: skip
    text = assert_same(run("%% @host E desktop", *lines, after=SETTLED))
    assert "create participant E" in text


@pytest.mark.parametrize(
    "text",
    [
        "部署文档；谢谢 \\u0023 第一步", 'say \\"hi\\" \\\\ there',
        "a \\u003b b %\\u0025{init}%\\u0025",
        "tab\\tnewline\\nbell\\u0007\\u007f\\u0085\\u2028\\ufeff", "😀 \\u200f\\u00a0", "@act x",
    ],
)  # fmt: skip
def test_any_text_comes_back(text):
    asked = (*CONNECTED, f'U->>IM: message "{text}"', "S->>D: task.dispatch")
    result = run(*asked, f'D->>S: turn.end (ok, finalText="{text}")')
    assert result.failures == ()
    assert_same(result)


def test_puppets_say_literally_what_they_said():
    lines = (
        'U->>IM: message "x"', "S->>D: task.dispatch (requestId=R1)", "D->>S: task.ack",
        "D->>S: turn.progress (text=7)", "D->>S: turn.reopen", "%% @cut D rst", "%% @after 1s",
        "%% @reconnect D", "D->>S: hello (deviceName=other)",
    )  # fmt: skip
    assert_same(run(*lines, after=PUPPET_DESKTOP))


def test_what_the_run_broke_is_expected_of_the_copy_only_if_the_file_said_so():
    broken = play(load("reopen-teardown"), seed=1, without=["ownership-at-write"], driver="step")
    again = rerun(transcribe(broken.trace))
    assert [v.invariant for v in again.violations] == [v.invariant for v in broken.violations]
    assert not again.ok


# -- other traces ------------------------------------------------------------------------------


def test_a_truncated_trace_gives_the_run_up_to_there(tmp_path):
    path = tmp_path / "run.jsonl"
    result = run("D->>S: turn.end (ok)", after=SETTLED)
    write_trace(path, result.trace)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:40]) + lines[40][:20])
    text = transcribe(read_trace(path))
    assert "The trace was cut off" in text
    assert rerun(text).trace.events[:38] == result.trace.events[:38]


def test_a_trace_from_a_file_gives_the_same_text(tmp_path):
    path = tmp_path / "run.jsonl"
    result = run("D->>S: interaction.request (requestId=R1)", "U->>IM: press Deny", after=SETTLED)
    write_trace(path, result.trace)
    assert transcribe(read_trace(path)) == transcribe(result.trace)


def test_a_trace_without_its_scenario_gives_what_the_events_tell():
    result = run("D->>S: turn.end (ok)", after=SETTLED)
    header = type(result.trace.header)(
        protocol="hook", seed=1, hosts=result.trace.header.hosts, scenario="x"
    )
    again = rerun(transcribe(Trace(header, result.trace.events)))
    assert again.digest == result.digest


def test_an_empty_trace_and_one_without_hosts_are_refused_clearly():
    result = run(*CONNECTED)
    header = type(result.trace.header)()
    with pytest.raises(UsageError, match="no hosts"):
        transcribe(Trace(header, result.trace.events))
    with pytest.raises(UsageError, match="no events"):
        transcribe(Trace(result.trace.header, []))


def test_a_failed_run_comes_back_without_its_failures():
    assert fails("S->>D: task.cancel", after=SETTLED)
    assert_same(run("S->>D: task.cancel", after=SETTLED))
    assert read(CONNECTED).participants


def test_a_frame_that_is_no_object_is_written_without_what_it_says(tmp_path):
    path = tmp_path / "odd.jsonl"
    write_trace(path, play(load("typical"), driver="step").trace)
    lines = path.read_text(encoding="utf-8").splitlines()
    odd = [json.dumps({**json.loads(line), "frame": 7}) if "FrameSent" in line else line
           for line in lines]  # fmt: skip
    path.write_text("\n".join(odd) + "\n", encoding="utf-8")
    assert transcribe(read_trace(path)).startswith("sequenceDiagram")
