"""Section 5: the verdict, the object that programs read, and the digest."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sim.drivers.step import StepDriver
from sim.play import load, open_run, play
from sim.scenario.playing import director
from sim.scenario.playing.play import finish
from tests.scenario.played import ASKED, CONNECTED, PEOPLE, fails, passes, read, run

ROOT = Path(__file__).parent.parent.parent
TEARDOWN = "reopen-teardown"
BROKEN = "close-out-respects-owner"


def without_ownership(*head: str):
    """The teardown race with the rule off in the file, and these lines in its head."""
    text = load(TEARDOWN).source_text.split("\n")
    assertions = ("@expect", "@final", "@count", "turn.end (ok")
    body = [line for line in text[1:] if not any(word in line for word in assertions)]
    return play(read(["%% @rule -ownership-at-write", *head, *body]), seed=1, driver="step")


def test_a_run_without_failures_and_violations_is_ok():
    assert run(*CONNECTED).ok


def test_a_broken_invariant_that_nobody_expects_is_not_ok():
    result = without_ownership()
    assert result.failures == ()
    assert [one.invariant for one in result.violations] == [BROKEN]
    assert not result.ok


def test_exactly_the_invariants_that_the_file_names_must_break():
    assert without_ownership(f"%% @violates {BROKEN}").ok


def test_an_invariant_that_should_have_broken_and_did_not_is_a_failure_that_says_so():
    result = run(f"%% @violates {BROKEN}", *CONNECTED)
    assert not result.ok
    assert result.missing_violations == (BROKEN,)
    [failure] = result.to_json()["failures"]
    assert failure["happened"] == f"{BROKEN} held"


def test_the_json_object_has_exactly_the_keys_of_the_language():
    lines = ("D->>S: turn.end (ok, finalText=done)", "S->>D: task.cancel", "%% @final R1 FAILED")
    result = run(*lines, after=ASKED)
    answer = json.loads(json.dumps(result.to_json()))
    assert list(answer) == [
        "ok", "scenario", "seed", "digest", "steps", "virtual_s", "failures", "violations",
        "extra", "messages", "driver", "without", "names",
    ]  # fmt: skip
    assert [set(one) for one in answer["failures"]] == [{"line", "expected", "happened"}] * 2
    assert set(answer["messages"][0]) == {"request", "channel", "state", "text", "posts", "edits"}
    assert all(set(one) == {"step", "frame"} for one in answer["extra"])
    [broken] = without_ownership().to_json()["violations"]
    assert set(broken) == {"invariant", "step", "text"}


def test_a_failure_names_the_line_what_was_expected_and_what_happened():
    result = run("S->>D: task.cancel (requestId=R1)", after=ASKED)
    [failure] = result.failures
    assert failure.line == len(ASKED) + 2
    assert failure.expected == "S → D: task.cancel (requestId=R1)"
    assert (
        failure.happened.startswith("nothing came within 60 s") or "what came" in failure.happened
    )


def test_the_messages_are_what_a_reader_sees_at_the_end():
    result = passes("D->>S: turn.end (ok, requestId=R1, finalText=done)", after=ASKED)
    [message] = result.messages
    assert (message.channel, message.state, message.text) == ("IM", "OK", "done")
    assert (message.posts, message.edits) == (1, 1)
    assert message.request == dict(result.names)["R1"]


# -- the digest ------------------------------------------------------------------------------


def test_the_digest_does_not_depend_on_the_text_of_the_scenario():
    again = ("%% a comment", *(line.replace("->>", "-->>") for line in ASKED), "%% @never nothing")
    again = (*again[:-1], '%% @never "nothing"')
    assert run(*ASKED).digest == run(*again).digest


def test_another_seed_is_another_run():
    assert run(*ASKED, seed=1).digest != run(*ASKED, seed=2).digest


@pytest.mark.parametrize("name", ["typical", "two-presses", "server-crash", TEARDOWN])
def test_both_drivers_give_the_same_run(name):
    for seed in (1, 2, 3):
        digests = {play(load(name), seed=seed, driver=one).digest for one in ("step", "trio")}
        assert len(digests) == 1


def test_other_processes_with_other_hash_seeds_give_the_same_run():
    code = (
        "from sim.play import load, play\n"
        "for name in ('typical', 'two-presses', 'reopen-teardown', 'two-desktops'):\n"
        "    print(play(load(name), seed=3, driver='step').digest)"
    )
    answers = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("0", "4711")
    }
    assert len(answers) == 1


@pytest.mark.parametrize("name", ["typical", "two-presses", "server-crash"])
def test_a_timed_run_is_the_same_with_a_choice_at_every_op(name):
    digests = []
    for preempt in (False, True):
        prepared = open_run(load(name), seed=1, preempt=preempt)
        StepDriver(prepared.world).run(prepared.over)
        digests.append(finish(prepared, "step").digest)
    assert digests[0] == digests[1]


# -- runs that do not come to their end -------------------------------------------------------


def interrupted(*lines: str):
    """A run that somebody stops after two virtual seconds."""
    prepared = open_run(read(lines), seed=1)
    StepDriver(prepared.world).run(prepared.over, limit_us=2_000_000)
    result = finish(prepared, "step")
    prepared.world.close()
    return result


def test_an_interrupted_run_is_judged_as_far_as_it_went():
    wrong = "%% @count posts 9"
    result = interrupted(*ASKED, wrong, '%% @never "Do it"', "%% @final R1 OK", "%% @after 1h")
    happened = [failure.happened for failure in result.failures]
    assert len(happened) == 3
    assert happened[0].startswith("there w")
    assert happened[1].startswith("step ")
    assert happened[2] == "the run was interrupted at 2.000 s"
    assert result.failures[2].line == len(ASKED) + 5
    assert not result.ok


def test_what_must_come_true_at_last_is_not_judged_in_an_interrupted_run():
    result = interrupted(*ASKED, "%% @after 1h")
    assert result.violations == ()
    assert len(result.failures) == 1


def test_a_keyboard_interrupt_ends_a_run_early():
    def stop(prepared):
        def strike() -> None:
            raise KeyboardInterrupt

        prepared.world.at(1_000_000, "somebody presses Ctrl-C", strike)

    result = play(read((*ASKED, "%% @after 1h")), driver="step", watch=stop)
    assert "interrupted" in result.failures[-1].happened


def test_a_run_in_circles_is_stopped_and_says_so(monkeypatch):
    monkeypatch.setattr(director, "MOST_EVENTS", 300)
    [(_, happened)] = fails("%% @after 365d", after=CONNECTED)
    assert happened.startswith("it was stopped after 300 events")
    monkeypatch.setattr(director, "MOST_LINES", 300)
    lines = ("loop 100 times", "loop 100 times", "D->>D: nothing", "end", "end")
    [(_, happened)] = fails(*lines, after=PEOPLE)
    assert happened.startswith("it was stopped after 300 lines")


def test_a_scenario_may_be_given_by_name_or_path():
    by_name = play("typical", driver="step")
    assert by_name.ok, by_name
    assert play(Path(load("typical").path), driver="step").digest == by_name.digest


def test_the_verdict_reads_well_where_it_is_asserted():
    result = play(TEARDOWN, seed=1, without=["ownership-at-write"], driver="step")
    lines = str(result).splitlines()
    assert lines[0].startswith(f"{TEARDOWN} fails (seed 1")
    assert "Third time lucky" in lines[1]
    assert lines[2].startswith("    happened INTERRUPTED")
    assert any("close-out of K1" in line for line in lines)
    assert repr(result) == f"<Result {TEARDOWN} seed 1 fails: line 32, {BROKEN}>"
    assert result.to_json()["without"] == ["ownership-at-write"]
    assert list(result.to_json()["names"]) == ["R1", "K1", "K2"]
    assert str(play("typical", driver="step")).startswith("typical holds (seed 1")


ABORTED = """
import gc, warnings
warnings.simplefilter("error")
from sim.core.errors import UsageError
from sim.play import play

def interrupt(run):
    def strike():
        raise KeyboardInterrupt
    run.world.at(300_000, "strike", strike)

try:
    play("typical", driver="nobody")
except UsageError:
    print("refused")
for driver in ("step", "trio"):
    print(play("typical", driver=driver, watch=interrupt).failures[-1].happened[:23])
gc.collect()
"""


def test_a_wrong_driver_and_an_interrupted_run_leave_no_coroutines_behind():
    done = subprocess.run(
        [sys.executable, "-c", ABORTED],
        capture_output=True, text=True, cwd=ROOT, check=False, timeout=60,
    )  # fmt: skip
    assert done.stdout.split("\n")[0] == "refused", done
    assert done.stdout.count("the run was interrupted") == 2, done
    assert done.stderr == ""
