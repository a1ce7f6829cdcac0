import inspect
from itertools import combinations

import pytest

from tests.tui.stage import shared
from tui.drawing.lines import Line
from tui.keys import ALL, VIEWS, bindings, keys_of
from tui.language import Speech
from tui.screens import help as helping
from tui.screens.channels import ChannelsView
from tui.screens.compare import CompareView
from tui.screens.explore import ExploreView
from tui.screens.frames import FramesView
from tui.screens.hosts import HostsView
from tui.screens.lesson import LessonView
from tui.screens.replay import ReplayView
from tui.screens.start import StartScreen
from tui.screens.workbench import Workbench
from tui.widgets.pane import Pane

PLACES = {
    "run": Workbench, "pane": Pane, "start": StartScreen, "replay": ReplayView,
    "frames": FramesView, "channels": ChannelsView, "hosts": HostsView, "explore": ExploreView,
    "compare": CompareView, "lesson": LessonView,
}  # fmt: skip


@pytest.mark.parametrize("context", PLACES)
def test_no_key_means_two_things_in_one_context(context):
    own = [key for key in ALL if context in key.contexts]
    for one, other in combinations(own, 2):
        assert set(one.keys.split(",")).isdisjoint(other.keys.split(",")), (one.id, other.id)


@pytest.mark.parametrize("key", ALL, ids=lambda key: key.id)
def test_every_key_has_a_sentence_and_an_action_where_it_works(key):
    assert key.help.endswith((".", "?"))
    for context in key.contexts:
        if key.action.startswith("app."):
            continue
        name = "action_" + key.action.partition("(")[0]
        assert callable(getattr(PLACES[context], name, None)), (key.id, context)


def test_ids_are_unique_but_for_actions_that_several_views_share():
    seen = {}
    for key in ALL:
        assert key.id not in seen, key.id
        seen[key.id] = key


@pytest.mark.parametrize("view", VIEWS)
def test_every_key_of_a_view_stands_in_its_help(view):
    lines = helping.all_keys(("run", "pane", view), Speech(), 90)
    told = "\n".join(one.text for one in lines)
    assert all(isinstance(one, Line) and one.width <= 90 for one in lines)
    for key in keys_of("run", "pane", view):
        assert key.help in told


def test_bindings_carry_ids_so_that_a_keymap_file_can_move_them():
    made = {binding.id: binding for binding in bindings("run")}
    assert made["time.next"].key == "n,right"
    assert made["time.next"].tooltip == "One step on."


@pytest.mark.parametrize("view", [one for name, one in PLACES.items() if name in VIEWS])
def test_every_view_says_what_it_is(view):
    assert len(view.ABOUT) > 100
    assert view.CONTEXT in VIEWS
    assert inspect.getdoc(view)


def test_the_shared_run_is_left_alone_by_all_tests():
    assert shared("reopen-teardown").deeds == ()


def everything_said():
    for key in ALL:
        yield key.help
        yield from filter(None, (key.brief, key.also))
    for view in VIEWS:
        yield view
        yield PLACES[view].ABOUT


@pytest.mark.parametrize("text", sorted(set(everything_said())))
def test_what_the_interface_says_is_there_in_chinese(text):
    told = Speech("zh")(text)
    assert told != text
    assert any("\u4e00" <= sign <= "\u9fff" for sign in told)
