"""Reports in a real browser: keys, colours, hostile texts, a hundred thousand events."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from sim.core.trace import read_trace, write_trace
from sim.view.scene import Scene
from tests.cli.chromium import PROGRAM, Tab, browse, needs_browser
from tests.cli.hostile import write_hostile
from tests.cli.screens import Shell
from tests.view.traces import made_up

pytestmark = needs_browser

RACE = ("reopen-teardown", "--without", "ownership-at-write")
CURRENT = "document.querySelector('.row.current').dataset.step | 0"
PANEL = "document.getElementById('panel').innerText"


def write(shell: Shell, path: Path, *what: object) -> Path:
    assert shell("report", *what, "--out", path).code == 0
    return path


@pytest.mark.deep
def test_a_reader_walks_through_a_race_by_keys_and_sees_what_happened(
    shell: Shell, tmp_path: Path
) -> None:
    page = write(shell, tmp_path / "race.html", *RACE)

    async def look(tab: Tab) -> None:
        await tab.open(page)
        assert await tab.eval("state.step") == 91, "it begins where something broke"
        assert await tab.eval(CURRENT) == 91
        assert "✗ close-out-respects-owner" in await tab.eval("diagram.root.innerText")
        await walk(tab)
        await compare(tab)
        await colours(tab)
        assert tab.errors == []

    browse(look)


async def walk(tab: Tab) -> None:
    for key, step in (("ArrowLeft", 89), ("ArrowRight", 91), ("n", 92), ("N", 91), ("f", 62),
                      ("Home", 0), ("End", 102), ("v", 91)):  # fmt: skip
        await tab.press(key)
        assert await tab.eval("state.step") == step, key
    assert "Continuation interrupted" in await tab.eval(PANEL)
    await tab.press("Home")
    await tab.press("PageDown")
    assert await tab.eval("diagram.current") == 20
    await tab.press("v")
    await tab.press("n")
    await tab.press("c")
    told = await tab.eval(PANEL)
    assert "owner K2 on D.slack#2 open · written by close-out of K1 on D.slack#1 !" in told
    await tab.press("h")
    assert "D.slack#2" in await tab.eval(PANEL)
    await tab.press("/")
    for key in "turn.end":
        await tab.press(key)
    shown = await tab.eval("diagram.items.filter((n) => n >= 0).map((n) => state.run.label(n))")
    assert shown == ["turn.end"] * 2
    await tab.eval("document.activeElement.blur(), diagram.filter = '', diagram.sift()")
    before = await tab.eval("diagram.items.length")
    await tab.press("e")
    assert await tab.eval("diagram.items.length") == 104 > before


async def compare(tab: Tab) -> None:
    await tab.press("r")
    assert await tab.eval("state.run.title") == "all rules on"
    assert "no invariant is broken" in await tab.eval(
        "document.getElementById('verdict').innerText"
    )
    await tab.press("2")
    told = await tab.eval("document.getElementById('view-compare').innerText")
    assert "1 stretch of differences, the first at step 91" in told
    assert "in progress → interrupted → ok" in told
    assert await tab.eval("document.querySelectorAll('.pair.differs').length") == 2
    await tab.press("3")
    assert await tab.eval("document.querySelectorAll('g.way.done').length") > 3
    await tab.press("4")
    told = await tab.eval("document.getElementById('view-scenario').innerText")
    assert "%% @channel edit latency 2s" in told


async def colours(tab: Tab) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    seen = []
    for scheme in ("light", "dark"):
        await tab.colours(scheme)
        seen.append(await tab.eval(paper))
    assert seen == ["rgb(255, 255, 255)", "rgb(13, 17, 23)"]
    await tab.press("t")
    assert await tab.eval(f"[document.documentElement.dataset.theme, {paper}]") == [
        "light",
        seen[0],
    ]


def test_hostile_texts_are_shown_and_never_act(shell: Shell, tmp_path: Path) -> None:
    write_hostile(tmp_path / "hostile.jsonl")
    page = write(shell, tmp_path / "hostile.html", tmp_path / "hostile.jsonl")

    async def look(tab: Tab) -> None:
        await tab.open(page)
        await tab.eval("""(() => {
          for (let k = 0; k < PANELS.length; k++) {
            panel(k);
            for (let n = 0; n < state.run.count; n += 5) go(n);
            document.querySelectorAll('#panel details').forEach((box) => { box.open = true; });
          }
          VIEWS.forEach(([name]) => view(name));
          printed();
        })()""")
        await tab.eval("new Promise((done) => setTimeout(done, 50))")
        assert await tab.eval("globalThis.acted ?? 0") == 0
        assert (
            await tab.eval("document.querySelectorAll('img, a, iframe, object, link').length") == 0
        )
        shown = await tab.eval("document.getElementById('paper').innerText")
        assert "</script><script>globalThis.acted" in shown
        assert "\u202e" not in await tab.eval("document.body.innerText")
        assert tab.errors == []
        # And if one came through as markup all the same, the page's policy stops it.
        blocked = await tab.eval("""(() => {
          const script = document.createElement('script'), told = [];
          for (const act of [
            () => { script.textContent = 'globalThis.acted = 1'; },
            () => { document.body.innerHTML = '<img src=x>'; },
            () => { Function('globalThis.acted = 1')(); },
          ]) try { act(); told.push('done'); } catch (error) { told.push(error.name); }
          document.body.append(script);
          return [globalThis.acted ?? 0, ...told];
        })()""")
        assert blocked == [0, "TypeError", "TypeError", "EvalError"]

    browse(look)


@pytest.mark.deep
def test_the_page_folds_hosts_and_connections_as_hooktwin_does(
    shell: Shell, tmp_path: Path
) -> None:
    trace = tmp_path / "run.jsonl"
    shell("run", "server-crash", "-q", "--trace", trace)
    page = write(shell, tmp_path / "run.html", trace)
    scene, wanted = Scene(), []
    for event in read_trace(trace).events:
        scene.on(event)
        told = scene.to_json()
        wanted.append([told["links"], sorted(told["frames"]), sorted(told["calls"]), told["lost"]])

    async def look(tab: Tab) -> Any:
        await tab.open(page)
        return await tab.eval("""Array.from({ length: state.run.count }, (_, n) => {
          const scene = state.run.scene(n);
          const sorted = (of) => Object.keys(of).map(Number).sort((a, b) => a - b);
          return [{ ...scene.links }, sorted(scene.frames), sorted(scene.calls), scene.lost];
        })""")

    assert browse(look) == wanted


@pytest.mark.deep
def test_a_hundred_thousand_events_open_and_move_without_waiting(
    shell: Shell, tmp_path: Path
) -> None:
    write_trace(tmp_path / "large.jsonl", made_up(50_000))
    page = write(shell, tmp_path / "large.html", tmp_path / "large.jsonl")
    assert page.stat().st_size < 5_000_000

    async def look(tab: Tab) -> None:
        await tab.open(page)
        assert await tab.eval("state.run.count") == 100_004
        opened = await tab.eval("performance.now()")
        assert opened < 20_000, "milliseconds, on a machine that does other things, too"
        for key in ("End", "PageDown", "Home", "PageDown", "v", "f", "e", "h"):
            await tab.press(key)
            assert await tab.eval("document.querySelectorAll('*').length") < 4_000
            assert await tab.eval("document.querySelectorAll('#diagram .row').length") < 80
        jump = await tab.eval("""(() => {
          const begun = performance.now();
          for (let k = 0; k < 40; k++) go((k * 7919) % state.run.count);
          return (performance.now() - begun) / 40;
        })()""")
        assert jump < 400, "milliseconds per jump, drawing included"
        await tab.eval("(diagram.filter = 'turn.end', diagram.sift())")
        assert await tab.eval("diagram.items.length") > 12_500
        await tab.eval("printed()")
        assert await tab.eval("document.querySelectorAll('#paper .row').length") < 1_500
        assert tab.errors == []

    browse(look)


@pytest.mark.deep
def test_a_pdf_is_printed_by_the_browser_with_all_rows(shell: Shell, tmp_path: Path) -> None:
    said = shell("report", *RACE, "--out", tmp_path / "race.pdf", "--browser", PROGRAM)
    assert said.code == 0, said.err
    printed = (tmp_path / "race.pdf").read_bytes()
    assert printed.startswith(b"%PDF")
    assert printed.count(b"/Type /Page\n") + printed.count(b"/Type /Page ") >= 3


@pytest.mark.deep
def test_the_page_stands_there_as_soon_as_it_is_loaded(shell: Shell, tmp_path: Path) -> None:
    page = write(shell, tmp_path / "race.html", *RACE)
    done = subprocess.run(
        [str(PROGRAM), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", page.as_uri()],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert 'data-ready="yes"' in done.stdout
    assert "close-out-respects-owner</b> broken at " in done.stdout
