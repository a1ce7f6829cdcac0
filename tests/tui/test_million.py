import asyncio

import pytest

from sim.core.trace import write_trace
from sim.view.snapshots import SceneSnapshots
from tests.tui.stage import settled
from tests.view.traces import made_up
from tui.app import HooktwinApp
from tui.session import Session
from tui.widgets.diagram_view import DiagramView


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    path = tmp_path_factory.mktemp("trace") / "large.jsonl"
    write_trace(path, made_up(25_000), SceneSnapshots())
    return path


def test_opening_and_jumping_draw_no_more_than_a_few_screens(large):
    async def look():
        session = Session.of_file(large)
        app = HooktwinApp(session)
        async with app.run_test(size=(120, 36)) as pilot:
            view = app.screen.query("DiagramView")
            while not view:
                await pilot.pause()
                view = app.screen.query("DiagramView")
            diagram = app.screen.query_one(DiagramView)
            while diagram.rendered < 10:
                await pilot.pause()
            opened = diagram.rendered
            indexed = session.progress
            app.screen.go(session.last - 7)
            await pilot.pause()
            return opened, diagram.rendered - opened, indexed, diagram.window

    opened, jumped, indexed, window = asyncio.run(look())
    assert opened < 150
    assert jumped < 150
    assert indexed < 1, "the first screen does not wait for the index"
    assert window[-1] > 49_990


def test_the_index_is_read_while_one_looks_and_the_filter_counts_meanwhile(large):
    async def look():
        session = Session.of_file(large)
        app = HooktwinApp(session, view="frames")
        async with app.run_test(size=(120, 36)) as pilot:
            await settled(pilot)
            await pilot.press("slash", *"type:turn.end")
            bench = app.screen
            for _ in range(2000):
                if bench.state.matching is not None and bench.state.matching.done:
                    break
                await pilot.pause(0.01)
            await pilot.pause(0.1)
            return session.indexed, bench.view.told()

    indexed, told = asyncio.run(look())
    assert indexed
    assert told == "12,500 of 50,004 shown"


def test_a_trace_that_grows_is_followed(tmp_path):
    from sim.core.trace import lines_of

    whole = b"".join(lines_of(made_up(60)))
    path = tmp_path / "growing.jsonl"
    path.write_bytes(whole[: len(whole) // 2])

    async def look():
        app = HooktwinApp(Session.of_file(path))
        async with app.run_test(size=(120, 36)) as pilot:
            await settled(pilot)
            await pilot.press("F")
            before = app.screen.state.step
            path.write_bytes(whole)
            for _ in range(200):
                await pilot.pause(0.02)
                if app.screen.session.count == 124:
                    break
            return before, app.screen.state.step

    before, after = asyncio.run(look())
    assert before < 70
    assert after == 123
