"""What we accept, Mermaid's own parser accepts; what it refuses, we refuse.

Nothing is installed here. Node is looked up on the path, the packages ``mermaid``
(11) and ``jsdom`` in the folder that HOOKTWIN_NODE_MODULES names or in
``tests/mermaid/node_modules``; without them the tests are skipped.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from sim.cli.reporting.mermaid import diagram_of
from sim.cli.reporting.subject import Asked, subject_of
from sim.core.errors import ScenarioError
from sim.scenario.lexer import decode
from sim.scenario.load import shipped_scenarios
from sim.scenario.markdown import first_diagram
from tests.cli.hostile import write_hostile
from tests.scenario.accepted import ACCEPTED
from tests.scenario.generated import damaged, diagrams
from tests.scenario.refused import REFUSED_BY_MERMAID
from tests.scenario.words import read

TESTS = Path(__file__).parent.parent
CHECKER = TESTS / "mermaid" / "check.mjs"
MODULES = Path(os.environ.get("HOOKTWIN_NODE_MODULES", TESTS / "mermaid" / "node_modules"))
NODE = shutil.which("node")
MISSING = [name for name in ("mermaid", "jsdom") if not (MODULES / name / "package.json").is_file()]

pytestmark = [
    pytest.mark.skipif(NODE is None, reason="Node is not installed"),
    pytest.mark.skipif(
        bool(MISSING), reason=f"no {', '.join(MISSING)} in {MODULES} (HOOKTWIN_NODE_MODULES)"
    ),
]


def verdicts(texts: list[str]) -> list[str]:
    """Mermaid's complaint about each text, empty where it accepts it."""
    answer = subprocess.run(
        [str(NODE), str(CHECKER), str(MODULES)],
        input=json.dumps(texts),
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert answer.returncode == 0, answer.stderr
    return [one.get("error", "") for one in json.loads(answer.stdout)]


def shipped() -> dict[str, str]:
    """The diagram of every shipped scenario, and the acceptance diagram."""
    paths = [path for found in shipped_scenarios().values() for path in found]
    paths += sorted((TESTS / "data" / "scenario").glob("*.mmd"))
    texts = {path.name: decode(path.read_bytes(), path.name) for path in paths}
    return {
        name: first_diagram(text, name).text if name.endswith(".md") else text
        for name, text in texts.items()
    }


def test_mermaid_accepts_all_that_we_accept_or_ship() -> None:
    texts = {**ACCEPTED, **shipped()}
    complaints = dict(zip(texts, verdicts(list(texts.values())), strict=True))
    assert {name: one for name, one in complaints.items() if one} == {}


def test_mermaid_refuses_what_we_say_it_refuses() -> None:
    complaints = verdicts([case.text for case in REFUSED_BY_MERMAID.values()])
    names = zip(REFUSED_BY_MERMAID, complaints, strict=True)
    assert [name for name, complaint in names if not complaint] == []


def test_mermaid_accepts_generated_diagrams() -> None:
    texts = drawn(diagrams(), 300)
    complaints = zip(texts, verdicts(texts), strict=True)
    assert [(text, complaint) for text, complaint in complaints if complaint] == []


def test_what_mermaid_refuses_of_damaged_diagrams_we_refuse() -> None:
    accepted = [
        text for text in drawn(damaged(ACCEPTED.values(), most=1), 3000) if is_accepted(text)
    ]
    assert len(accepted) > 200
    complaints = zip(accepted, verdicts(accepted), strict=True)
    assert [(text, complaint) for text, complaint in complaints if complaint] == []


def is_accepted(text: str) -> bool:
    """Whether our parser takes it, with its words unchecked."""
    try:
        read(text, None)
    except ScenarioError:
        return False
    return True


def drawn(strategy: st.SearchStrategy[str], number: int) -> list[str]:
    """So many examples, always the same ones: one Node process judges them together."""
    found: list[str] = []

    @settings(
        max_examples=number,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(text: str) -> None:
        found.append(text)

    collect()
    return found


def test_mermaid_draws_the_diagrams_of_reports(tmp_path: Path) -> None:
    write_hostile(tmp_path / "hostile.jsonl")
    what = ("typical", "lock-with-lease", str(tmp_path / "hostile.jsonl"))
    texts = [diagram_of(subject_of(Asked(name), lambda done, of: None).first) for name in what]
    assert [one for one in verdicts(texts) if one] == []
