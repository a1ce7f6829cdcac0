import itertools
import re

import pytest

from sim.play import load, play
from tests.tui.stage import (
    SMALL,
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
from tui.app import Looks
from tui.screens.menus import Menu
from tui.widgets.bars import TimelineBar
from tui.widgets.diagram_view import DiagramView
from tui.widgets.pane import Pane


def pressing(*keys):
    """A script that presses keys and remembers where that led."""

    async def script(pilot):
        await press(pilot, *keys)
        await settled(pilot)
        script.screen = pilot.app.screen
        script.view = getattr(pilot.app.screen, "view", None)
        script.text = screen_text(pilot.app)

    return script


def at(what, *keys, **rest):
    """The workbench after some keys."""
    script = pressing(*keys)
    perform(what, script, **rest)
    script.screen.seen = script.view
    return script.screen, script.text


def shown_steps():
    diagram = shared().diagram
    return list(diagram.forwards(0))


# -- moving ----------------------------------------------------------------------------------


def test_five_steps_on_and_two_back_are_three_steps():
    bench, _ = at(shared(), *"nnnnn", *"NN")
    assert bench.state.step == shown_steps()[3]


def test_local_steps_are_steps_too_when_they_are_shown():
    bench, text = at(shared(), "m", "n", step=8)
    assert bench.state.step == 9
    assert "hears of" in text


def test_home_and_end_are_the_first_and_the_last_step():
    assert at(shared(), "dollar_sign")[0].state.step == shared().last
    assert at(shared(), "dollar_sign", "0")[0].state.step == 0


def test_the_next_step_of_a_lane_belongs_to_that_lane():
    bench, _ = at(shared(), "right_curly_bracket", step=18)
    row = shared().diagram.row(bench.state.step)
    assert "D" in (row.source, row.target)
    assert bench.state.step > 18


def test_marks_are_faults_and_findings_in_both_directions():
    run = shared("reopen-teardown", "ownership-at-write")
    assert at(run, "right_square_bracket")[0].state.step == 62
    finding = run.violations[0].step
    assert at(run, *["right_square_bracket"] * 2)[0].state.step == finding
    assert at(run, "left_square_bracket", step=finding)[0].state.step == 62


@pytest.mark.parametrize(("text", "step"), [("17", 17), ("T+1.24", 63), ("cut", 62), ("D-1", 17)])
def test_one_can_go_to_a_step_a_time_a_fault_or_a_frame(text, step):
    async def script(pilot):
        await press(pilot, "colon")
        await press(pilot, Typed(text))
        await pilot.press("enter")
        await settled(pilot)
        script.step = pilot.app.screen.state.step

    perform(shared(), script)
    assert script.step == step


def test_a_place_that_is_not_there_is_refused_with_what_may_be_written():
    text = screen_after(shared(), "colon", Typed("5000"), "enter")
    assert f"the run has steps 0 to {shared().last}" in text


def test_the_timeline_can_be_clicked_and_dragged():
    async def script(pilot):
        bar = pilot.app.screen.query_one(TimelineBar)
        end = bar.size.width - 16
        await pilot.click(TimelineBar, offset=(end, 1))
        await settled(pilot)
        script.step = pilot.app.screen.state.step

    perform(shared(), script)
    assert script.step > shared().last * 0.9


def test_a_click_on_a_row_goes_to_its_step():
    async def script(pilot):
        view = pilot.app.screen.query_one(DiagramView)
        script.wanted = view.window[10]
        await pilot.click(DiagramView, offset=(20, 12))
        await settled(pilot)
        script.step = pilot.app.screen.state.step

    perform(shared(), script)
    assert script.step == script.wanted


def test_playing_goes_on_by_itself_and_stops_where_one_wants():
    async def script(pilot):
        bench = pilot.app.screen
        start = bench.state.step
        await pilot.press(*["plus"] * 6, "space")
        for _ in range(1000):  # a busy machine takes its time
            await pilot.pause(0.02)
            if bench.state.step != start:
                break
        await pilot.press("space")
        script.first = bench.state.step
        assert bench.playing is None
        await pilot.pause(0.1)
        script.second = bench.state.step

    perform(shared(), script)
    assert script.first > shown_steps()[0]
    assert script.second == script.first


def test_playing_stops_at_the_first_match_when_one_breaks_on_it():
    async def script(pilot):
        await press(pilot, "slash", Typed("type:turn.reopen"), "enter", "B", *["plus"] * 6, "space")
        for _ in range(1000):
            await pilot.pause(0.02)
            if pilot.app.screen.playing is None:
                break
        script.step = pilot.app.screen.state.step

    perform(shared(), script)
    assert shared().diagram.row(script.step).label == "turn.reopen"


def test_a_tick_that_was_under_way_when_playing_stopped_takes_no_step():
    async def script(pilot):
        screen = pilot.app.screen
        script.before = screen.state.step
        screen.action_play()
        screen.stop_playing()
        screen._tick()
        script.after = screen.state.step

    perform(shared(), script)
    assert script.after == script.before


# -- looking ---------------------------------------------------------------------------------


@pytest.mark.parametrize("number", "1234567")
def test_every_view_opens_with_its_number(number):
    bench, text = at(session(), number)
    assert f"●{number}" in text
    assert bench.seen.CONTEXT in text


def test_views_share_the_step():
    bench, _ = at(shared(), "2", "n", "3", "n", "1", step=31)
    assert bench.state.step == shown_steps()[shown_steps().index(31) + 2]


def test_the_filter_says_at_once_whether_it_can_be_read():
    text = screen_after(shared(), "slash", Typed("type:turn.* &"))
    assert "column 14: something must follow" in text


def test_frames_show_only_what_the_filter_lets_through():
    text = screen_after(shared(), "2", "slash", Typed("type:turn.end"), "enter")
    listed = re.findall(r"[→←]\s+(\S+)\s+\d+", text)
    assert listed == ["turn.end"] * 2
    assert re.search(r"4 of \d+ shown", text)


def test_matches_are_gone_through_with_two_keys():
    bench, _ = at(shared(), "slash", Typed("type:turn.reopen"), "enter", *["greater_than_sign"] * 2)
    found = bench.state.step
    assert shared().diagram.row(found).label.endswith("turn.reopen")
    again, _ = at(
        shared(), "slash", Typed("type:turn.reopen"), "enter", *["greater_than_sign"] * 2,
        "less_than_sign",
    )  # fmt: skip
    assert again.state.step < found


def test_the_filter_completes_fields_and_values():
    async def script(pilot):
        await press(pilot, "slash", Typed("ty"), "tab", Typed("turn.pro"), "tab")
        script.value = pilot.app.screen.query_one("#filter").value

    perform(shared(), script)
    assert script.value == "type:turn.progress"


def test_causes_are_lit_and_the_rest_is_dimmed():
    bench, text = at(shared(), "w", step=40)
    assert bench.state.lit is not None
    assert 40 in bench.state.lit
    assert "causes of step 40: 39 38" in text
    assert at(shared(), "w", "escape", step=40)[0].state.lit is None


def test_hidden_lanes_come_back():
    assert "U Alice" not in at(shared(), "h", step=6)[1]
    assert "U Alice" in at(shared(), "h", "H", step=6)[1]


def test_n_passes_over_steps_that_happen_on_hidden_lanes_only():
    rows = map(shared().diagram.row, shown_steps())
    cut = next(row.n for row in rows if row.arrow == "fault" and row.label.startswith("cut"))
    keys = ("h", "colon", Typed(str(cut - 1)), "enter", "n")
    bench = at(shared(), *keys, step=4)[0]  # the lane of the desktop is hidden
    rows = [shared().diagram.row(n) for n in (cut, bench.state.step)]
    assert rows[0].source == "D"
    assert rows[1].source != "D"
    assert bench.state.step > cut


def test_an_arrow_through_a_hidden_lane_is_dashed():
    text = at(shared(), "h", step=12)[1]  # S is hidden
    assert "┈│" in text
    assert "◀ edit m2 WORKING by R1" in text


def test_the_next_match_is_one_that_has_a_row_where_there_is_one():
    script = ("slash", Typed("turn.end"), "enter", "greater_than_sign")
    bench = at(shared(), *script, step=0)[0]
    assert bench.session.diagram.is_shown(bench.session.event(bench.state.step))
    bench = at(shared(), "slash", Typed("saves"), "enter", "greater_than_sign", step=0)[0]
    assert type(bench.session.event(bench.state.step)).__name__ == "Saved"


def test_a_tiny_terminal_still_shows_the_present_step():
    lines = at(shared(), "n", size=(20, 5), step=61)[1].rstrip("\n").split("\n")
    assert any("▶" in line and "┃" in line for line in lines), lines
    assert any("/98" in line for line in lines)  # and the timeline
    at(shared(), "n", "2", "f", "escape", size=(2, 1))


def test_times_stand_beside_the_steps_when_wanted():
    assert "0.313" in at(shared(), "T", step=31)[1]


def test_the_inspector_has_four_faces():
    run = recorded("late-edit")
    tree, raw, table, explain = (at(run, "2", *["enter"] * times, step=35)[1] for times in range(4))
    assert "[tree]" in tree
    assert '{"kind":"FrameSent"' in raw
    assert "required" in table
    assert "desktop>server" in explain


def test_two_marked_frames_are_compared_field_by_field():
    run = recorded("late-edit")
    text = at(run, "2", "m", "j", "m", "D", step=45)[1]
    assert "fields are equal" in text
    assert "*" in text


def test_panes_are_visited_with_tab_and_maximised():
    async def script(pilot):
        bench = pilot.app.screen
        names = []
        for _ in range(3):
            names.append(bench.focused.id)
            await pilot.press("tab")
        script.names = names
        await pilot.press("backslash")
        await settled(pilot)
        assert bench.maximized is not None
        await pilot.press("backslash")
        assert bench.maximized is None

    perform(shared(), script)
    assert script.names == ["diagram", "step", "invariants"]


def test_a_small_screen_shows_one_pane_at_a_time():
    async def script(pilot):
        bench = pilot.app.screen
        shown = []
        for _ in range(3):
            shown.append([pane.id for pane in bench.query(Pane) if pane.region.width > 2])
            await pilot.press("tab")
            await settled(pilot)
        script.shown = shown

    perform(shared(), script, size=SMALL)
    assert script.shown == [["diagram"], ["step"], ["invariants"]]


def test_the_screen_follows_when_the_terminal_changes_its_size():
    async def resized(pilot, *size, panes):
        await pilot.resize_terminal(*size)
        for _ in range(1000):  # Textual gathers what comes within a moment, and then draws
            shown = [one.id for one in pilot.app.screen.query(Pane) if one.region.width > 2]
            if len(shown) == panes:
                break
            await pilot.pause(0.005)
        await settled(pilot)
        return screen_text(pilot.app)

    async def script(pilot):
        script.small = await resized(pilot, 80, 24, panes=1)
        script.large = await resized(pilot, 120, 36, panes=3)

    perform(shared(), script)
    assert "invariants" not in script.small
    assert "invariants" in script.large


def test_help_and_f1_say_where_one_is():
    assert "One step on." in screen_after(shared(), "question_mark")
    text = screen_after(shared(), "3", "f1")
    assert "The chat channels as people see them" in text


def test_the_interface_speaks_chinese_and_scenarios_stay_as_they_are():
    text = screen_after(shared(), looks=Looks("zh"))
    assert "时序" in text
    assert "不变式" in text
    assert "reopen-teardown" in text
    assert "turn.reopen" in text


def test_a_terminal_with_ascii_only_is_enough():
    text = screen_after(shared(), looks=Looks(ascii=True))
    assert text.isascii()
    assert "turn.reopen" in screen_after(shared(), looks=Looks(ascii=True), step=60)


# -- changing the run --------------------------------------------------------------------------


def labels(menu):
    return [(one.group, one.label, one.why) for one in menu.entries_]


def test_the_fault_menu_lists_exactly_what_is_possible_and_why_the_rest_is_not():
    menu, _ = at(session(), "f", step=61)
    assert isinstance(menu, Menu)
    from tui.feeds.moment import moment_of

    moment = moment_of(shared(), 61)
    assert [one[1] for one in labels(menu) if one[0] == "next"] == list(moment.enabled)
    reasons = {label: why for _, label, why in labels(menu)}
    assert reasons["D.slack#1  cut rst"] == ""
    assert reasons["D.slack#1  release D>S"] == "nothing is held"
    assert reasons["S  restart"] == "it is up"


def test_a_fault_makes_a_branch_and_the_run_is_kept():
    base = session()
    bench, text = at(base, "f", Typed("crash S"), "enter", step=61)
    assert bench.session is not base
    assert bench.session.parent is base
    assert bench.session.deeds[0].fault == "crash S"
    assert bench.state.step == 61
    assert [one for one, _ in bench.runs.walk()] == [base, bench.session]
    assert "branch: crash S" in text
    for n in range(62):
        assert bench.session.trace.line(n) == base.trace.line(n)


def test_branches_form_a_tree_and_one_can_go_back():
    base = session()

    async def script(pilot):
        for fault in ("crash S", "crash D"):
            await press(pilot, "f", Typed(fault), "enter")
            await settled(pilot)
        await pilot.press("ctrl+b")
        await settled(pilot)
        script.menu = screen_text(pilot.app)
        await pilot.press("enter")
        await settled(pilot)
        script.session = pilot.app.screen.session

    perform(base, script, step=40)
    assert re.search(r"reopen-teardown .*\n.*crash S.*\n.*crash D", script.menu)
    assert script.session is base


def test_a_hand_played_run_is_saved_and_gives_the_same_digest(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    async def script(pilot):
        await press(pilot, "f", Typed("crash S"), "enter")
        await settled(pilot)
        await pilot.press("s", "enter")
        await settled(pilot)
        script.session = pilot.app.screen.session
        script.text = screen_text(pilot.app)

    perform(session(), script, step=61)
    path = tmp_path / "reopen-teardown-branch.mmd"
    assert "hooktwin run reopen-teardown-branch.mmd" in script.text
    again = play(load(path), driver="step")
    assert again.digest == script.session.result.digest


def test_a_long_run_shows_progress_and_can_be_cancelled(monkeypatch):
    import threading

    from tui.feeds import runner

    monkeypatch.setattr(runner, "TELL_EVERY", 1)
    gate = threading.Event()
    over = runner.Deeds.over

    def slowly(self):
        if len(self.run.world.events) > 20:
            gate.wait(0.05)
        return over(self)

    monkeypatch.setattr(runner.Deeds, "over", slowly)
    base = session()

    async def script(pilot):
        bench = pilot.app.screen
        bench.compare_without(("ownership-at-write",))
        for _ in range(200):
            await pilot.pause(0.01)
            if " steps " in bench.query_one(TimelineBar).message[0]:
                break
        script.progress = bench.query_one(TimelineBar).message[0]
        await pilot.press("n")
        script.moved = bench.state.step
        await pilot.press("escape")
        gate.set()
        await settled(pilot)
        script.after = bench.query_one(TimelineBar).message[0]
        script.session = bench.session

    perform(base, script)
    assert re.search(r"running without ownership-at-write …\s+[\d,]+ steps", script.progress)
    assert script.moved == shown_steps()[1]
    assert "cancelled" in script.after
    assert script.session is base


def test_a_click_on_a_button_of_a_card_is_a_step_of_a_branch():
    base = session("ask-and-press")
    base.finish()
    card = next(
        n for n in range(base.count)
        if any(m.now.buttons for m in base.chronicle.messages(n))
    )  # fmt: skip

    async def script(pilot):
        pane = pilot.app.screen.query_one("#channel-IM", Pane)
        place = next(
            (k, one) for k, one in enumerate(pane.content)
            if any(span.act for span in one.spans)
        )  # fmt: skip
        await pilot.click("#channel-IM", offset=(6, place[0] - pane.top + 1))
        await settled(pilot)
        script.session = pilot.app.screen.session

    perform(base, script, step=card, view="channels")
    assert script.session is not base
    deed = script.session.deeds[0]
    assert deed.act["is"] == "press"
    events = [script.session.event(n) for n in range(script.session.count)]
    assert any(getattr(e, "act", None) == deed.act for e in events if hasattr(e, "act"))


def test_retry_on_a_desktop_is_a_step_of_a_branch():
    base = session("retry-not-offered")

    async def script(pilot):
        await pilot.press("tab")
        await settled(pilot)
        pane = pilot.app.screen.focused
        script.pane = pane.host
        await pilot.press("r")
        await settled(pilot)
        script.session = pilot.app.screen.session

    perform(base, script, step=base.last, view="hosts")
    assert script.pane == "D"
    assert script.session.deeds[0].act == {"is": "retry"}


def test_what_cannot_be_run_again_says_so():
    _, text = at(recorded("late-edit"), "f")
    assert "nothing can be done to it" in text


# -- comparing ------------------------------------------------------------------------------------


def test_one_key_compares_with_the_rule_off():
    bench, text = at(session(), "6")
    assert "without ownership-at-write" in text
    assert "all rules" in text
    assert re.search(r"first difference at step \d+", text)
    first = bench.seen.first
    assert bench.state.step == first
    assert bench.differences


def test_equal_steps_can_be_hidden_and_the_sides_swapped():
    _, text = at(session(), "6", "equals_sign")
    assert "hello" not in text
    assert "INTERRUP" in text
    swapped = at(session(), "6", "backslash")[1]
    assert re.search(r"A  all rules .* B  without ownership-at-write", swapped)


def test_a_rule_can_be_chosen_from_a_list():
    _, text = at(session("typical"), "r", Typed("pong"), "enter")
    assert "without pong" in text or "compare" in text


def test_tabs_and_titles_answer_the_mouse():
    async def script(pilot):
        await pilot.click("#tabs", offset=(14, 0))
        await settled(pilot)
        script.view = pilot.app.screen.shown
        await pilot.click("#list", offset=(4, 0), times=2)
        await settled(pilot)
        script.maximized = pilot.app.screen.maximized

    perform(recorded("late-edit"), script)
    assert script.view == "frames"
    assert script.maximized is not None
    assert script.maximized.id == "list"


def test_the_first_line_of_a_channel_is_there_when_it_is_first_drawn():
    async def script(pilot):
        pane = pilot.app.screen.query_one("#channel-IM", Pane)
        pane.top = 1000
        pane.changed()
        script.first = pane.render_line(0).text

    perform(recorded("late-edit"), script, view="channels", step=81)
    assert script.first.startswith("C1")


def test_two_deeds_at_one_step_both_happen():
    base = session()

    async def script(pilot):
        for fault in ("cut D.slack#1 fin", "sleep D"):
            await press(pilot, "f", Typed(fault), "enter")
            await settled(pilot)
        script.session = pilot.app.screen.session

    perform(base, script, step=40)
    assert [deed.fault.split()[0] for deed in script.session.deeds] == ["cut", "sleep"]
    found = [script.session.event(n) for n in range(script.session.count)]
    faults = [event.fault for event in found if hasattr(event, "fault")]
    assert faults[:2] == ["cut D.slack#1 fin", "sleep D 60000000us"]


def test_merged_local_steps_are_counted_beside_the_row_before_them():
    base = shared()
    shown = list(base.diagram.forwards(0))
    merged = {n: later - n - 1 for n, later in itertools.pairwise(shown)}
    most = max(merged, key=merged.get)
    text = screen_after(base, step=most)
    row = next(one for one in text.split("\n") if one.startswith("┃▶"))
    assert f"+{merged[most]}┃" in row
    every = screen_after(base, "m", step=most)
    assert "+" not in next(one for one in every.split("\n") if one.startswith("┃▶"))
