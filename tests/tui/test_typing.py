"""Keys that are typed faster than the screen can follow count in the order of typing."""

from textual import events
from textual.widgets import Input

from tests.tui.stage import perform, settled, shared
from tui.screens.menus import Ask, Menu
from tui.screens.start import Offers
from tui.screens.workbench import Workbench

NAMES = {"/": "slash", ">": "greater_than_sign", "\r": "enter", ".": "full_stop", ":": "colon"}


async def burst(pilot, keys):
    """All at once: none of them waits for what the one before it does."""
    for sign in keys:
        pilot.app.post_message(events.Key(NAMES.get(sign, sign), sign))
    await settled(pilot)


def field_of(pilot):
    found = pilot.app.screen.focused
    assert isinstance(found, Input), found
    return found.value


def test_a_filter_and_the_keys_behind_it_may_be_typed_in_one_go():
    async def script(pilot):
        await burst(pilot, "/turn.end\r>fcrash S")
        menu, bench = pilot.app.screen, pilot.app.screen_stack[-2]
        assert isinstance(menu, Menu)
        assert isinstance(bench, Workbench)
        assert field_of(pilot) == "crash S"
        assert bench.query_one("#filter", Input).value == "turn.end"
        assert bench.state.matching.lets(bench.state.step)
        assert bench.state.step > 0

    perform(shared(), script, step=0)


def test_keys_behind_a_line_that_was_refused_stay_in_the_line():
    async def script(pilot):
        await burst(pilot, ":9999\r12")
        assert isinstance(pilot.app.screen, Ask)
        assert field_of(pilot) == "999912"
        pilot.app.screen.focused.value = ""
        await burst(pilot, "17\rn")
        assert pilot.app.screen.state.step == 18

    perform(shared(), script)


def test_keys_behind_a_change_of_the_view_belong_to_the_new_view():
    async def script(pilot):
        await burst(pilot, "2m3d")
        assert pilot.app.screen.shown == "replay"
        assert list(pilot.app.screen.session.marked) == [pilot.app.screen.state.step]

    session = shared()
    try:
        perform(session, script, step=20)
    finally:
        session.marked.clear()


def test_a_name_may_be_looked_for_and_opened_in_one_go():
    async def script(pilot):
        await burst(pilot, "/lessons gap\rjk")
        offers = pilot.app.screen.query_one(Offers)
        assert offers.has_focus
        assert [offer.name for offer in offers.shown] == ["gap"]

    perform(None, script)


def test_a_pasted_text_lands_in_the_line_that_the_key_before_it_opened():
    async def script(pilot):
        pilot.app.post_message(events.Key("slash", "/"))
        pilot.app.post_message(events.Paste("type:hello"))
        await settled(pilot)
        assert field_of(pilot) == "type:hello"

    perform(shared(), script)
