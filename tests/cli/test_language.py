"""The reference of the scenario language: nothing is missing, every example can be used."""

from __future__ import annotations

import json

import pytest

from sim.cli import language
from sim.cli.explain_saying import lines_of, saying_of
from sim.play import play, vocabularies
from sim.protocols.question.messages import MESSAGES
from sim.protocols.question.words import SAYINGS
from sim.scenario.directives import ACTION_USAGES
from sim.scenario.parse import parse_scenario
from sim.scenario.settings import SETTING_USAGES
from sim.scenario.teaching import LESSON_USAGES
from tests.cli.screens import ROOT, Shell

DOCUMENT = (ROOT / language.DOCUMENT).read_text(encoding="utf-8")
AROUND = """\
sequenceDiagram
    actor U as Alice
    participant IM as Slack
    participant S as hook server
    participant D as desktop
    %% {}
    U->>IM: message "hi"
    S->>D: task.dispatch (requestId=R1)
"""
RELAY = """\
sequenceDiagram
    participant A as controller
    participant R as relay
    participant N as node
    %% {}
    A->>R: command.list
"""

WHOLE_LESSON = {
    "lesson": '@lesson "One"', "text": '@text "Read."', "goal": '@goal n clean "all"',
    "question": '@question "Why?"', "wrong": '@wrong "no"', "right": '@right "yes"',
    "hint": '@hint "Look."',
}  # fmt: skip


def test_every_directive_is_told_and_no_other() -> None:
    assert list(language.SETTINGS) == list(SETTING_USAGES)
    assert list(language.ACTIONS) == list(ACTION_USAGES)
    assert list(language.LESSONS) == list(LESSON_USAGES)


def test_the_document_contains_the_table_and_all_acts() -> None:
    assert language.table() in DOCUMENT
    words = " ".join(DOCUMENT.split())
    assert [usage for usage, _ in language.acts() if f"`{usage}`" not in words] == []


@pytest.mark.parametrize("name", list(language.directives()))
def test_the_example_of_a_directive_can_be_parsed(name: str) -> None:
    example = language.directives()[name].example
    assert example.startswith(f"@{name}")
    text = (RELAY if name == "token" else AROUND).format(example)
    if "R1" in example:
        text = AROUND.replace("    %% {}\n", "") + f"    %% {example}\n"
    if name == "release":
        text = text.replace(f"%% {example}", f"%% @hold D->S\n    %% {example}")
    if name in LESSON_USAGES:
        lines = list({**WHOLE_LESSON, name: example}.values())
        if name in ("break", "fix"):
            broken = language.directives()["break"].example
            lines[-1:] = dict.fromkeys((broken, WHOLE_LESSON["goal"], example))
            lines.append(WHOLE_LESSON["goal"])
        if name == "predict":
            lines += [WHOLE_LESSON["right"], WHOLE_LESSON["wrong"]]
        text = AROUND.format("\n%% ".join(lines))
    parse_scenario(text, "example.mmd", None)


def test_the_diagram_of_the_document_runs(shell: Shell) -> None:
    assert shell("run", ROOT / language.DOCUMENT, "--quiet").code == 0


@pytest.mark.parametrize("protocol", ["relay", "question"])
def test_the_other_diagrams_of_the_document_run(protocol: str) -> None:
    _, _, section = DOCUMENT.partition(f"## Diagrams of the {protocol} protocol")
    diagram = section.partition("```mermaid\n")[2].partition("```")[0]
    result = play(parse_scenario(diagram, f"{protocol}.mmd", vocabularies()), driver="step")
    assert result.ok, result


@pytest.mark.parametrize("word", ["@cut", "cut"])
def test_a_directive_is_explained(shell: Shell, word: str) -> None:
    said = shell("explain", word)
    assert said.code == 0
    assert language.directives()["cut"].example in said.out
    assert json.loads(shell("explain", word, "--json").out)["usage"] == ACTION_USAGES["cut"]


def test_the_language_is_explained_on_one_page(shell: Shell) -> None:
    said = shell("explain", "language")
    assert [name for name in language.directives() if f"@{name}" not in said.out] == []
    told = json.loads(shell("explain", "language", "--json").out)
    assert len(told["directives"]) == len(language.directives())


def test_an_unknown_word_gets_near_matches_and_never_a_wall(shell: Shell) -> None:
    said = shell("explain", "turn.ned")
    assert said.code == 2
    assert "did you mean: turn.end" in said.err
    said = shell("explain", "qqqqqqqq")
    assert said.code == 2
    assert "explain language" in said.err
    assert len(said.err) < 200


@pytest.mark.parametrize("word", sorted(set(SAYINGS) - set(MESSAGES)))
def test_a_name_that_only_arrows_have_is_explained(word: str) -> None:
    saying = saying_of(word)
    assert saying is not None
    told = "\n".join(lines_of(saying))
    assert told.startswith(word)
    assert " → " in told


def test_what_only_arrows_have_is_told_by_the_command(shell: Shell) -> None:
    assert "listener → store" in shell("explain", "setPending").out
    assert json.loads(shell("explain", "log", "--json").out)["values"]["level"][0] == "info"
