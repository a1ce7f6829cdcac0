"""The public interface as lines; ``python -m tests.package.signatures`` writes them down."""

from __future__ import annotations

import enum
import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from sim.public import everything

KEPT = Path(__file__).with_name("public_api.txt")


def lines() -> Iterator[str]:
    """One for each name, with its parameters; in order."""
    for module, names in sorted(everything().items()):
        loaded = import_module(module)
        for name in sorted(names):
            yield f"{module}.{name}{_shape(getattr(loaded, name))}"


def _shape(value: object) -> str:
    if inspect.isclass(value) and not issubclass(value, enum.Enum | Exception):
        return "(" + ", ".join(_parameters(value)) + ")"
    if inspect.isfunction(value):
        return "(" + ", ".join(_parameters(value)) + ")"
    return ""


def _parameters(value: object) -> Iterator[str]:
    """Names, kinds and whether they may be left out: what calls depend on."""
    try:
        parameters = inspect.signature(value).parameters.values()  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return
    signs = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    starred = False
    for one in parameters:
        if one.kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        optional = "" if one.default is inspect.Parameter.empty else "=…"
        starred = starred or one.kind is inspect.Parameter.VAR_POSITIONAL
        yield f"{signs.get(one.kind, '')}{one.name}{optional}"


if __name__ == "__main__":
    KEPT.write_text("\n".join(lines()) + "\n", encoding="utf-8")
