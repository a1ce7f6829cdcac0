"""Branches in another order, at random, and the search for all that may follow."""

from sim.core import event as events
from sim.play import load, play
from tests.tui.stage import Typed, perform, press, session, settled, shared
from tui.feeds import searching
from tui.feeds.moment import moment_of
from tui.feeds.runner import run_session
from tui.feeds.schedules import Order, Rest, at_random, happened_before, rescheduled
from tui.screens.faults import entries_for
from tui.screens.running import save_scenario
from tui.session import Deed, Session
from tui.shot import screen_text

STEP = 61


def same_until(one, other, step):
    return all(one.trace.line(n) == other.trace.line(n) for n in range(step + 1))


def orders(base, step=STEP):
    entries = entries_for(base, moment_of(base, step))
    return [one.value for one in entries if one.group == "next" and not one.why]


def reordered(base, order):
    return run_session(rescheduled(base, order.steps, order.label), driver="step")


def test_what_is_due_first_needs_no_branch_and_the_rest_can_go_before_it():
    turns = moment_of(shared(), 20).turns
    assert turns[0].why == "it happens next by itself"
    free = [turn for turn in turns if not turn.why]
    assert [turn.name for turn in free][:1] == ["deliver D.slack#1 S>D 1"]
    assert all(turn.before for turn in free)


def test_what_is_due_much_later_cannot_go_first_because_nothing_waits_that_long():
    turns = moment_of(shared("day-old-task"), 30).turns
    assert any("nothing waits that long" in turn.why for turn in turns)


def test_what_is_taken_out_of_order_happens_next_and_what_was_before_is_the_same():
    base = shared()
    welcome, presence, idle = (reordered(base, order) for order in orders(base, 20))
    for branch in (welcome, presence, idle):
        assert same_until(base, branch, 23)  # these belong to what happened at step 20
    assert isinstance(base.event(24), events.CallAnswered)
    assert welcome.event(24).type == "welcome"
    assert presence.event(24).timer == "presence"
    assert idle.event(24).timer == "idle"
    assert isinstance(idle.event(25), events.CallAnswered)  # what was held goes on at once


def test_the_menu_makes_a_branch_in_another_order_and_saves_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    base = session()
    order = orders(base, 20)[0]

    async def script(pilot):
        await press(pilot, "f", Typed(order.label.removesuffix(" first")), "enter")
        await settled(pilot)
        bench = pilot.app.screen
        script.branch, script.step = bench.session, bench.state.step
        await press(pilot, "ctrl+b")
        script.tree = screen_text(pilot.app)
        await press(pilot, "escape", "s", "enter")
        await settled(pilot)
        script.text = screen_text(pilot.app)

    perform(base, script, step=20)
    assert script.branch.parent is base
    assert script.step == 20
    assert same_until(base, script.branch, 23)
    assert "step 20: deliver D" in script.tree
    assert "run it with: hooktwin run reopen-teardown-branch.mmd" in script.text
    again = play(load(tmp_path / "reopen-teardown-branch.mmd"), driver="step")
    assert again.digest == script.branch.digest


def mixtures():
    """Runs with both: another order, and something that was done to them."""
    base = shared()
    hello = {"is": "say", "person": "U", "text": "hello"}
    deeds = (
        Deed(25, "cut", fault="cut D.slack#1 rst"),
        Deed(25, "crash", fault="crash S"),
        Deed(30, "hello", host="U", act=hello),
    )
    for order in (orders(base, 20)[1], orders(base, 61)[1]):
        scenario = rescheduled(base, order.steps, order.label)
        for deed in deeds:
            yield run_session(scenario, deeds=(deed,), driver="step")


def test_a_mixture_of_orders_and_deeds_is_saved_as_a_scenario_with_the_same_digest(tmp_path):
    late = 0
    for number, run in enumerate(mixtures()):
        path = tmp_path / f"mixture-{number}.mmd"
        save_scenario(run, path)
        late += path.read_text(encoding="utf-8").count("@late")
        assert play(load(path), driver="step").digest == run.digest
    assert late >= 3


def test_a_mixture_can_be_searched_from_a_step_on():
    run = next(mixtures())
    case, before = searching.endings(run, 40)
    again = Session.of_result(case.scenario, play(case.scenario, driver="step"))
    assert same_until(run, again, run.last)
    assert before


def test_an_order_keeps_what_a_person_did_before():
    deed = Deed(10, "the clock of D", fault="skew D 70000000us")
    base = run_session(load("reopen-teardown"), deeds=(deed,), driver="step")
    step = next(n for n in range(base.count) if isinstance(base.event(n), events.FaultInjected)) + 9
    order = orders(base, step)[0]
    scenario = rescheduled(base, order.steps, order.label)
    branch = run_session(scenario, deeds=base.deeds, driver="step")
    assert same_until(base, branch, step)
    assert branch.digest != base.digest


def test_a_run_that_goes_on_at_random_is_the_same_up_to_there_and_can_be_repeated():
    base = shared()
    found = {at_random(base, Rest(STEP, seed), lambda: False) for seed in range(1, 6)}
    assert len(found) > 2
    steps = at_random(base, Rest(STEP, 1), lambda: False)
    assert steps == at_random(base, Rest(STEP, 1), lambda: False)
    for chosen in found:
        branch = reordered(base, Order(STEP, "at random", chosen))
        assert same_until(base, branch, STEP)


def test_the_menu_goes_on_at_random_with_a_new_seed_each_time():
    base = session()

    async def script(pilot):
        for _ in range(2):
            await press(pilot, "f", Typed("continue at random"), "enter")
            await settled(pilot)
        script.made = [run.made for run in pilot.app.screen.runs.sessions]

    perform(base, script, step=STEP)
    assert script.made[1:] == [f"step {STEP}: at random from step {STEP}, seed {n}" for n in (1, 2)]


def test_a_search_for_all_endings_leaves_what_has_happened_alone(monkeypatch):
    monkeypatch.setattr(searching, "MOST", 40)
    base = session()

    async def script(pilot):
        await press(pilot, "f", Typed("explore all endings"), "enter")
        for _ in range(40):
            await settled(pilot)
            view = pilot.app.screen.view
            if getattr(view, "progress", None) is not None and view.progress.over:
                break
            await pilot.pause(0.05)
        script.progress, script.text = view.progress, screen_text(pilot.app)

    perform(base, script, step=STEP)
    assert f"step {STEP} on" in script.text
    assert script.progress.strategy == "exhaustive"
    assert script.progress.schedules > 5


def test_no_try_of_such_a_search_changes_a_thing_that_has_happened():
    base = shared()
    case, before = searching.endings(base, STEP)
    strategy = searching.FromHere(case, before)
    engine = searching.SerialEngine(case)
    first = next(iter(engine.run(strategy.propose(1), 0)))
    strategy.learn(first)
    tries = strategy.propose(400)
    assert 5 < len(tries) < len(first.variations)
    for one in tries[::7]:
        scenario = rescheduled(base, one.schedule.steps, "a try")
        assert same_until(base, run_session(scenario, driver="step"), STEP)


def test_what_a_person_did_is_a_part_of_such_a_search():
    deed = Deed(40, "crash D", fault="crash D")
    base = run_session(load("reopen-teardown"), deeds=(deed,), driver="step")
    case, before = searching.endings(base, 45)
    assert "crash D" in case.scenario.source_text
    again = Session.of_result(case.scenario, play(case.scenario, driver="step"))
    assert same_until(base, again, base.last)
    assert happened_before(case.scenario, 45, seed=case.seed, without=case.without) == before
