"""Nothing in ``sim`` draws from the real world, and nothing depends on the order of a set.

The fence (sim/core/fence.py) checks the same at run time; this reads the code,
so that it also sees what no test happened to run.
"""

import ast

import pytest

from tests.architecture.source import Source, functions, imported_modules, nodes, sources

REAL_WORLD = {"random", "uuid", "time", "secrets", "datetime"}
MAY_ASK_THE_REAL_WORLD = {
    "sim/core/entropy.py": "owns entropy and wall time",
    "sim/check/clock.py": "reads the dates that stand in logs; never asks for the present one",
    "sim/cli/checking/following.py": "waits for a file to grow",
    "sim/core/forbidden.py": "the list of what the fence forbids",
    "sim/live/disk.py": "processes of one machine sign their locks, and wait for each other",
    "sim/live/wallclock.py": "real programs compare what they are told with the time of day",
    "sim/drivers/trio_determinism.py": "takes the place of the generator that Trio shuffles with",
}
SETS = ("set", "frozenset")
ORDERED_READERS = {"list", "tuple", "iter", "enumerate", "zip", "map", "filter", "reversed", "join"}


def may_ask(source):
    return source.name in MAY_ASK_THE_REAL_WORLD


def real_world_calls(source):
    """(node, what) of everything that gives another answer in another process."""
    for node in nodes(source.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "id":
            yield node, "id()"
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            name = f"{node.value.id}.{node.attr}"
            if name in ("os.urandom", "os.getpid", "os.getrandom"):
                yield node, name
    for node, module in imported_modules(source.tree):
        if module.split(".")[0] in REAL_WORLD or module in ("os.urandom", "os.getrandom"):
            yield node, f"import of {module}"


def is_set(node, names):
    """Whether an expression is, by its own looks, a set."""
    if isinstance(node, ast.Set | ast.SetComp):
        return True
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in SETS
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr | ast.BitAnd | ast.Sub):
        return is_set(node.left, names) or is_set(node.right, names)
    return isinstance(node, ast.Name) and node.id in names


def set_names(function):
    """Names that a function binds to sets, or that are annotated as such."""
    for node in nodes(function):
        if isinstance(node, ast.Assign) and is_set(node.value, ()):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        annotated = node.annotation if isinstance(node, ast.arg | ast.AnnAssign) else None
        if annotated is not None and ast.unparse(annotated).split("[")[0] in SETS:
            target = node if isinstance(node, ast.arg) else node.target
            yield getattr(target, "arg", getattr(target, "id", ""))


def iterations(node):
    """The expressions whose order a node relies on."""
    if isinstance(node, ast.For | ast.comprehension):
        yield node.iter
    if isinstance(node, ast.Starred):
        yield node.value
    if isinstance(node, ast.Call) and node.args:
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name in ORDERED_READERS:
            yield from node.args


def iterated_sets(source):
    """Where a set is walked in its own order. A result that is a set again is fine."""
    for scope in (source.tree, *functions(source.tree)):
        names = set(set_names(scope)) if scope is not source.tree else set()
        harmless = calms(scope)
        unordered = {
            generator
            for node in nodes(scope)
            if isinstance(node, ast.SetComp)
            or (isinstance(node, ast.GeneratorExp) and node in harmless)
            for generator in node.generators
        }
        for node in nodes(scope):
            if node not in unordered:
                yield from (found for found in iterations(node) if is_set(found, names))


def calms(scope):
    """Generators that feed something to which order means nothing."""
    return {
        argument
        for node in nodes(scope)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if node.func.id in ("sorted", "any", "all", "sum", "min", "max", "set", "frozenset", "len")
        for argument in node.args
    }


def test_nothing_in_the_simulator_asks_the_real_world():
    found = [
        f"{source.at(node)}: {what}"
        for source in sources("sim")
        if not may_ask(source)
        for node, what in real_world_calls(source)
    ]
    assert not found, "take it from sim.core.entropy, or list the module with a reason:\n" + (
        "\n".join(found)
    )


def test_nothing_in_the_simulator_walks_a_set_in_its_own_order():
    found = sorted({
        f"{source.at(node)}: {ast.unparse(node)}"
        for source in sources("sim")
        for node in iterated_sets(source)
    })  # fmt: skip
    assert not found, "sort these sets, or keep a dict:\n" + "\n".join(found)


def test_no_module_that_asks_nothing_stands_on_the_list_of_exceptions():
    idle = [
        source.name
        for source in sources("sim")
        if may_ask(source) and not list(real_world_calls(source))
    ]
    assert not idle, "take these off the list:\n" + "\n".join(idle)


@pytest.mark.parametrize(
    "code",
    [
        "for x in {1, 2}: pass",
        "[x for x in set(a)]",
        "list({x for x in a})",
        "print(*frozenset(a))",
        "', '.join(set(a))",
        "def f(names: frozenset[str]):\n    for n in names: pass",
        "def f():\n    seen = set()\n    return [x for x in seen]",
        "for x in set(a) | b: pass",
    ],
)
def test_the_reader_of_sets_finds_a_set_that_is_walked(code):
    assert list(iterated_sets(Source("code", code)))


@pytest.mark.parametrize(
    "code",
    [
        "for x in sorted({1, 2}): pass",
        "{x for x in set(a)}",
        "any(x for x in {1, 2})",
        "x in {1, 2}",
        "def f(names: frozenset[str]):\n    return len(names)",
        "for x in {1: 2}: pass",
    ],
)
def test_the_reader_of_sets_leaves_harmless_uses_alone(code):
    assert not list(iterated_sets(Source("code", code)))


@pytest.mark.parametrize(
    "code", ["id(x)", "os.urandom(4)", "import time", "from uuid import uuid4"]
)
def test_the_reader_of_real_world_calls_finds_them(code):
    assert list(real_world_calls(Source("code", code)))
