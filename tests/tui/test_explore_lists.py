"""What the Explore view lists: invariants, coverage, mutants."""

from sim.cli import words
from tests.tui.stage import perform, press, session, settled, shared
from tui.feeds import searching
from tui.feeds.judging import watched
from tui.screens import explore_lists as lists
from tui.screens.explore import ExploreView
from tui.shot import screen_text


def test_an_invariant_is_told_with_how_often_it_was_exercised_and_where_it_broke():
    base = shared("reopen-teardown", "ownership-at-write")
    found = {one.name: one for one in watched(base)}
    broken = found["close-out-respects-owner"]
    assert broken.step == base.violations[0].step
    assert broken.exercised > 0
    assert any(one.exercised == 0 for one in found.values())
    assert any(one.asked == "asked at the end" for one in found.values())
    assert any(one.asked == "asked at every step" for one in found.values())


def test_i_lists_all_invariants_the_broken_one_first():
    async def script(pilot):
        await press(pilot, "i")
        await settled(pilot)
        script.text = screen_text(pilot.app)

    perform(session("reopen-teardown", "ownership-at-write"), script, view="explore")
    first = script.text.split("━  invariants  ━")[1].split("\n")[1]
    assert "! close-out-respects-owner" in first
    assert "broken at step" in first
    assert "exercised" in first


def test_v_says_in_words_what_the_search_has_covered(monkeypatch):
    monkeypatch.setitem(searching.search.__kwdefaults__, "most", 20)

    async def script(pilot):
        await press(pilot, "v")
        script.before = screen_text(pilot.app)
        await press(pilot, "escape", "enter")
        await settled(pilot)
        script.progress = pilot.app.screen.query_one(ExploreView).progress
        await press(pilot, "v")
        script.after = screen_text(pilot.app)

    perform(session("reopen-teardown"), script, view="explore")
    assert "nothing covered yet" in script.before
    assert len(script.progress.situations) == script.progress.covered > 5
    assert "server  " in script.after or "desktop  " in script.after
    assert "hello" in script.after


def test_u_tries_the_mutants_and_lists_them_when_it_is_pressed_again(monkeypatch):
    few = dict(list(words.mutants().items())[:3])
    monkeypatch.setattr(searching.words, "mutants", lambda: few)
    monkeypatch.setattr(searching, "MUTANTS_S", 10.0)

    async def script(pilot):
        view = pilot.app.screen.query_one(ExploreView)
        await press(pilot, "u")
        await settled(pilot)
        script.score, script.line = view.score, screen_text(pilot.app)
        await press(pilot, "u")
        script.list = screen_text(pilot.app)

    perform(session("reopen-teardown"), script, view="explore")
    assert f"mutants    {len(script.score.caught)} of 3 caught" in script.line
    assert script.score.caught
    for name in few:
        assert name in script.list


def test_a_mutant_that_nobody_noticed_is_a_survivor_only_when_it_was_tried_long_enough():
    mutant = next(iter(words.mutants().values()))
    score = searching.Score.of([mutant])
    assert "1 not yet" in lists.told_of(score)
    score.tried[0].begun, score.tried[0].storms = True, score.tried[0].most
    assert f"survive: {mutant.name}" in lists.told_of(score)


def test_what_was_opened_from_the_command_line_is_left_with_q():
    async def script(pilot):
        await press(pilot, "q")
        await pilot.pause()

    app = perform("typical", script, view="frames")
    assert app.return_code == 0
    assert not app.is_running
