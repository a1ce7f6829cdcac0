"""Who knows what. import-linter checks the layers; this checks what it cannot say."""

import ast
import re
from pathlib import Path

from tests.architecture.source import (
    ROOT,
    committed_files,
    docstring_nodes,
    imported_modules,
    nodes,
    sources,
)

# Words of protocols and channels, as parts of identifiers and of strings.
FOREIGN = re.compile(
    r"slack|telegram|discord|twitter|webhook|(?<![a-z])hook(?!twin|ed)|relay|opencode|bridge"
    r"|question|(?<![a-z])turn\.|dispatch|workspace|desktop|emoji|markdown",
    re.IGNORECASE,
)
KEYWORDS_OF_OTHERS = {"enc_hook", "dec_hook"}  # msgspec's
DRIVERS = re.compile(r"\b(trio|asyncio|StepDriver|TrioDriver|LiveDriver|sim\.drivers)\b")


def words_in_code(tree):
    """(node, word) of every identifier and string literal that is no docstring."""
    docstrings = docstring_nodes(tree)
    for node in nodes(tree):
        for field in ("id", "attr", "name", "arg"):
            if isinstance(word := getattr(node, field, None), str):
                yield node, word
        value = getattr(node, "value", None) if isinstance(node, ast.Constant) else None
        if isinstance(value, str) and node not in docstrings:
            yield node, value


def test_the_kernel_knows_no_word_of_any_protocol_or_channel():
    found = [
        f"{source.at(node)}: {word!r}"
        for source in sources("sim/core", "sim/world")
        for node, word in words_in_code(source.tree)
        if FOREIGN.search(word) and word not in KEYWORDS_OF_OTHERS
    ]
    assert not found, "the kernel must not know these words:\n" + "\n".join(found)


def test_no_actor_knows_its_driver():
    found = [
        f"{source.name}:{number}: {line.strip()}"
        for source in sources("sim/hosts", "sim/protocols")
        for number, line in enumerate(source.text.splitlines(), 1)
        if DRIVERS.search(line)
    ]
    assert not found, "an actor must run on every driver:\n" + "\n".join(found)


WEBSOCKETS = {
    "trio_websocket": ("sim/drivers/websocket.py",),
    # What trio-websocket stands on: for compression, and for who stands between two ends.
    "wsproto": ("sim/drivers/websocket.py", "sim/drivers/websocket_peer.py",
                "sim/drivers/deflate.py"),
}  # fmt: skip


def test_real_websockets_are_imported_in_few_modules_only():
    found = [
        source.at(node)
        for source in sources("sim", "tui")
        for node, module in imported_modules(source.tree)
        if source.name not in WEBSOCKETS.get(module.split(".")[0], (source.name,))
    ]
    assert not found, f"only {WEBSOCKETS} may:\n" + "\n".join(found)


def test_protocols_never_import_each_other():
    found = []
    for source in sources("sim/protocols"):
        parts = Path(source.name).parts
        own = f"sim.protocols.{parts[2]}" if len(parts) > 3 else ""
        for node, module in imported_modules(source.tree):
            folder = ROOT.joinpath(*module.split(".")[:3])
            other = module.startswith("sim.protocols.") and folder.is_dir()
            if own and other and not f"{module}.".startswith(f"{own}."):
                found.append(f"{source.at(node)}: {module}")
    assert not found, "\n".join(found)


# Put together here, so that this file does not contain them.
FOREIGN_PLACES = [
    "/".join(parts)
    for parts in (
        ("..", "shared"), ("", "work", ""), ("", "opt", "hv"), ("", "root", ""), ("", "home", ""),
        ("pypi.org", "simple"), ("file:", "", "", "opt"),
    )
] + [".lib" + "rary/", "index" + "-url", "extra" + "-index"]  # fmt: skip


def test_no_committed_file_names_a_machine_or_an_index():
    found = []
    for path in committed_files():
        name = path.relative_to(ROOT).as_posix()
        # Recorded inputs are quoted as they are.
        if name.startswith("tests/data/"):
            continue
        text = path.read_bytes().decode("utf-8", "replace")
        found += [f"{name}: {place}" for place in FOREIGN_PLACES if place in text]
    assert not found, "these mean something on one machine only:\n" + "\n".join(found)
