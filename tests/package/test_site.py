"""The documentation's references hold everything that there is; links are strict."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source import committed_files
from tests.cli.screens import ROOT


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    sys.path.insert(0, str(ROOT / ".ci"))
    try:
        from docs_reference import pages as made
    finally:
        sys.path.remove(str(ROOT / ".ci"))
    return made()


def test_the_references_hold_every_command_rule_message_directive_and_key(pages) -> None:
    from sim.cli import app, words
    from sim.cli.language import directives
    from sim.public import everything
    from tui.keys import KEYS

    def missing(page: str, wanted) -> list[str]:
        return [one for one in wanted if one not in pages[f"reference/{page}.md"]]

    commands = [name.split(".")[-1] for name in app.COMMANDS if not name.endswith("group")]
    assert missing("commands", (f"\n## {name}\n" for name in commands)) == []
    for protocol in ("hook", "relay", "question"):
        names = (f"\n## `{name}`\n" for name in words.declared(protocol))
        assert missing(f"messages-{protocol}", names) == []
        known = (*words.rows(protocol), *words.rules(protocol), *words.invariants(protocol))
        assert missing(f"rules-{protocol}", (f"| `{name}` |" for name in known)) == []
    assert missing("states", (f": {role}\n" for role in words.tables())) == []
    assert missing("directives", (f"\n## @{name}\n" for name in directives())) == []
    assert missing("keys", (key.help[:20] for key in KEYS)) == []
    assert missing("python", (f"## `{module}`" for module in everything())) == []


def test_what_is_made_from_the_code_is_not_committed() -> None:
    names = [path.relative_to(ROOT).as_posix() for path in committed_files()]
    assert [name for name in names if name.startswith(("docs/reference", "build/"))] == []
    assert "docs/tutorial.md" not in names


def test_every_page_of_docs_has_its_place_in_the_navigation() -> None:
    text = (ROOT / "mkdocs.yml").read_text("utf-8")
    placed = re.findall(r": ([\w/-]+\.md)$", text, re.M)
    missing = [one.name for one in (ROOT / "docs").glob("*.md") if one.name not in placed]
    assert missing == []
    assert len(placed) == len(set(placed))


@pytest.mark.deep
def test_the_site_is_built_with_strict_links_and_loads_nothing_from_elsewhere(
    tmp_path: Path,
) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir"]
    done = subprocess.run(
        [*command, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    made = {path.relative_to(tmp_path).as_posix(): path for path in tmp_path.rglob("*.html")}
    assert {"index.html", "tutorial.html", "explanation.html", "security.html"} <= set(made)
    assert sum(name.startswith("reference/") for name in made) >= 11
    foreign = re.compile(r"<(?:script|img|link|iframe|source)[^>]*(?:src|href)=\"(?:https?:)?//")
    loading = {name: path.read_text("utf-8") for name, path in made.items()}
    assert [name for name, text in loading.items() if foreign.search(text)] == []
    # The theme loads a script from elsewhere for elements of this class, and for nothing else.
    assert [name for name, text in loading.items() if re.search(r'class="mermaid', text)] == []


def test_a_link_to_a_page_that_is_not_there_would_be_an_error() -> None:
    """Strict is strict: what mkdocs would only mention is asked for as a warning."""
    text = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert "\nstrict: true\n" in text
    assert "links: { not_found: warn, anchors: warn, absolute_links: warn" in text
