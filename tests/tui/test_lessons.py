"""Lessons are files: each can be finished, none too soon, and one more is one more file."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from sim.core.errors import ScenarioError
from sim.play import load
from tests.tui.stage import perform, press, settled
from tui.feeds import searching
from tui.feeds.runner import run_session
from tui.keys import ALL
from tui.lessons import Lesson, Progress, lessons, shelf
from tui.screens.start import offers
from tui.shot import screen_text

LESSONS = lessons()
BY_ID = {lesson.id: lesson for lesson in LESSONS}
LESSON = Path(LESSONS[0].scenario.path)
MOCK_UP = 9


@cache
def walked(name: str):
    """A lesson's run; nobody changes it."""
    return run_session(BY_ID[name].scenario, driver="step")


def walk(progress: Progress, run) -> int | None:
    """Step through a run until a goal asks for x; the step, or None at the end."""
    for step in range(run.count):
        progress.look(run, step)
        held = sum(progress.held)
        if held < len(progress.held) and progress.lesson.goals[held].key == "x":
            return step
    return None


def ids(which=LESSONS):
    return [lesson.id for lesson in which]


def test_the_lessons_are_numbered_without_a_gap_and_each_has_an_id_of_its_own():
    numbers = [int(lesson.name.partition("-")[0]) for lesson in LESSONS]
    assert numbers == list(range(1, MOCK_UP + 1))
    assert len(BY_ID) == MOCK_UP
    assert LESSONS[3].title.en == "The gap in an await"
    assert shelf().spoilt == ()


@pytest.mark.parametrize("lesson", LESSONS, ids=ids())
def test_a_lesson_is_a_scenario_that_holds(lesson):
    assert walked(lesson.id).result.ok


@pytest.mark.parametrize("lesson", LESSONS, ids=ids())
def test_no_goal_of_a_lesson_holds_before_the_first_step(lesson):
    progress = Progress(lesson)
    progress.look(walked(lesson.id), 0)
    assert not any(progress.held)


WALKABLE = [one for one in LESSONS if one.id != "search"]


@pytest.mark.parametrize("lesson", WALKABLE, ids=ids(WALKABLE))
def test_a_lesson_can_be_finished_and_only_by_what_it_asks_for(lesson):
    run, progress = walked(lesson.id), Progress(lesson)
    step = walk(progress, run)
    assert (step is None) == (lesson.written.way is None)
    if step is not None:
        untouched = Progress(lesson)
        for n in range(run.count):
            untouched.look(run, n)
        assert not all(untouched.held), "nothing was done"
        deed = lesson.deed(run, step)
        run = run_session(run.scenario, deeds=(deed,), driver="step")
        for n in range(run.count):
            progress.look(run, n)
    assert all(progress.held)
    assert not progress.finished, "its question is open"
    right = lesson.question.right
    wrong = [n for n in range(len(lesson.question.answers)) if n != right]
    assert not any(map(progress.answer, wrong))
    assert not progress.finished
    assert progress.answer(right)
    assert progress.finished


@pytest.mark.parametrize("lesson", LESSONS, ids=ids())
def test_the_last_goal_of_a_lesson_does_not_hold_in_the_first_quarter_of_its_run(lesson):
    progress, run = Progress(lesson), walked(lesson.id)
    for step in range(run.count // 4):
        progress.look(run, step)
    assert not progress.held[-1]


def test_the_lesson_about_searching_is_finished_by_a_search_and_by_nothing_else(monkeypatch):
    monkeypatch.setattr(searching, "MOST", 60)

    async def script(pilot):
        bench = pilot.app.screen
        await press(pilot, "dollar_sign")
        script.walked = list(bench.view.progress.held)
        script.before = bench.session
        await press(pilot, "5", "enter")
        await settled(pilot)
        await press(pilot, "enter")
        await settled(pilot)
        await press(pilot, "enter")
        await settled(pilot)
        await press(pilot, "7")
        await settled(pilot)
        script.held = list(bench.view.progress.held)
        script.text = screen_text(pilot.app)

    perform_lesson("search", script)
    assert script.walked == [True, False]
    assert script.before.violations == []
    assert script.held == [True, True]
    assert "Search and replay" in script.text


@pytest.mark.parametrize("name", ["gap", "rule"])
def test_the_lessons_about_a_rule_are_compared_with_the_rule_the_other_way(name):
    async def script(pilot):
        await press(pilot, "6")
        await settled(pilot)
        script.runs = pilot.app.screen.runs.sessions

    perform(walked(name), script)
    assert sorted(one.without for one in script.runs) == [(), ("ownership-at-write",)]
    assert all(bool(one.violations) == bool(one.without) for one in script.runs)


def perform_lesson(name, script):
    """The application with this lesson open."""

    async def opened(pilot):
        view = pilot.app.screen.view
        view.begin(BY_ID[name])
        await settled(pilot)
        await script(pilot)

    perform(walked(name), opened, view="lesson")


def test_all_that_lessons_say_is_there_in_chinese():
    for lesson in LESSONS:
        one = lesson.written
        said = [one.title, *one.read, one.hint, one.question.text, *one.question.answers]
        said += [meaning for _, meaning in one.words] + [goal.text for goal in one.goals]
        assert [text.en for text in said if not text.zh or text.within("zh") == text.en] == []


def test_the_keys_of_goals_exist():
    keys = {one for key in ALL for one in (*key.keys.split(","), key.label)}
    wanted = {goal.key for lesson in LESSONS for goal in lesson.goals}
    assert wanted <= keys


# -- one more ------------------------------------------------------------------------------------


def test_one_more_file_is_one_more_lesson_in_the_order_of_the_numbers(tmp_path):
    text = LESSON.read_text(encoding="utf-8")
    mine = text.replace('@lesson "The way of a message"', '@lesson "My own"')
    (tmp_path / "10-mine.mmd").write_text(mine, encoding="utf-8")
    (tmp_path / "9-way.mmd").write_text(text, encoding="utf-8")
    found = shelf(tmp_path).lessons
    assert [one.id for one in found] == ["way", "mine"]
    listed = [one for one in offers(finished=["way"], folder=tmp_path) if one.what == "lesson"]
    assert [one.detail for one in listed] == ["[x] 1  The way of a message", "[ ] 2  My own"]
    assert isinstance(found[1], Lesson)
    run = run_session(found[1].scenario, driver="step")
    assert found[1].fits(run)


def test_the_start_screen_shows_titles_in_the_language_of_the_reader():
    details = [one.detail for one in offers(language="zh") if one.what == "lesson"]
    assert details[3] == "[ ] 4  await 的间隙"


def test_lessons_are_listed_once_and_not_among_the_scenarios():
    names = [one.name for one in offers() if one.what == "scenario"]
    assert not set(names) & {lesson.name for lesson in LESSONS}


def test_a_file_that_is_no_lesson_is_told_and_spoils_no_other(tmp_path):
    text = LESSON.read_text(encoding="utf-8")
    (tmp_path / "01-way.mmd").write_text(text, encoding="utf-8")
    (tmp_path / "02-odd.mmd").write_text(text.replace("@goal", "@gaol"), encoding="utf-8")
    (tmp_path / "03-none.mmd").write_text("sequenceDiagram\n    D->>S: hello\n", encoding="utf-8")
    found = shelf(tmp_path)
    assert [one.id for one in found.lessons] == ["way"]
    assert [path.name for path, _ in found.spoilt] == ["02-odd.mmd", "03-none.mmd"]
    assert "@gaol" in found.spoilt[0][1]
    assert "@lesson" in found.spoilt[1][1]
    details = [one.detail for one in offers(folder=tmp_path) if one.group == "lessons"]
    assert details[1:] == [why for _, why in found.spoilt]


WRONG = (
    ("@goal n reached turn.end", "@goal n reached turn.edn", "turn.edn"),
    ("@goal n reached turn.end", "@goal n raeched turn.end", "kind of goal"),
    ("@goal n reached turn.end", "@goal n reached turn.end 0", "counted from 1"),
    ("@goal n reached turn.end", '@goal "n" reached turn.end', "is no key"),
    ("@goal n shown OK", "@goal n shown GOOD", "is no state"),
    ("@hint ", "@hint 7 ", "double quotes"),
    ('@hint "', '@hint " " "', "says nothing"),
    ("%% @lesson ", "%% lesson ", "belongs to a lesson"),
    ("%% @hint ", "%% hint ", "has no @hint"),
    ("%% @right ", "%% @wrong ", "has no @right"),
    ("%% @wrong ", "%% wrong ", "has no @wrong"),
    ("%% @wrong ", "%% @right ", "stands twice"),
)


@pytest.mark.parametrize(("right", "wrong", "said"), WRONG, ids=[said for *_, said in WRONG])
def test_what_is_wrong_in_a_lesson_is_told_with_its_line(tmp_path, right, wrong, said):
    text = LESSON.read_text(encoding="utf-8")
    assert right in text
    path = tmp_path / "01-way.mmd"
    path.write_text(text.replace(right, wrong), encoding="utf-8")
    with pytest.raises(ScenarioError, match=said) as caught:
        load(path)
    assert caught.value.line is not None
    assert caught.value.column is not None


def test_a_lesson_is_told_in_the_head_of_its_file(tmp_path):
    text = LESSON.read_text(encoding="utf-8").rstrip("\n")
    path = tmp_path / "01-way.mmd"
    path.write_text(text + '\n    %% @text "Too late."\n', encoding="utf-8")
    with pytest.raises(ScenarioError, match="belongs in the head"):
        load(path)
