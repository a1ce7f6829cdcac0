"""Whoever adds something and forgets a place is told which: by these tests, and by those that
``CONTRIBUTING.md`` names beside each step.
"""

from __future__ import annotations

import ast
import re
import tomllib
from importlib import import_module

import pytest

from sim.cli import words
from sim.core.rule import table_of
from sim.play import STAGES
from sim.protocols import register
from sim.protocols.hook.desktop.settings import LANE_FEATURES
from sim.protocols.hook.frames import MESSAGES
from sim.protocols.hook.frames.envelope import HookBody
from sim.protocols.hook.server.accounts.features import NEUTRAL_LANES
from sim.protocols.hook.server.manners import BY_LANE
from sim.protocols.played import PLAYED, played
from sim.protocols.proven import proven
from sim.scenario.kinds import CHANNEL_KINDS, KINDS, PROTOCOL_KINDS, WORDS
from tests.architecture.source import sources
from tests.cli.screens import ROOT

FRONT_DOOR = import_module("sim.protocols.hook")
FOLDER = "sim/protocols/hook"


def text_of(*folders: str, but: str = "") -> str:
    """All code below these folders; without files whose names begin so."""
    return "\n".join(
        one.text for one in sources(*folders) if not (but and one.name.startswith(but))
    )


# ---- a message type ----------------------------------------------------------------------


def test_a_declared_message_is_in_the_table_of_its_protocol() -> None:
    for one in sources(f"{FOLDER}/frames"):
        import_module(one.name.removesuffix(".py").replace("/", "."))
    package = f"{FRONT_DOOR.__name__}."
    declared = {
        one.TYPE
        for one in HookBody.__subclasses__()
        # Other tests declare messages that the protocol does not have.
        if getattr(one, "TYPE", "") and one.__module__.startswith(package)
    }
    assert len(declared) > 30
    assert declared - set(MESSAGES) == set(), "add it to _BODIES in frames/__init__.py"


def test_a_message_and_its_builder_stand_at_the_front_door() -> None:
    build = import_module("sim.protocols.hook.build")
    builders = {name for name in vars(build) if name.startswith("make_")}
    bodies = {body.__name__ for body in MESSAGES.values()}
    assert sorted((builders | bodies) - set(FRONT_DOOR.__all__)) == []


def test_a_message_is_handled_where_it_arrives() -> None:
    ends = {">server": f"{FOLDER}/server", ">desktop": f"{FOLDER}/desktop"}
    texts = {end: text_of(folder) for end, folder in ends.items()}
    deaf = [
        f"{kind} {end}"
        for kind, body in MESSAGES.items()
        for end, text in texts.items()
        if str(body.DIRECTION).endswith(end) and f'"{kind}"' not in text
    ]
    assert deaf == [], "nobody listens"


def test_a_message_is_shown_by_a_scenario() -> None:
    text = "\n".join(
        path.read_text("utf-8") for path in sorted((ROOT / "scenarios").rglob("*.mmd"))
    )
    assert [kind for kind in MESSAGES if f"{kind} " not in text and f"{kind}\n" not in text] == []


# ---- a rule, an invariant ----------------------------------------------------------------


@pytest.mark.parametrize("name", PLAYED)
def test_a_rule_is_read_by_an_endpoint(name: str) -> None:
    text = text_of(f"sim/protocols/{name}", but=f"sim/protocols/{name}/rules")
    fields = [one.name.replace("-", "_") for one in table_of(played(name).rules)]
    assert [one for one in fields if not re.search(rf"\.{one}\b", text)] == []


@pytest.mark.parametrize("name", PLAYED)
def test_a_rule_has_its_rows_and_its_mutant(name: str) -> None:
    record = next(one for one in proven() if one.name == name)
    rules = table_of(played(name).rules)
    rows = {*record.rows, *(row for one in rules for row in one.catalogue if row[:3] == "RC-")}
    assert [one.name for one in rules if not one.catalogue or set(one.catalogue) - rows] == []
    assert [one.name for one in rules if not (one.reason and one.without)] == []
    off = {mutant.rule.replace("_", "-") for mutant in record.mutants}
    assert [one.name for one in rules if one.name not in off] == []


@pytest.mark.parametrize("name", PLAYED)
def test_an_invariant_is_in_the_list_of_its_protocol(name: str) -> None:
    listed = {one.__name__ for one in played(name).invariants}
    declared = {
        node.name
        for source in sources(f"sim/protocols/{name}/oracles")
        for node in source.tree.body
        if isinstance(node, ast.ClassDef) and _is_named(node)
    }
    assert declared
    assert sorted(declared - listed) == [], "add its module to INVARIANTS in invariants.py"


def _is_named(node: ast.ClassDef) -> bool:
    """Whether a class says ``name = "…"``; others are patterns for such classes."""
    targets = [
        target.id
        for one in node.body
        if isinstance(one, ast.Assign | ast.AnnAssign)
        for target in (one.targets if isinstance(one, ast.Assign) else [one.target])
        if isinstance(target, ast.Name)
    ]
    return "name" in targets and not node.name.startswith("_")


@pytest.mark.parametrize("name", PLAYED)
def test_an_invariant_is_broken_by_a_mutant_or_a_tale(name: str) -> None:
    record = next(one for one in proven() if one.name == name)
    rows = [row.to_json() for row in words.rows(name).values()]
    broken = {tale.partition(":")[0] for row in rows for tale in row["tales"]}
    broken |= {mutant.caught_by for mutant in record.mutants}
    assert [one.name for one in played(name).invariants if one.name not in broken] == []


# ---- a fault -----------------------------------------------------------------------------


def _verbs() -> list[ast.FunctionDef]:
    (source,) = [one for one in sources("sim/world") if one.name == "sim/world/fault.py"]
    return [
        node
        for node in source.tree.body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]


def test_a_fault_leaves_its_event_and_says_what_it_does() -> None:
    silent = [
        verb.name
        for verb in _verbs()
        if "_say(" not in ast.unparse(verb) or not ast.get_docstring(verb)
    ]
    assert silent == []


def test_a_fault_can_be_written_in_a_diagram() -> None:
    from sim.cli.language import directives

    spelled = {"refuse": "fault"}  # "@fault refuse D.slack 503"
    verbs = {spelled.get(verb.name, verb.name) for verb in _verbs()}
    assert sorted(verbs - set(directives())) == []


def test_a_fault_that_stands_in_a_trace_can_strike_again() -> None:
    from sim.world import fault_choice

    assert sorted({verb.name for verb in _verbs()} - set(fault_choice._VERBS)) == []


# ---- a channel, a protocol ---------------------------------------------------------------


@pytest.mark.parametrize("kind", CHANNEL_KINDS)
def test_a_channel_has_a_host_words_and_a_scenario(kind: str) -> None:
    assert import_module(f"sim.hosts.{kind}").__doc__
    assert kind in KINDS
    assert kind in WORDS.values()
    assert f'"{kind}"' in text_of("sim/scenario/stages")
    named = re.compile(rf"participant \S+ as {kind}\b|@host \S+ {kind}\b", re.IGNORECASE)
    folder = ROOT / "scenarios" / "hook"
    assert [1 for path in folder.glob("*.mmd") if named.search(path.read_text("utf-8"))]


@pytest.mark.parametrize("kind", CHANNEL_KINDS)
def test_a_channel_is_a_lane_that_server_and_desktop_know(kind: str) -> None:
    assert kind in LANE_FEATURES
    assert kind in BY_LANE
    assert kind == "slack" or kind in NEUTRAL_LANES, "nobody is bound there"


def test_a_channel_of_hosts_is_a_kind_of_scenarios() -> None:
    channels = {
        source.name.split("/")[-1].removesuffix(".py")
        for source in sources("sim/hosts")
        for node in source.tree.body
        if isinstance(node, ast.ClassDef)
        and any(ast.unparse(one) == "Channel" for one in node.bases)
    }
    assert len(channels) >= 3
    assert sorted(channels - set(CHANNEL_KINDS)) == []


def test_a_folder_of_a_protocol_is_in_the_register() -> None:
    folders = {one.parent.name for one in (ROOT / "sim" / "protocols").glob("*/__init__.py")}
    assert sorted(folders) == sorted(register.PROTOCOLS)


SAME_NAMES = ("acts", "build", "constants", "machine", "mutants", "invariants", "parse", "rules",
              "view", "catalogue", "oracles", "__init__")  # fmt: skip


@pytest.mark.parametrize("name", register.PROTOCOLS)
def test_a_protocol_has_the_same_files_as_the_others_and_stands_in_every_table(name: str) -> None:
    folder = ROOT / "sim" / "protocols" / name
    there = {path.stem for path in folder.iterdir()}
    assert [one for one in SAME_NAMES if one not in there] == []
    assert name in PLAYED
    assert name in {one.name for one in proven()}
    assert PROTOCOL_KINDS[name]
    assert name in STAGES
    assert list((ROOT / "scenarios" / name).glob("*.mmd"))
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    apart = next(one for one in contracts if one["type"] == "independence")
    assert f"sim.protocols.{name}" in apart["modules"]
    nav = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert f"reference/messages-{name}.md" in nav
    assert f"reference/rules-{name}.md" in nav
