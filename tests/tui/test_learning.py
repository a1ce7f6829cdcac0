"""``hooktwin learn``: lessons in lines, from a keyboard or a pipe."""

from __future__ import annotations

import io
import json
import re
import sys

import pytest

from tests.cli.conftest import shell  # noqa: F401
from tests.cli.screens import ROOT
from tui.language import Speech
from tui.language.chinese_taught import TAUGHT
from tui.teaching import keeping
from tui.teaching.learn import KEYS, Left, Teacher
from tui.teaching.shelf import find, lessons
from tui.teaching.talk import NothingMore, Talk

LESSONS = lessons()
BY_ID = {lesson.id: lesson for lesson in LESSONS}
PLACE = re.compile(r"\{[a-z]*\}")


class Pupil:
    """Does what the lesson asks for, and tries all that may be tried, from the first on."""

    def __init__(self, own: tuple[str, str]) -> None:
        self.teacher: Teacher
        self.own, self.tried, self.place = own, 0, ""

    def __call__(self, prompt: str) -> str:
        progress = self.teacher.progress
        if progress.place != self.place:
            self.place, self.tried = progress.place, 0
        if progress.question is not None:
            return str(progress.question.right + 1)
        if progress.place == "run":
            return "x" if progress.goal.kind == "cut" else "g"
        if not re.match(r"1-\d", prompt):
            return "x" if re.match(r"\d", prompt) else self.own[progress.place == "fix"]
        self.tried += 1
        return str(self.tried)


def talk_of(read, language="en"):
    written = []
    return Talk(Speech(language), read, written.append, 78), written


def taught(lesson: str, *lines: str, language: str = "en"):
    """Type these lines; what was said, and how it ended."""
    left = list(lines)
    talk, written = talk_of(lambda prompt: left.pop(0) if left else None, language)
    teacher, ended = Teacher(BY_ID[lesson], talk, driver="step"), "finished"
    try:
        teacher.teach()
    except (Left, NothingMore) as error:
        ended = type(error).__name__
    return "".join(written), ended, teacher


@pytest.mark.parametrize("number", range(1, len(LESSONS) + 1))
def test_whoever_does_what_is_asked_finishes_a_lesson(number, tmp_path):
    lesson = LESSONS[number - 1]
    good, bad = tmp_path / "good.mmd", tmp_path / "bad.mmd"
    good.write_text(BY_ID["own"].template(), encoding="utf-8")
    bad.write_text(good.read_text().replace("%% @settle", "%% @final R1 FAILED", 1), "utf-8")
    pupil = Pupil((str(bad), str(good)))
    language = "zh" if number % 2 else "en"
    talk, written = talk_of(pupil, language)
    pupil.teacher = Teacher(lesson, talk, driver="step")
    pupil.teacher.teach()
    text = "".join(written)
    assert pupil.teacher.progress.finished
    assert re.sub(r"\s", "", lesson.written.because.within(language)) in re.sub(r"\s", "", text)
    assert ("本课完成" if language == "zh" else "lesson finished") in text
    assert all(len(line) <= 78 for line in text.splitlines())


def test_a_prediction_is_compared_with_what_the_run_has_shown():
    text, _, _ = taught("way", "1", "$", *"NNNNNNNNNN", *["g"] * 9)
    assert "you predicted something else; the run says:" in text
    text, _, _ = taught("way", "2", *["g"] * 9)
    assert "you predicted it" in text


def test_a_step_is_told_in_a_sentence_and_a_goal_is_ticked_when_it_holds():
    text, ended, teacher = taught("way", "1", "n", "", "N", "g", "q")
    assert ended == "Left"
    assert "D sends S: hello" in text
    assert text.index("D sends S: hello") < text.index("[x]  act one")
    assert teacher.progress.held.count(True) == 2


def test_what_is_not_known_is_said_with_what_is():
    text, _, _ = taught("way", "7", "maybe", "2", "jump", "?", "x", "5", "]")
    assert "I do not know '7'; here: 1  2  3  h  r  R  ?  q" in text
    assert "I do not know 'maybe'" in text
    assert "I do not know 'jump'; here: enter  N  g" in text
    assert all(told in text for _, told in KEYS)
    assert text.count("there is nothing to do here in this lesson") == 2
    assert "the run is over" in text


def test_a_change_that_breaks_nothing_is_told_and_the_goal_stays_open():
    text, _, teacher = taught("twice", "1", *["g"] * 4, "x", "3", "x", "1")
    first, _, second = text.partition("it holds: nothing broke")
    assert "it breaks" not in first
    assert "it breaks: one-request-per-event" in second
    assert teacher.progress.place == "fix"


def test_a_lesson_begins_again_from_the_prediction():
    _, _, teacher = taught("way", "1", "g", "g", "R")
    assert teacher.progress.place == "predict"
    assert not any(teacher.progress.held)
    _, _, teacher = taught("way", "R", "h", "r", "1")
    assert teacher.progress.place == "run"


def test_a_file_that_cannot_be_played_is_told_and_may_be_named_again(tmp_path):
    bad = tmp_path / "bad.mmd"
    bad.write_text("sequenceDiagram\n    D->>S: hallo\n", encoding="utf-8")
    lines = ("2", "g", "g", "g", "x", "1", str(tmp_path / "none.mmd"), "x", "1", str(bad))
    text, _, teacher = taught("own", *lines)
    told = re.sub(r"\s", "", text)
    assert "thereisnosuchfile" in told
    assert "hallo" in told
    assert teacher.progress.place == "break"


def test_the_search_of_a_lesson_opens_what_it_has_found(monkeypatch):
    from tui.feeds import searching

    monkeypatch.setattr(searching, "MOST", 60)
    text, _, teacher = taught("search", "2", "g", "$", "5", "x", "1")
    assert "duplicate D.slack#1 S>D" in text
    assert "it breaks: " in text
    assert "it holds: nothing broke" in text.partition("it breaks: ")[2]
    assert teacher.progress.place == "why"


def test_what_somebody_types_never_reaches_the_terminal_as_an_escape():
    text, _, _ = taught("way", "\x1b[31mred", "q")
    assert "\x1b" not in text


def test_all_that_is_said_is_said_in_chinese_too_with_the_same_places():
    assert [en for en, zh in TAUGHT.items() if PLACE.findall(en) != PLACE.findall(zh)
            and sorted(PLACE.findall(en)) != sorted(PLACE.findall(zh))] == []  # fmt: skip
    text, _, _ = taught("way", "1", "?", "wo", "q", language="zh")
    assert "第 1 部分，共 5 部分：先预测" in text
    assert "不认识 'wo'" in text


def test_the_lesson_of_the_document_can_be_taught(tmp_path):
    text = (ROOT / "docs" / "learning.md").read_text(encoding="utf-8")
    mine = tmp_path / "mine.mmd"
    mine.write_text(text.partition("```mermaid\n")[2].partition("```")[0], encoding="utf-8")
    pupil = Pupil(("", ""))
    talk, _ = talk_of(pupil)
    pupil.teacher = Teacher(find(str(mine)), talk, driver="step")
    pupil.teacher.teach()
    assert pupil.teacher.progress.finished


# -- the command ---------------------------------------------------------------------------------


def piped(monkeypatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


ALL_OF_TWICE = "1\ng\ng\ng\ng\nx\n1\nx\n2\n2\n"


def test_answers_may_come_from_a_pipe_and_progress_is_kept_where_one_says(
    shell, monkeypatch, tmp_path  # noqa: F811
):  # fmt: skip
    kept = tmp_path / "mine.json"
    piped(monkeypatch, ALL_OF_TWICE)
    said = shell("learn", "5", "--progress", kept, "--lang", "en")
    assert said.code == 0, said.out
    assert "1-3> 1\n" in said.out, "what came from the pipe is echoed"
    assert json.loads(kept.read_text()) == {"finished": ["twice"]}
    listed = shell("learn", "--progress", kept, "--lang", "en").out
    assert "[x]  5  twice" in listed
    assert "[ ]  1  way" in listed
    assert list(tmp_path.iterdir()) == [kept]


def test_a_finished_lesson_is_remembered_by_the_next_sitting(shell, monkeypatch, tmp_path):  # noqa: F811
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    piped(monkeypatch, ALL_OF_TWICE)
    assert shell("learn", "5", "--lang", "en").code == 0
    assert "[x]  5  twice" in shell("learn", "--lang", "en").out
    assert keeping.remembered(keeping.usual_place()) == ("twice",)
    named = shell("learn", "--progress", tmp_path / "other.json", "--lang", "en").out
    assert "[ ]  5  twice" in named, "a file that was named has the last word"


def test_progress_that_cannot_be_kept_is_told_and_the_lesson_counts(shell, monkeypatch, tmp_path):  # noqa: F811
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where a folder should be")
    monkeypatch.setenv("XDG_STATE_HOME", str(blocked))
    piped(monkeypatch, ALL_OF_TWICE)
    said = shell("learn", "5", "--lang", "en")
    assert said.code == 0
    assert "cannot remember it as finished" in said.err
    assert "--progress FILE" in said.err
    assert shell("learn", "--lang", "en").code == 0
    assert [one.name for one in tmp_path.iterdir()] == ["blocked"]


@pytest.mark.parametrize("damage", [b"{", b"[]", b"\xff", b'{"finished": 7}', b"[" * 100_000, b""])
def test_damaged_progress_stops_nobody_and_begins_anew(damage, tmp_path):
    kept = tmp_path / "lessons.json"
    kept.write_bytes(damage)
    assert keeping.remembered(kept) == ()
    assert keeping.remember(kept, "way")
    assert keeping.remember(kept, "gap")
    assert keeping.remembered(kept) == ("way", "gap")
    assert list(tmp_path.iterdir()) == [kept]


def test_a_place_that_is_a_folder_or_none_at_all_keeps_nothing_and_breaks_nothing(tmp_path):
    for place in (tmp_path, None, tmp_path / "a\0b"):
        assert keeping.remembered(place) == ()
        assert not keeping.remember(place, "way")
    assert not list(tmp_path.iterdir())


def test_an_input_that_ends_too_early_is_told_with_exit_code_1(shell, monkeypatch, tmp_path):  # noqa: F811
    kept = tmp_path / "mine.json"
    piped(monkeypatch, "1\ng\n")
    said = shell("learn", "twice", "--progress", kept, "--lang", "en")
    assert said.code == 1
    assert "left: 1 of 5 parts done" in said.out
    assert not kept.exists()
    piped(monkeypatch, "1\nq\n")
    assert shell("learn", "twice", "--lang", "en").code == 0


def test_ctrl_c_says_how_far_one_came(shell, monkeypatch):  # noqa: F811
    class Impatient(io.BytesIO):
        def readline(self, *size):
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(Impatient()))
    said = shell("learn", "1", "--lang", "en")
    assert said.code == 130
    assert "left: 0 of 5 parts done" in said.out
    assert "interrupted" in said.err


def test_a_copy_without_the_lesson_is_a_scenario_that_runs(shell, tmp_path):  # noqa: F811
    copy = tmp_path / "mine.mmd"
    assert shell("learn", "own", "--write", copy).code == 0
    text = copy.read_text(encoding="utf-8")
    assert "@lesson" not in text
    assert "@final" in text
    assert shell("run", copy, "--quiet").code == 0
    copy.write_text("an hour's work", encoding="utf-8")
    again = shell("learn", "own", "--write", copy)
    assert again.code == 2
    assert "there already" in again.err
    assert copy.read_text(encoding="utf-8") == "an hour's work"


def test_what_cannot_be_taught_is_told_with_its_remedy(shell, tmp_path):  # noqa: F811
    said = shell("learn", "gpa")
    assert said.code == 2
    assert "gap" in said.err
    assert shell("learn", str(len(LESSONS) + 1)).code == 2
    plain, other = tmp_path / "plain.mmd", tmp_path / "other.json"
    plain.write_text("sequenceDiagram\n    D->>S: hello\n", encoding="utf-8")
    assert "it has no @lesson" in shell("learn", plain).err
    for text in ("[]", "{", '{"finished": "way"}', "[" * 100_000):
        other.write_text(text, encoding="utf-8")
        said = shell("learn", "--progress", other)
        assert said.code == 2
        assert "no progress of hooktwin learn" in said.err
    assert shell("learn", "--write", other).code == 2
    assert shell("learn", "1", "--write", tmp_path / "no" / "folder.mmd").code == 2
