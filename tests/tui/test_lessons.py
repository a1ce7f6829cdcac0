"""Lessons are files: each can be finished, none too soon, and one more is one more file."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from sim.core.errors import ScenarioError
from sim.play import load, vocabularies
from sim.scenario.parse import parse_scenario
from tests.tui.stage import perform, press, settled
from tui.feeds import searching
from tui.feeds.runner import run_session
from tui.keys import ALL
from tui.screens.start import offers
from tui.shot import screen_text
from tui.teaching.progress import Progress
from tui.teaching.shelf import Lesson, lessons, shelf

LESSONS = lessons()
BY_ID = {lesson.id: lesson for lesson in LESSONS}
LESSON = Path(LESSONS[0].scenario.path)
ASKED_FOR = 12


@cache
def walked(name: str):
    """A lesson's run; nobody changes it."""
    return run_session(BY_ID[name].scenario, driver="step")


def begun(name: str) -> Progress:
    """A lesson whose prediction has been made, wrongly."""
    progress = Progress(BY_ID[name])
    asked = progress.question
    assert asked is not None
    assert progress.place == "predict"
    assert not progress.answer((asked.right + 1) % len(asked.answers))
    return progress


def walk(progress: Progress, run, until: str = "") -> int | None:
    """Step through a run until a goal of this kind is next; the step, or None at the end."""
    for step in range(run.count):
        progress.look(run, step)
        if progress.goal is not None and progress.goal.kind == until:
            return step
    return None


def tried(progress: Progress) -> list[bool]:
    """Try all there is to try, the one that brings the goal about last; what each came to."""
    came = {}
    for change in progress.choices:
        other = Progress(progress.lesson)
        other.held, other.guess, other.broken = list(progress.held), 0, progress.broken
        run = run_session(other.choose(change), driver="step")
        assert other.fits(run)
        walk(other, run)
        came[change] = other.place != progress.place
    chosen = next(change for change, brought in came.items() if brought)
    walk(progress, run_session(progress.choose(chosen), driver="step"))
    return list(came.values())


def own(lesson: Lesson, *off: str):
    """A scenario of the reader's own: the lesson's, without its rules."""
    rules = "".join(f"    %% @rule -{rule}\n" for rule in off)
    text = lesson.template().replace("sequenceDiagram\n", f"sequenceDiagram\n{rules}", 1)
    return parse_scenario(text, "mine.mmd", vocabularies())


def ids(which=LESSONS):
    return [lesson.id for lesson in which]


def test_the_lessons_are_numbered_without_a_gap_and_each_has_an_id_of_its_own():
    numbers = [int(lesson.name.partition("-")[0]) for lesson in LESSONS]
    assert numbers == list(range(1, len(LESSONS) + 1))
    assert len(BY_ID) == len(LESSONS) >= ASKED_FOR
    assert BY_ID["gap"].title.en == "The gap in an await"
    assert shelf().spoilt == ()


@pytest.mark.parametrize("lesson", LESSONS, ids=ids())
def test_a_lesson_is_a_scenario_that_holds_and_has_all_five_parts(lesson):
    assert walked(lesson.id).result.ok
    assert Progress(lesson).places == ("predict", "run", "break", "fix", "why")


@pytest.mark.parametrize("lesson", LESSONS, ids=ids())
def test_no_goal_holds_before_a_prediction_before_the_first_step_or_of_a_run_as_it_is(lesson):
    run, progress = walked(lesson.id), Progress(lesson)
    walk(progress, run)
    assert not any(progress.held), "nobody has predicted anything"
    progress = begun(lesson.id)
    progress.look(run, 0)
    assert not any(progress.held)
    walk(progress, run)
    assert not any(h for h, g in zip(progress.held, lesson.goals, strict=True) if g.part != "run")


@pytest.mark.parametrize("lesson", LESSONS, ids=ids())
def test_a_lesson_can_be_finished_and_only_by_what_it_asks_for(lesson):
    run, progress = walked(lesson.id), begun(lesson.id)
    step = walk(progress, run, "cut")
    assert (step is None) == (lesson.written.way is None)
    if step is not None:
        deed = lesson.deed(run, step)
        walk(progress, run_session(run.scenario, deeds=(deed,), driver="step"))
    assert progress.place == "break"
    if not progress.choices[0].own:
        for part in ("break", "fix"):
            assert progress.place == part
            came = tried(progress)
            assert any(came), "something of this must do it"
            assert not all(came), "something of this must not do it"
    else:
        for off in (["ack-replay"], []):
            mine = own(lesson, *off)
            walk(progress, run_session(progress.choose(progress.choices[0], mine), driver="step"))
    assert progress.place == "why"
    right = lesson.question.right
    wrong = [n for n in range(len(lesson.question.answers)) if n != right]
    assert not any(map(progress.answer, wrong))
    assert not progress.finished
    assert progress.answer(right)
    assert progress.finished


def test_the_lesson_about_searching_can_be_finished_by_a_search(monkeypatch):
    monkeypatch.setattr(searching, "MOST", 60)

    async def script(pilot):
        bench = pilot.app.screen
        await press(pilot, "a", "enter", "dollar_sign")
        script.walked = list(bench.view.progress.held)
        script.before = bench.session
        for keys in (("5", "enter"), ("enter",), ("enter",), ("7",)):
            await press(pilot, *keys)
            await settled(pilot)
        script.held = list(bench.view.progress.held)
        script.text = screen_text(pilot.app)
        await press(pilot, "x", "enter")
        await settled(pilot)
        await press(pilot, "dollar_sign", "a")
        await settled(pilot)
        script.mended = list(bench.view.progress.held)
        script.found = bench.session

    perform_lesson("search", script)
    assert script.walked == [True, False, False]
    assert script.before.violations == []
    assert script.held == [True, True, False]
    assert "Search and replay" in script.text
    assert "Fix it" in script.text
    assert script.mended == [True, True, True]
    assert script.found.scenario.settings.steps, "the schedule that was found, with the rule on"


@pytest.mark.parametrize(
    ("name", "rule"), [("gap", "ownership-at-write"), ("teardown", "teardown-per-socket")]
)
def test_the_lessons_about_a_rule_are_compared_with_the_rule_the_other_way(name, rule):
    async def script(pilot):
        await press(pilot, "6")
        await settled(pilot)
        script.runs = pilot.app.screen.runs.sessions

    perform(walked(name), script)
    assert sorted(one.without for one in script.runs) == [(), (rule,)]
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
        said = [one.title, *one.read, one.hint, one.because]
        for asked in (one.prediction, one.question):
            said += [asked.text, *asked.answers]
        said += [change.text for change in (*one.breaks, *one.fixes)]
        said += [meaning for _, meaning in one.words] + [goal.text for goal in one.goals]
        assert [text.en for text in said if not text.zh or text.within("zh") == text.en] == []


def test_the_keys_of_goals_exist():
    keys = {one for key in ALL for one in (*key.keys.split(","), key.label)}
    wanted = {goal.key for lesson in LESSONS for goal in lesson.goals}
    assert wanted <= keys


# -- one more ------------------------------------------------------------------------------------


def test_one_more_file_is_one_more_lesson_in_the_order_of_the_numbers(tmp_path):
    text = LESSON.read_text(encoding="utf-8")
    mine = text.replace('@lesson "The four acts"', '@lesson "My own"')
    (tmp_path / "10-mine.mmd").write_text(mine, encoding="utf-8")
    (tmp_path / "9-way.mmd").write_text(text, encoding="utf-8")
    found = shelf(tmp_path).lessons
    assert [one.id for one in found] == ["way", "mine"]
    listed = [one for one in offers(finished=["way"], folder=tmp_path) if one.what == "lesson"]
    assert [one.detail for one in listed] == ["[x] 1  The four acts", "[ ] 2  My own"]
    assert isinstance(found[1], Lesson)
    run = run_session(found[1].scenario, driver="step")
    assert Progress(found[1]).fits(run)


def test_the_start_screen_shows_titles_in_the_language_of_the_reader():
    details = [one.detail for one in offers(language="zh") if one.what == "lesson"]
    assert details[3] == "[ ] 4  应答丢了"


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
    (" -progress-throttle", " -progress-trottle", "unknown rule"),
    (" -progress-throttle", "", "what it changes is missing"),
    ("@goal x broken", "goal x broken", "has no @goal behind @break"),
    ("@goal x clean", "goal x clean", "has no @goal behind @fix"),
    ('@break "the', '@fix "the', "stands behind @break"),
    ("after", "behind", "'after' is missing"),
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
