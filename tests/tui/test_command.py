import re

import pytest

from sim.cli.app import call
from sim.core.errors import UsageError
from sim.core.trace import write_trace
from tests.tui.stage import TRACES, shared
from tui import command
from tui.command import size_of
from tui.language.chinese_plain import PLAIN
from tui.plain import TELLS


def test_the_linear_form_needs_no_terminal(capsys):
    assert call(["tui", str(TRACES / "late-edit.jsonl"), "--plain", "--step", "81"]) == 0
    assert capsys.readouterr().out.startswith("step 81, 3.365 s: IM tells S: m2 changed")


@pytest.mark.parametrize("view", ["replay", "channels"])
def test_a_picture_is_written_as_text_or_as_svg(tmp_path, view, capsys):
    trace = str(TRACES / "late-edit.jsonl")
    text, svg = tmp_path / "a.txt", tmp_path / "a.svg"
    options = ["--screen", view, "--step", "99999", "--size", "100x30", "--lang", "en"]
    assert call(["tui", trace, *options, "--out", str(text)]) == 0
    assert call(["tui", trace, *options, "--out", str(svg)]) == 0
    assert view in text.read_text(encoding="utf-8")
    picture = svg.read_text(encoding="utf-8")
    assert picture.startswith("<svg")
    assert "url(" not in picture.replace("url(#", ""), "it loads nothing from anywhere"
    assert f"wrote {text}" in capsys.readouterr().err


def test_a_run_may_be_told_with_a_rule_off(capsys):
    arguments = ["reopen-teardown", "--without", "ownership-at-write", "--seed", "1", "--plain"]
    assert call(["tui", *arguments]) == 0
    told = capsys.readouterr().out
    assert "without ownership-at-write" in told
    assert "breaks close-out-respects-owner" in told


def test_without_a_terminal_there_is_no_screen_but_advice(capsys):
    assert call(["tui", "typical"]) == 2
    told = capsys.readouterr().err
    assert "--plain" in told
    assert "--out FILE.svg" in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing.jsonl", "--plain"], "nothing.jsonl: cannot read the trace"),
        (["typical", "--without", "pongg", "--plain"], "did you mean"),
        (["--plain"], "give a scenario, a trace or a token"),
        (["typical", "--out", "a.gif"], "give a name that ends in .svg, .txt, .png"),
        (["typical", "--out", "a.svg", "--size", "3x3"], "write COLUMNSxROWS"),
        (["a/b/%%%", "--plain"], "names the scenario 'a'"),
    ],
)
def test_what_cannot_be_done_is_said_with_the_remedy(arguments, words, capsys):
    assert call(["tui", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_sizes_are_columns_and_rows():
    assert size_of("120x36") == (120, 36)
    with pytest.raises(UsageError):
        size_of("120")


def test_a_trace_file_opens_like_a_run(tmp_path, capsys):
    path = tmp_path / "run.jsonl"
    write_trace(path, shared("typical").result.trace)
    assert call(["tui", str(path), "--plain"]) == 0
    from_file = capsys.readouterr().out.splitlines()
    assert call(["tui", "typical", "--plain"]) == 0
    from_run = capsys.readouterr().out.splitlines()
    assert len(from_file) == len(from_run)
    assert from_file[-1] == from_run[-1]


def test_serving_elsewhere_than_here_offers_no_files():
    wish = command.Wish(what="typical", language="en")
    assert "--restricted" not in command._command(wish, restricted=False)
    assert "--restricted" in command._command(wish, restricted=True)
    assert command._command(wish, restricted=True).split()[1:4] == ["-m", "tui", "typical"]


def test_a_file_of_keys_moves_keys_and_names_ids_that_are_nearly_right(tmp_path):
    path = tmp_path / "keys.toml"
    path.write_text('"time.next" = "l,down"\n', encoding="utf-8")
    assert command.read_keys(path) == {"time.next": "l,down"}
    path.write_text('"time.nxt" = "l"\n', encoding="utf-8")
    with pytest.raises(UsageError, match=r"time\.next"):
        command.read_keys(path)
    with pytest.raises(UsageError, match="cannot read the keys"):
        command.read_keys(tmp_path / "none.toml")


def test_the_linear_form_speaks_chinese_and_names_stay_as_they_are(capsys):
    arguments = ["tui", "reopen-teardown", "--plain", "--without", "ownership-at-write"]
    assert call([*arguments, "--lang", "zh"]) == 0
    chinese = capsys.readouterr().out.splitlines()
    assert call([*arguments, "--lang", "en"]) == 0
    english = capsys.readouterr().out.splitlines()
    assert len(chinese) == len(english)
    assert chinese[0] == "hook 运行 reopen-teardown，种子 1，关闭规则 ownership-at-write"
    assert all(any("\u4e00" <= sign <= "\u9fff" for sign in row) for row in chinese)
    assert "破坏了 close-out-respects-owner" in "\n".join(chinese)
    for foreign in (" sends ", " asks ", " tells ", " waiting", "at step"):
        assert not [row for row in chinese if foreign in row.partition("：")[0]]


def test_every_template_of_the_linear_form_has_the_same_places_in_chinese():
    for english, chinese in PLAIN.items():
        assert sorted(re.findall(r"\{\w+\}", english)) == sorted(re.findall(r"\{\w+\}", chinese))
    assert set(TELLS.values()) <= set(PLAIN)
