"""The recipe for a protocol, followed: ``bell`` has two messages, a rule and an invariant.

Its files stand beside this one as they would stand in the tree.
"""

from __future__ import annotations

from pathlib import Path

HERE = Path(__file__).parent
TABLE = ('"question": cache(_question)}', '"question": cache(_question), "bell": cache(_bell)}')


def made_by(function: str) -> tuple[tuple[str, str], ...]:
    """The protocol in a table, and the function that makes its record."""
    return (TABLE, ("_TABLE: Final", f"{function}\n\n\n_TABLE: Final"))


FRAMES = """def _bell() -> WireProtocol:
    from sim.protocols.bell.frames import MESSAGES, shape_of, told
    from sim.protocols.bell.parse import parse_bell_message

    return WireProtocol("bell", MESSAGES, MESSAGES, parse_bell_message, "bell", shape_of, told)"""
RUNS = """def _bell() -> Played:
    from sim.protocols.bell.frames import MESSAGES
    from sim.protocols.bell.invariants import INVARIANTS, invariants_for
    from sim.protocols.bell.rules import BellRules
    from sim.protocols.bell.view import BellChronicle, typed
    from sim.wire.vocabulary import Vocabulary

    return Played(
        name="bell", words=Vocabulary(MESSAGES.values()), rules=BellRules, features=(),
        invariants=INVARIANTS, judges=invariants_for, chronicle=BellChronicle, typed=typed,
        legal=lambda chronicle, host, link, frame, n: [], centre="door",
        short=MappingProxyType({"knockId": "K"}), offers=MappingProxyType({}),
    )"""
PROOFS = """def _bell() -> Proven:
    from sim.protocols.bell.catalogue import BROKEN_BY, CHECKS, ROWS, SHOWN, TALES
    from sim.protocols.bell.invariants import INVARIANTS
    from sim.protocols.bell.mutants import all_mutants
    from sim.protocols.bell.rules import BellRules

    return Proven(
        "bell", "BL", ROWS, BellRules, INVARIANTS, CHECKS, (), TALES, all_mutants(), SHOWN,
        BROKEN_BY,
    )"""
STAGE = """def _bell_stage() -> type[Stage]:
    from sim.scenario.stages.bell import BellStage

    return BellStage"""


def texts() -> dict[str, str]:
    """The folder of the protocol."""
    found = sorted((HERE / "bell").rglob("*.py"))
    return {
        f"sim/protocols/{path.relative_to(HERE).as_posix()}": path.read_text("utf-8")
        for path in found
    }


PROTOCOL: list[dict[str, object]] = [
    dict(texts()),
    {"sim/protocols/register.py": made_by(FRAMES)},
    {"sim/protocols/played.py": made_by(RUNS), "sim/protocols/proven.py": made_by(PROOFS)},
    {
        "sim/scenario/kinds.py": (
            ('"store", "bot"),\n', '"store", "bot"),\n    "bell": ("door", "guest"),\n'),
            ('    *PROTOCOL_KINDS["question"],\n',
             '    *PROTOCOL_KINDS["question"],\n    *PROTOCOL_KINDS["bell"],\n'),
            ('    "中继"', '    **{kind: kind for kind in PROTOCOL_KINDS["bell"]},\n    "中继"'),
        ),
        "sim/scenario/stages/bell.py": (HERE / "bell_stage.py").read_text("utf-8"),
        "sim/play.py": (
            ('    "question": _question_stage,\n',
             '    "question": _question_stage,\n    "bell": _bell_stage,\n'),
            ("STAGES: Mapping", f"{STAGE}\n\n\nSTAGES: Mapping"),
        ),
    },
    {"scenarios/bell/knock-knock.mmd": (HERE / "knock-knock.mmd").read_text("utf-8")},
    {
        "pyproject.toml": (
            ('"sim.protocols.question"]', '"sim.protocols.question", "sim.protocols.bell"]'),
        ),
        "mkdocs.yml": (
            ("      - Rules of question",
             "      - Messages of bell: reference/messages-bell.md\n"
             "      - Rules of bell: reference/rules-bell.md\n      - Rules of question"),
        ),
    },
    {
        "tests/protocols/test_catalogues.py": (
            ("SIDES = {\n", 'SIDES = {\n    "bell": {"door"},\n'),
            ("IDS = {\n", 'IDS = {\n    "bell": ["BL-01"],\n'),
        )
    },
]  # fmt: skip
