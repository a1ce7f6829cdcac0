"""``hooktwin quiz``: what happens next, in any run of any protocol."""

from __future__ import annotations

import io
import json
import re
import sys

import pytest

from sim.core import event as events
from sim.protocols.proven import proven
from sim.scenario.kinds import PROTOCOL_KINDS
from tests.cli.conftest import shell  # noqa: F401
from tests.tui.stage import TRACES, recorded, shared
from tui.language import Speech
from tui.teaching import looking as lookings
from tui.teaching.looking import Looking
from tui.teaching.questions import questions

RUNS = (
    ("typical",), ("reopen-teardown", "ownership-at-write"), ("half-open",), ("group-relay",),
    ("x-delivery", "durable-acceptance"), ("lock-with-lease",), ("one-tab-in-order",),
    ("node-goes-away",), ("answer-from-the-phone",), ("two-projects",),
)  # fmt: skip


def asked(name, *without, count=12, seed=1, language="en"):
    return questions(shared(name, *without), count, seed=seed, language=language)


@pytest.mark.parametrize("run", RUNS, ids=["-".join(run[:1]) for run in RUNS])
def test_any_run_of_any_protocol_can_be_asked_about(run):
    asks = asked(*run)
    assert 8 <= len(asks) <= 12
    assert len({one.topic for one in asks}) == len(asks)
    for one in asks:
        assert 3 <= len(one.choices) == len(set(one.choices)) <= 4
        assert 0 <= one.right < len(one.choices)
    assert [one.step for one in asks] == sorted(one.step for one in asks)
    assert len({one.topic.partition(" ")[0] for one in asks}) >= 2
    assert len({one.right for one in asks}) > 1, "the right one is not always at the same place"


@pytest.mark.parametrize("run", RUNS, ids=["-".join(run[:1]) for run in RUNS])
def arrival(session, event) -> str:
    """What has arrived, as an answer would say it."""
    words = Looking(session, Speech(), 1)
    match event:
        case events.FrameDelivered():
            return f"{words.what(event.sent)} from {event.sender} arrives at {event.receiver}"
        case events.CallApplied():
            return f"{words.what(event.call)} from {event.caller} arrives at {event.callee}"
        case events.CallAnswered():
            what = words.what(event.call)
            return f"{event.caller} hears from {event.callee} about its {what}"
    return ""


@pytest.mark.parametrize("run", RUNS, ids=["-".join(run[:1]) for run in RUNS])
def test_what_is_said_to_be_impossible_does_not_come_next_and_the_rest_is_under_way(run):
    session = shared(*run)
    came = {n: arrival(session, session.event(n)) for n in range(session.count)}
    for one in asked(*run, count=60):
        if not one.topic.startswith("cannot"):
            continue
        assert one.choices[one.right] != next(filter(None, list(came.values())[one.step + 1 :]))
        assert one.because[0].startswith(("it has not been sent", "a WebSocket keeps"))
        later = {text for n, text in came.items() if n > one.step}
        assert set(one.choices) <= later, "all that can be chosen does arrive, some time"


def test_what_a_host_does_is_caused_by_what_has_come_to_it():
    session = shared("typical")
    words = Looking(session, Speech(), 1)
    reactions = [one for one in asked("typical", count=40) if one.topic.startswith("reaction")]
    assert len(reactions) > 5
    for one in reactions:
        caused = [
            session.event(n) for n in range(session.count) if session.event(n).cause == one.step
        ]
        deeds = list(filter(None, map(words.deed, caused)))
        if one.choices[one.right] in deeds:
            assert not set(deeds[1:]) & set(one.choices)
        else:
            assert "nothing" in one.choices[one.right]
    ids = {row.id for one in reactions for row in one.rows}
    assert {"HK-05", "HK-02"} <= ids, "a hello is welcomed, a dispatch is acked"


def test_a_broken_promise_is_asked_for_with_the_rows_that_it_breaks():
    asks = asked("reopen-teardown", "ownership-at-write")
    broken = next(one for one in asks if one.topic.startswith("breaks"))
    assert broken.choices[broken.right] == shared("typical").record.sentence_of(
        "close-out-respects-owner"
    )
    assert {row.id for row in broken.rows} & {"HK-186", "HK-187"}


def test_what_becomes_of_a_frame_is_what_became_of_it():
    asks = asked("late-ack", count=30)
    fates = {one.topic: one.choices[one.right] for one in asks if one.topic.startswith("fate")}
    assert fates == {"fate cut-rst task.ack": "it never arrives"}
    asks = asked("duplicate-dispatch", count=30)
    fates = {one.topic: one.choices[one.right] for one in asks if one.topic.startswith("fate")}
    assert "it arrives twice" in fates.values()


def test_the_seed_decides_and_nothing_else():
    assert asked("typical", seed=3) == asked("typical", seed=3)
    assert asked("typical", seed=3) != asked("typical", seed=4)


def test_of_a_long_trace_only_some_steps_are_looked_at(monkeypatch):
    monkeypatch.setattr(lookings, "LONG", 40)
    monkeypatch.setattr(lookings, "LOOKED_AT", 30)
    looking = Looking(shared("typical"), Speech(), 1)
    assert len(looking.steps()) <= 30 < shared("typical").count
    assert asked("typical", count=3)


def test_a_recorded_trace_can_be_asked_about_in_chinese():
    asks = questions(recorded("late-edit"), 8, language="zh")
    assert len(asks) == 8
    assert all(re.search(r"[\u4e00-\u9fff]", one.text) for one in asks)


# -- the command ---------------------------------------------------------------------------------


def piped(monkeypatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


def test_on_paper_the_key_stands_behind_the_questions(shell):  # noqa: F811
    said = shell("quiz", "typical", "--print", "--count", 4, "--lang", "en")
    assert said.code == 0
    paper, _, key = said.out.partition("The key")
    told = json.loads(shell("quiz", "typical", "--json", "--count", 4, "--lang", "en").out)
    assert [f"{n}:  {one['answer']}" in key for n, one in enumerate(told, 1)] == [True] * 4
    assert paper.count("question ") == 4
    assert (
        "breaks"
        not in shell(
            "quiz", "late-ack", "--without", "ack-replay", "--print", "--lang", "en"
        ).out.partition("The key")[0]
    )


def test_answers_by_number_are_judged_explained_and_counted(shell, monkeypatch):  # noqa: F811
    told = json.loads(shell("quiz", "typical", "--json", "--count", 5, "--lang", "en").out)
    answers = [str(one["answer"]) for one in told]
    piped(monkeypatch, "\n".join(["what", *answers]) + "\n")
    said = shell("quiz", "typical", "--count", 5, "--lang", "en")
    assert said.code == 0
    assert "I do not know 'what'; here: 1  2" in said.out
    assert "5 of 5 right" in said.out
    assert "this run shows HK-02" in said.out
    shown = shell("quiz", "late-ack", "--print", "--count", 2, "--lang", "en").out
    assert "this run shows HK-37, HK-38; hooktwin explain tells each" in shown
    wrong = [str(int(one) % 2 + 1) for one in answers]
    piped(monkeypatch, "\n".join(wrong) + "\n")
    said = shell("quiz", "typical", "--count", 5, "--lang", "en")
    right = sum(one == other for one, other in zip(answers, wrong, strict=True))
    assert f"{right} of 5 right" in said.out
    assert said.out.count("not right") == 5 - right


def test_the_score_is_told_however_a_quiz_ends(shell, monkeypatch):  # noqa: F811
    piped(monkeypatch, "1\n")
    said = shell("quiz", "typical", "--lang", "en")
    assert said.code == 1
    assert "the input has ended" in said.out
    assert " of 1 right" in said.out
    piped(monkeypatch, "1\n1\nq\n")
    said = shell("quiz", "typical", "--lang", "en")
    assert said.code == 0
    assert " of 2 right" in said.out


def test_a_trace_file_can_be_asked_about_and_what_is_no_run_cannot(shell, tmp_path):  # noqa: F811
    said = shell("quiz", TRACES / "late-edit.jsonl", "--print", "--count", 3)
    assert said.code == 0
    assert shell("quiz", "no-such-run").code == 2
    assert shell("quiz", "typical", "--without", "no-such-rule").code == 2
    empty = tmp_path / "empty.jsonl"
    empty.write_text("", encoding="utf-8")
    assert shell("quiz", empty).code == 2


def test_what_a_process_does_with_a_file_has_one_name_in_all_choices():
    choices = {choice for one in asked("answer-from-the-phone") for choice in one.choices}
    assert any("asks P: create-file" in choice for choice in choices)
    assert not any("writes" in choice for choice in choices)


def test_what_a_listener_or_a_hook_does_is_explained_by_a_row_of_the_question_protocol():
    made = asked("custom-answer", count=30)
    reactions = [one.rows for one in made if one.topic.startswith("reaction ")]
    explained = {row.id for rows in reactions for row in rows}
    assert {"QT-15", "QT-20", "QT-33"} <= explained
    assert sum(map(bool, reactions)) * 2 >= len(reactions)


def test_rows_that_explain_reactions_are_rows_and_their_hosts_are_kinds():
    for mine in proven():
        for kind, _, _, row in mine.reactions:
            assert row in mine.rows
            assert kind in PROTOCOL_KINDS[mine.name]
