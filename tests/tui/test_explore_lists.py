"""What the Explore view lists: invariants, coverage, mutants."""

from sim.cli import words
from sim.explore import rows
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
    monkeypatch.setattr(searching, "MOST", 20)

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
    assert "WELCOMING x contend" in script.after


def test_rows_of_the_tables_that_a_search_never_went_through_are_named():
    case = searching.case_for(shared("typical"))
    progress = searching.search(case, most=3)
    used = {one.role: one for one in progress.tables}
    assert ("WELCOMING", "welcome") not in used["server connection"].never
    assert ("WELCOMING", "contend") in used["server connection"].never
    assert used["card"].used == 1
    text = "\n".join(one.text for one in lists.tables(progress.tables, 100))
    assert "card 1/4" in text
    assert "OPEN x cancel" in text
    assert "not met     round, delivery, Slack binding" in text
    assert rows.used() == ()  # nobody notes any more


def test_how_many_endings_are_left_is_estimated_until_there_are_none():
    base = shared("typical")
    case, before = searching.endings(base, base.count - 12)
    told = []
    over = searching.search(case, after=before, most=5_000, tell=told.append)
    assert over.complete
    assert over.left == 0
    guessed = told[0].schedules + told[0].left
    assert told[0].left > 0
    assert over.schedules / 2 < guessed < over.schedules * 2
    assert "about 100%, 0 endings left" in lists.visited(over)


def test_a_search_without_an_end_says_how_much_new_it_has_met_lately():
    progress = searching.Progress("portfolio", 600, 2_000, 43, (), ((16, 9), (320, 40), (600, 43)))
    assert lists.visited(progress) == "3 new situations in the last 256"
    early = searching.Progress("portfolio", 32, 2_000, 9, (), ((16, 9),))
    assert lists.visited(early) == "no estimate yet"


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
