"""docs/relay.md says what the commands answer."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from sim.protocols.relay.browser import built_in_web
from sim.protocols.relay.controller.errand import FORMATS
from tests.cli.screens import Shell

PAGE = (Path(__file__).parents[2] / "docs" / "relay.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
SHOWN = re.findall(r"^\$ hooktwin (.*)\n((?:(?!\$ ).*\n)*)", "".join(BLOCKS), re.MULTILINE)


@pytest.mark.parametrize(("line", "answer"), SHOWN, ids=[line for line, _ in SHOWN])
def test_each_command_of_the_page_answers_as_the_page_shows(
    shell: Shell, line: str, answer: str
) -> None:
    said = shell(*shlex.split(line))
    assert said.out + said.err == answer


def test_the_page_shows_commands() -> None:
    assert len(SHOWN) == 3


def test_every_page_of_the_web_that_the_page_names_is_there() -> None:
    named = re.findall(r"`(https://[a-z.]+(?:example|com)/[^`]*)`", PAGE)
    pages = built_in_web().pages()
    assert len(named) >= 9
    assert [url for url in named if url not in pages and "files.example" not in url] == []


def test_the_page_names_every_format() -> None:
    assert [format for format in FORMATS if f"`{format}`" not in PAGE] == []
