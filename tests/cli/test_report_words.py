"""The page of a report speaks English and Chinese, from one table."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from sim.cli.reporting import html
from tests.cli.chromium import Tab, browse, needs_browser
from tests.cli.conftest import shell as shell
from tests.cli.screens import Shell

ROW = re.compile(r'"((?:[^"\\]|\\.)*)": "((?:[^"\\]|\\.)*)"')
TABLE = dict(ROW.findall(html.asset("words.js").partition("};")[0]))
MARKED = re.compile(r"<[^>]* data-told[^>]*>([^<]*)<|<[^>]*aria-label=\"([^\"]*)\" data-named")
CHINESE = re.compile("[\u4e00-\u9fff]")


def said_in(script: str) -> list[str]:
    """The texts t`…` of a script; {} is where something is filled in."""
    found = []
    for start in re.finditer(r"(?<![\w$.])t`", script):
        at, text, depth = start.end(), "", 0
        while depth or script[at] != "`":
            if not depth and script.startswith("${", at):
                text, depth, at = text + "{}", 1, at + 1
            elif depth:
                depth += {"{": 1, "}": -1}.get(script[at], 0)
            else:
                text += script[at]
            at += 1
        found.append(text.strip())
    return found


SAID = [text for name in html.SCRIPTS for text in said_in(html.asset(name).replace("// t`", "//"))]
STANDING = [first or second for first, second in MARKED.findall(html.asset("page.html"))]


def test_everything_that_the_page_says_of_itself_is_in_the_table_and_nothing_else_is() -> None:
    assert len(SAID) > 100
    assert len(STANDING) == 4
    assert {*SAID, *STANDING} == set(TABLE)


@pytest.mark.parametrize("english", TABLE)
def test_a_chinese_text_fills_in_what_the_english_one_does(english: str) -> None:
    chinese = TABLE[english]
    assert CHINESE.search(chinese)
    places = english.count("{}")
    told = re.findall(r"\{(\d?)\}", chinese)
    assert all(one and int(one) < places for one in told) or len(told) == places


@pytest.mark.parametrize("name", html.SCRIPTS[2:])
def test_no_script_has_a_sentence_of_its_own(name: str) -> None:
    """Those that stand in comments, and classes of elements, are no sentences of the page."""
    script = re.sub(r"(?m)//.*$|(?<=el\()\"\w+\", \"[^\"]*\"", "", html.asset(name))
    told = re.findall(r'"([A-Z][a-z]+ [a-z]+[^"]*|[a-z]+(?: [a-z]+){3,}[^"]*)"', script)
    assert told == []


@pytest.mark.deep
@needs_browser
def test_a_reader_may_change_the_language_and_the_run_says_what_it_said(
    shell: Shell, tmp_path: Path
) -> None:
    page = tmp_path / "race.html"
    shell("report", "reopen-teardown", "--without", "ownership-at-write", "--out", page)
    other = Path(shutil.copy(page, tmp_path / "other.html"))

    async def look(tab: Tab) -> None:
        await tab.open(page)
        head = "document.getElementById('head').innerText"
        assert "State tables" in await tab.eval(head)
        frames = await tab.eval("JSON.stringify(state.run.words)")
        assert await tab.eval("document.getElementById('language').innerText") == "中文"
        await tab.eval("asked = 'zh', remember()")
        assert "lang=zh" in await tab.eval("location.hash")
        await tab.open(other, "lang=zh&step=91")
        assert "状态表" in await tab.eval(head)
        told = await tab.eval("document.body.innerText")
        assert "1 个不变量被破坏" in told
        for english in ("State tables", "every step", "Channels", "The event as recorded"):
            assert english not in told
        assert await tab.eval("document.documentElement.lang") == "zh"
        assert json.loads(frames) == json.loads(await tab.eval("JSON.stringify(state.run.words)"))
        assert tab.errors == []

    browse(look)
