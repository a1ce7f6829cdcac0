"""Every text of the interface has a Chinese one: looked for in the source, not on screens."""

import ast
import re
from pathlib import Path

import pytest

import tui
from sim.protocols.played import PLAYED, played
from tests.tui.stage import WIDE, perform, press, screen_text, shared
from tui.app import Looks
from tui.language import Speech
from tui.language.chinese import CHINESE
from tui.language.chinese_plain import PLAIN

ROOT = Path(tui.__file__).parent
NOT_SHOWN = ("language", "command.py", "plain.py", "shot.py", "themes.py", "keys.py")
"""No screens: the command line speaks English, the table of keys has a test of its own."""

NAMES = {
    # Words of the protocol and of scenarios, commands and code stay as they are.
    "x  posts", "heal {}", "crash {}", "restart {}", "sleep 60 s", "clock +70 s",
    "cut {}", "hold {}", "release {}", "lose {}", "duplicate {}", "delay 2 s", "cut {} {}",
    "Mermaid", "pytest", "hooktwin explore {}", "hooktwin run {} --seed {}{}", "--without {}",
    "type:turn.* & link:*#1 & !ok",
    'result = play("{}", seed={}, without={})\nassert result.digest == {}',
    # Titles and names inside files, classes, patterns, what a click means.
    "A run of {}.", "rest of {}", "from the token {}", "deed {}", "pane {}", "run", ".mmd",
    "track", "Horizontal, Vertical", r"\bline \d+", "--without[ =]([a-z0-9-]+)", "view",
    "maximise", "text", "command", "sleep {} 60000000us", "skew {} 70000000us", "hold {} {}",
    "release {} {}", "delay {} 2000000us",
}  # fmt: skip
WORD = re.compile(r"[a-z]{3,}")
HAN = re.compile(r"[\u4e00-\u9fff]")


def text_of(node):
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            part.value if isinstance(part, ast.Constant) else "{}" for part in node.values
        )
    return None


def is_style(node):
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any("CSS" in getattr(target, "id", "") for target in targets)


def unread(tree):
    """Docstrings, styles, parts of longer texts, key bindings of Textual, errors."""
    for node in ast.walk(tree):
        below = ()
        match node:
            case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
                below = [one.value for one in node.body if isinstance(one, ast.Expr)]
                below = [one for one in below if isinstance(one, ast.Constant)]
            case ast.Assign() | ast.AnnAssign() if is_style(node):
                below = ast.walk(node)
            case ast.JoinedStr():
                below = [one for one in ast.walk(node) if one is not node]
            case ast.Raise() | ast.Call(func=ast.Name(id="Binding")):
                below = ast.walk(node)
        yield from map(id, below)


def texts(path):
    """What a file may show: texts of several words, and first halves of pairs."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    hidden = frozenset(unread(tree))
    pairs = {
        id(node.elts[0])
        for node in ast.walk(tree)
        if isinstance(node, ast.Tuple) and len(node.elts) == 2
    }
    for node in ast.walk(tree):
        text = text_of(node)
        if text is None or id(node) in hidden or not WORD.search(text):
            continue
        if " " in text.strip() or id(node) in pairs:
            yield node.lineno, text


FILES = [
    path
    for path in sorted(ROOT.rglob("*.py"))
    if not any(part in NOT_SHOWN for part in path.relative_to(ROOT).parts)
]


def test_every_text_of_the_interface_has_a_chinese_one():
    missing = [
        f"{path.relative_to(ROOT)}:{line}: {text.strip()!r}"
        for path in FILES
        for line, text in texts(path)
        if text.strip() not in CHINESE and text not in PLAIN and text.strip() not in NAMES
    ]
    assert not missing, "\n".join(missing)


def test_the_look_for_texts_finds_some_and_no_exception_is_left_over():
    found = {text.strip() for path in FILES for _, text in texts(path)}
    assert len(found) > 250
    assert found >= NAMES


@pytest.mark.parametrize("text", sorted(text for text in CHINESE if "{}" in text))
def test_a_text_with_places_keeps_what_stands_in_them(text):
    places = text.count("{}")
    words = [f"W{n}" for n in range(places)]
    told = Speech("zh")(text.format(*words))
    assert HAN.search(told)
    assert all(word in told for word in words)


@pytest.mark.parametrize("protocol", PLAYED)
def test_what_a_protocol_offers_in_the_fault_menu_has_a_chinese_text(protocol):
    offers = played(protocol).offers.values()
    labels = [label for of_kind in offers for label, _ in of_kind]
    assert [one for one in labels if not HAN.search(Speech("zh")(f"X  {one}"))] == []


def test_what_stands_in_a_place_is_translated_too():
    assert Speech("zh")("not possible: it is down") == "不可用：它已停机"


def test_what_no_table_knows_stays_as_it_is():
    assert Speech("zh")("Migrate the database") == "Migrate the database"
    assert Speech("zh")("  reopen-teardown ") == "  reopen-teardown "


def test_the_views_say_hardly_an_english_sentence_in_chinese():
    async def script(pilot):
        script.screens = []
        for number in "123456":
            await press(pilot, number)
            script.screens.append(screen_text(pilot.app))

    perform(shared("reopen-teardown", "ownership-at-write"), script, looks=Looks("zh"), step=71)
    for text in script.screens:
        bars = text.rstrip("\n").split("\n")
        bars = [bars[0], bars[1], *bars[-2:]]
        assert all(HAN.search(bar) for bar in bars), text
        assert not re.search(r"\b(the|this|with|which|that)\b", " ".join(bars)), text
    assert WIDE == (120, 36)
