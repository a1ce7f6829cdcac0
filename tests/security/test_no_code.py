"""Bytes of others are never run: no pickle, no eval, no shell, and who may generate code is named.

Code is generated from declarations of frames in this repository (sim/wire); pickles go between
processes that hooktwin has started itself, or over a Dask cluster that its user trusts.
"""

from __future__ import annotations

import ast
import re

import pytest

from tests.architecture.source import Source, imported_modules, nodes, sources

DANGEROUS_MODULES = {
    "pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "jsonpickle", "joblib",
    "yaml", "lxml", "code", "codeop", "runpy", "ctypes", "telnetlib",
}  # fmt: skip
DANGEROUS_CALLS = {"eval", "exec", "compile", "__import__", "execfile"}
DANGEROUS_ATTRIBUTES = {
    ("os", "system"), ("os", "popen"), ("subprocess", "getoutput"), ("builtins", "eval"),
    ("builtins", "exec"), ("tempfile", "mktemp"), ("tarfile", "open"), ("zipfile", "ZipFile"),
    ("ElementTree", "fromstring"), ("ElementTree", "parse"), ("ElementTree", "iterparse"),
}  # fmt: skip

# What is dangerous has one of these words in it: most files need not be parsed to be harmless.
NAMED = DANGEROUS_MODULES | DANGEROUS_CALLS | {name for _, name in DANGEROUS_ATTRIBUTES}
WORDS = re.compile(rf"\b(?:{'|'.join(sorted(NAMED))}|shell|verify)\b")

ALLOWED = {
    "sim/explore/shares.py": "pickles between own processes, or a cluster that the user names",
    "sim/wire/convert.py": "code from declarations of frames: names of fields, never their values",
    "sim/wire/generate.py": "code from declarations of frames: names of fields, never their values",
}


def dangers(source: Source):
    """(node, what) of everything that can make code of bytes."""
    if WORDS.search(source.text) is None:
        return
    for node, module in imported_modules(source.tree):
        if module.split(".")[0] in DANGEROUS_MODULES:
            yield node, f"import of {module}"
    for node in nodes(source.tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Name) and called.id in DANGEROUS_CALLS:
            yield node, called.id
        owner = called.value if isinstance(called, ast.Attribute) else None
        if isinstance(owner, ast.Name) and (owner.id, called.attr) in DANGEROUS_ATTRIBUTES:
            yield node, f"{owner.id}.{called.attr}"
        for keyword in node.keywords:
            if keyword.arg == "shell" and not _is_false(keyword.value):
                yield node, "shell="
            if keyword.arg == "verify" and _is_false(keyword.value):
                yield node, "verify=False"


def _is_false(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is False


def test_nothing_makes_code_of_the_bytes_of_others() -> None:
    found = [
        f"{source.at(node)}: {what}"
        for source in sources("sim", "tui")
        if source.name not in ALLOWED
        for node, what in dangers(source)
    ]
    assert not found, "bytes of others might be run:\n" + "\n".join(found)


def test_no_module_that_does_nothing_dangerous_is_excused() -> None:
    idle = [one.name for one in sources("sim") if one.name in ALLOWED and not list(dangers(one))]
    assert not idle


@pytest.mark.parametrize(
    "code",
    [
        "import pickle", "from yaml import load", "eval(text)", "exec(text)", "os.system(text)",
        "subprocess.run(text, shell=True)", "httpx.get(url, verify=False)",
        "__import__(name)", "ElementTree.fromstring(text)",
    ],
)  # fmt: skip
def test_the_reader_of_dangers_finds_them(code: str) -> None:
    assert list(dangers(Source("code", code)))
