"""Sizes, names, docstrings: what lets a newcomer point to where a thing lives."""

import ast

from tests.architecture.source import functions, length, sources

MOST_LINES_OF_A_FILE = 399
MOST_LINES_OF_A_FUNCTION = 39
MEANINGLESS = {"utils", "util", "helpers", "helper", "common", "manager", "base", "misc"}


def test_no_file_has_400_lines_or_more():
    long = [
        f"{source.name}: {count} lines"
        for source in sources("sim", "tui")
        if (count := len(source.text.splitlines())) > MOST_LINES_OF_A_FILE
    ]
    assert not long, "split these files:\n" + "\n".join(long)


def test_no_function_has_40_lines_or_more():
    long = [
        f"{source.at(function)}: {function.name} has {length(function)} lines"
        for source in sources("sim", "tui")
        for function in functions(source.tree)
        if length(function) > MOST_LINES_OF_A_FUNCTION
    ]
    assert not long, "split these functions:\n" + "\n".join(long)


def test_no_module_has_a_name_that_says_nothing():
    nameless = [
        source.name
        for source in sources("sim", "tui", "tests")
        if not MEANINGLESS.isdisjoint(source.name.removesuffix(".py").lstrip("_").split("/"))
    ]
    assert not nameless, "say what these modules are about:\n" + "\n".join(nameless)


def test_every_module_of_the_simulator_says_what_it_is_for():
    silent = [
        source.name
        for source in sources("sim", "tui")
        if source.tree.body and ast.get_docstring(source.tree) is None
    ]
    assert not silent, "give these modules a docstring:\n" + "\n".join(silent)


def is_public(node):
    return isinstance(
        node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    ) and not node.name.startswith("_")


def test_every_public_class_and_function_of_the_kernel_has_a_docstring():
    silent = [
        f"{source.at(node)}: {node.name}"
        for source in sources("sim/core", "sim/world")
        for node in source.tree.body
        if is_public(node) and ast.get_docstring(node) is None
    ]
    assert not silent, "\n" + "\n".join(silent)


def test_every_test_has_a_name_that_is_a_sentence():
    short = [
        f"{source.at(function)}: {function.name}"
        for source in sources("tests")
        for function in functions(source.tree)
        if function.name.startswith("test_") and len(function.name.split("_")) < 5
    ]
    assert not short, "a test's name is a sentence that could be false:\n" + "\n".join(short)
