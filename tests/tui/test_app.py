import asyncio
import re

import pytest

from sim.cli.drawing.telling import Names
from sim.core.trace import write_trace
from tests.tui.stage import (
    TRACES,
    Typed,
    perform,
    press,
    recorded,
    screen_after,
    screen_text,
    session,
    settled,
    shared,
)
from tests.view.traces import made_up
from tui.app import HooktwinApp, Looks, session_of
from tui.feeds import searching
from tui.keys import VIEWS
from tui.screens.explore import ExploreView
from tui.screens.menus import Entry, Menu
from tui.screens.start import Offer, Offers, Opened, StartScreen
from tui.screens.telling import forms
from tui.screens.workbench import Workbench
from tui.session import Session
from tui.teaching.shelf import lessons
from tui.themes import THEMES


def test_without_an_argument_there_are_lessons_and_scenarios_to_choose_from():
    async def script(pilot):
        script.first = screen_text(pilot.app)
        await press(pilot, "slash", Typed("late-edit reopen"))
        script.none = screen_text(pilot.app)
        await press(pilot, "escape", "slash", Typed("reopen-teardown"), "enter", "enter")
        await settled(pilot)
        script.opened = screen_text(pilot.app)
        await press(pilot, "q")
        await settled(pilot)
        script.back = type(pilot.app.screen)

    perform(None, script)
    assert "The four acts" in script.first
    assert "accepted-then-crash" in script.first
    assert "nothing fits" in script.none
    assert "reopen-teardown" in script.opened.split("\n")[0]
    assert script.back is StartScreen


def test_the_cursor_of_the_start_screen_stays_inside_the_list():
    async def script(pilot):
        offers = pilot.app.screen.query_one(Offers)
        await press(pilot, "k", "k")
        assert offers.chosen == 0
        await press(pilot, "G")
        assert offers.chosen == len(offers.shown) - 1
        await press(pilot, "j")
        assert offers.chosen == len(offers.shown) - 1
        await press(pilot, "g", "j")
        script.chosen = offers.chosen

    perform(None, script)
    assert script.chosen == 1


def test_a_lesson_opens_from_the_start_screen_and_plays_its_scenario():
    async def script(pilot):
        await press(pilot, "slash", Typed("gap in an await"), "enter", "enter")
        await settled(pilot)
        script.text = screen_text(pilot.app)
        script.session = pilot.app.screen.session

    perform(None, script)
    assert "The gap in an await" in script.text
    assert script.session.name == "12-gap"


def test_a_lesson_is_finished_when_its_goals_hold_and_not_before():
    async def script(pilot):
        view = pilot.app.screen.view
        await press(pilot, "n", "x")
        script.early = (any(view.progress.held), list(pilot.app.screen.query("Entries")))
        await press(pilot, "a", "enter")
        for _ in range(60):
            if view.progress.over("run"):
                break
            await press(pilot, "n")
        await press(pilot, "a")
        assert not pilot.app.screen_stack[-1].query("Entries"), "goals come first"
        for down, part in ((0, "break"), (1, "break"), (0, "fix"), (1, "fix")):
            assert view.progress.place == part
            await press(pilot, "x", *["down"] * down, "enter")
            await settled(pilot)
            await press(pilot, "dollar_sign")
        script.held = list(view.progress.held)
        script.text = screen_text(pilot.app)
        await press(pilot, "a")
        await settled(pilot)
        await press(pilot, "enter")
        await settled(pilot)
        script.wrong = view.progress.finished
        await press(pilot, "a")
        await settled(pilot)
        await press(pilot, "down", "enter")
        await settled(pilot)
        script.right = view.progress.finished

    perform(session("01-way"), script, view="lesson")
    assert script.early == (False, [])
    assert all(script.held)
    assert all(f"[x] {part}" in script.text for part in ("Predict", "Run", "Break it", "Fix it"))
    assert "the run says otherwise" in script.text
    assert not script.wrong
    assert script.right


def test_x_does_to_the_run_what_the_lesson_is_about():
    cut = next(lesson for lesson in lessons() if lesson.id == "cut")

    async def script(pilot):
        view = pilot.app.screen.view
        view.begin(cut)
        await settled(pilot)
        await press(pilot, "a", "enter", *["n"] * 12)
        assert view.progress.goal.kind == "cut"
        await press(pilot, "x")
        await settled(pilot)
        script.session = pilot.app.screen.session

    perform(session("03-cut"), script, view="lesson")
    assert script.session.deeds[0].fault.startswith("cut D.slack#1")


# -- explore ------------------------------------------------------------------------------------


def test_a_lesson_plays_its_scenario_once_and_says_nothing_of_it():
    async def script(pilot):
        await press(pilot, "7")
        bench = pilot.app.screen
        script.runs, script.notice, script.busy = len(bench.runs.sessions), bench.notice, bench.busy

    perform(session("reopen-teardown"), script)
    assert (script.runs, script.notice, script.busy) == (2, "", "")


def test_a_run_that_another_one_has_replaced_says_nothing():
    async def script(pilot):
        bench = pilot.app.screen
        made = []
        for rule in ("redelivery", "one-decision"):
            bench.run(f"without {rule}", made.append, without=(rule,))
        await settled(pilot)
        script.made, script.busy, script.notice = made, bench.busy, bench.notice

    perform(session("typical"), script)
    assert [one.without for one in script.made] == [("one-decision",)]
    assert script.busy == ""
    assert "cancelled" not in script.notice


def test_a_menu_that_was_closed_before_its_entries_came_is_not_filled():
    async def script(pilot):
        menu = Menu("faults", ())
        pilot.app.push_screen(menu)
        menu.fill([Entry("host", "S  crash", "", 1)])  # before it is drawn
        await settled(pilot)
        assert "S  crash" in screen_text(pilot.app)
        await press(pilot, "escape")
        menu.fill([])  # after it was closed

    perform(shared(), script)


def test_faults_open_where_the_world_has_been_looked_at_already():
    async def script(pilot):
        await press(pilot, "4", "f")
        script.text = screen_text(pilot.app)

    perform(shared(), script, step=40)
    assert "makes a branch" in script.text
    assert "crash S" in script.text


def test_damage_deep_in_a_file_is_shown_at_its_place_and_breaks_no_view(tmp_path):
    path = tmp_path / "damaged.jsonl"
    write_trace(path, made_up(1_500))
    lines = path.read_bytes().split(b"\n")
    lines[2_000] = lines[2_000][:40]
    lines[2_500:2_510] = []
    path.write_bytes(b"\n".join(lines))

    async def script(pilot):
        await press(pilot, "colon", Typed("2000"), "enter", "m")
        script.text = screen_text(pilot.app)
        for view in "234561":
            await press(pilot, view, "n", "dollar_sign")

    perform(Session.of_file(path), script)
    assert "damaged line" in script.text


def test_a_search_runs_beside_the_screen_and_a_finding_opens_at_its_breaking_step(monkeypatch):
    monkeypatch.setattr(searching, "MOST", 40)

    async def script(pilot):
        view = pilot.app.screen.query_one(ExploreView)
        await press(pilot, "enter")
        await settled(pilot)
        script.progress = view.progress
        script.text = screen_text(pilot.app)
        await press(pilot, "enter")
        await settled(pilot)
        script.finding = view.examined["close-out-respects-owner"]
        script.blamed = dict(view.blamed)
        script.shrunk = screen_text(pilot.app)
        await press(pilot, "enter")
        await settled(pilot)
        script.session = pilot.app.screen.session
        script.step = pilot.app.screen.state.step
        script.opened = screen_text(pilot.app)

    perform(session("reopen-teardown", "ownership-at-write"), script, view="explore")
    assert script.progress.schedules == 40
    assert "! close-out-respects-owner" in script.text
    assert script.finding.token in script.shrunk
    assert len(script.blamed["close-out-respects-owner"]) > 3
    assert script.session.violations[0].invariant == "close-out-respects-owner"
    assert script.step == script.session.violations[0].step
    assert re.search(r"── timeline blame\s+[▁▂▃▄▅▆▇█]{20}", script.opened)
    assert session_of(script.finding.token).violations == script.session.violations


def test_a_search_can_be_stopped():
    async def script(pilot):
        view = pilot.app.screen.query_one(ExploreView)
        await pilot.press("enter")
        for _ in range(500):
            await pilot.pause(0.01)
            if view.progress is not None:
                break
        await pilot.press("p")
        await settled(pilot)
        script.progress = view.progress

    perform(session("typical"), script, view="explore")
    assert script.progress.over
    assert script.progress.schedules < script.progress.most


# -- all of it -----------------------------------------------------------------------------------


def test_what_is_said_stays_until_one_moves_on():
    async def script(pilot):
        bench = pilot.app.screen
        await press(pilot, "]", "]", "]", "]")
        script.said = bench.notice
        await press(pilot, "N")
        script.after = bench.notice

    perform(recorded("late-edit"), script)
    assert "no finding" in script.said
    assert script.after == ""


def test_a_step_can_be_copied_in_several_forms():
    told = dict(forms(session(), 31))
    assert told["Mermaid"] == "D->>S: task.ack"
    assert told["text"].startswith("step 31")
    assert told["command"] == "hooktwin run reopen-teardown --seed 1"
    assert re.search(r"result\.digest == '[0-9a-f]{32}'", told["pytest"])
    assert '"kind": "FrameSent"' in dict(forms(session(), 30))["JSON"] or "frame" in dict(
        forms(session(), 30)
    )


def test_the_palette_has_every_key_of_the_screen():
    async def script(pilot):
        commands = list(pilot.app.get_system_commands(pilot.app.screen))
        script.titles = [command.title for command in commands]

    perform(recorded("late-edit"), script)
    assert "One step on." in script.titles
    assert "Faults that could strike now." in script.titles


@pytest.mark.parametrize("theme", [theme.name for theme in THEMES])
def test_our_themes_can_be_chosen(theme):
    async def script(pilot):
        script.theme = pilot.app.theme

    perform(recorded("x"), script, looks=Looks(theme=theme))
    assert script.theme == theme


def test_an_unknown_theme_is_the_default_and_no_error():
    async def script(pilot):
        script.theme = pilot.app.theme

    perform(recorded("x"), script, looks=Looks(theme="pink"))
    assert script.theme == "textual-dark"


def test_names_of_ids_are_the_diagrams_own():
    made = session()
    assert made.named(dict(made.names)["R1"]) == "R1"
    assert isinstance(made._names, Names)


@pytest.mark.parametrize("name", VIEWS)
def test_a_trace_without_steps_breaks_no_view(tmp_path, name):
    from sim.core.trace import Header, Trace, write_trace
    from tui.session import Session

    path = tmp_path / "empty.jsonl"
    hosts = (("U", "person"), ("IM", "slack"), ("S", "server"), ("D", "desktop"))
    write_trace(path, Trace(Header(scenario="empty", hosts=hosts), []))

    async def script(pilot):
        await press(pilot, "n", "N", "]", "m", "w", "j", "G", "enter")
        await settled(pilot)
        script.screen = type(pilot.app.screen)

    perform(Session.of_file(path), script, view=name)
    assert script.screen in (Workbench, script.screen)


def test_served_to_others_no_file_is_opened():
    async def script(pilot):
        await press(pilot, "t")
        await settled(pilot)
        await press(pilot, Typed(__file__), "enter")
        await settled(pilot)
        script.screen = type(pilot.app.screen)

    app = perform(None, script, looks=Looks(restricted=True))
    assert isinstance(app, HooktwinApp)
    assert script.screen is StartScreen


def test_a_keymap_moves_a_key():
    async def script(pilot):
        bench = pilot.app.screen
        here = bench.state.step
        await press(pilot, "l")
        script.moved = bench.state.step > here
        await press(pilot, "n")
        script.still = bench.state.step

    perform(recorded("late-edit"), script, looks=Looks(keymap={"time.next": "l"}))
    assert script.moved


def test_two_traces_are_compared_side_by_side():
    app = HooktwinApp(recorded("late-edit"), against=str(TRACES / "late-edit-on.jsonl"))
    found = []

    async def run():
        async with app.run_test(size=(120, 36)) as pilot:
            await settled(pilot)
            found.append(screen_text(app))

    asyncio.run(run())
    assert "first difference at step 91" in found[0]


def test_a_finished_lesson_is_ticked_on_the_start_screen_in_this_sitting_and_in_the_next(tmp_path):
    looks = Looks(progress=tmp_path / "state" / "lessons.json")

    async def script(pilot):
        await press(pilot, "enter")
        await settled(pilot)
        view = pilot.app.screen.view
        view.progress.held = [True] * len(view.progress.held)
        view.progress.answered, view.progress.guess = True, 0
        view.show(view.state)
        await settled(pilot)
        await press(pilot, "q")
        await settled(pilot)
        script.text = screen_text(pilot.app)

    perform(None, script, looks=looks)
    for text in (script.text, screen_after(None, looks=looks)):
        assert f"[x] 1  {lessons()[0].title.en}" in text
        assert f"[ ] 2  {lessons()[1].title.en}" in text
    assert f"[ ] 1  {lessons()[0].title.en}" in screen_after(None), "nobody asked it to remember"


def test_a_name_that_cannot_be_opened_is_told_without_its_escape_sequences():
    async def script(pilot):
        pilot.app.post_message(Opened(Offer("", "trace", "no\x1b[2J\nsuch.jsonl")))
        await settled(pilot)
        script.told = [one.message for one in pilot.app._notifications]

    perform(None, script)
    assert len(script.told) == 1
    assert "no␛[2J⏎such.jsonl" in script.told[0]
