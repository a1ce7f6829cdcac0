"""References from the code: commands, messages, rules, states, directives, keys, Python."""

import base64
import html
import inspect
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from sim.protocols.register import PROTOCOLS


def pages() -> dict[str, str]:
    """All pages by their path within docs/."""
    made = {"commands": commands(), "states": states(), "directives": directives()}
    made |= {"keys": keys(), "python": python()}
    made |= {f"messages-{one}": messages(one) for one in PROTOCOLS}
    made |= {f"rules-{one}": rules(one) for one in PROTOCOLS}
    return {f"reference/{name}.md": text for name, text in made.items()}


def cell(text: object) -> str:
    """A text as it may stand in a table."""
    plain = " ".join(str(text).split())
    return plain.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A table; the first column is code."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(tuple(head))}"]
    for first, *rest in rows:
        code = str(first).replace("|", "\\|")
        lines.append(f"| `{code}` | {' | '.join(map(cell, rest))} |")
    return "\n".join(lines) + "\n"


def commands() -> str:
    """Every command with its arguments and options."""
    import typer

    from sim.cli.app import app

    text = "# Commands\n\nWhat `hooktwin COMMAND --help` says.\n"
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        text += _command(name, command)
        for inner, sub in getattr(command, "commands", {}).items():
            text += _command(f"{name} {inner}", sub)
    return text


def _command(name: str, command: Any) -> str:
    rows = []
    for one in command.params:
        if one.name == "help":
            continue
        words = ", ".join((*one.opts, *one.secondary_opts))
        shown = words if words.startswith("-") else one.name.upper()
        rows.append((shown, getattr(one, "help", None) or ""))
    text = f"\n## {name}\n\n{inspect.cleandoc(command.help or '')}\n\n"
    return text + (table(("argument or option", "what"), rows) if rows else "")


def messages(protocol: str) -> str:
    """Every declaration of a protocol: fields, limits, rules between fields, an example."""
    import json

    from sim.cli.words import declared
    from sim.wire.describe import describe

    text = f"# Messages of {protocol}\n\nWhat `hooktwin explain NAME` says.\n"
    for name, body in declared(protocol).items():
        told = describe(body)
        text += f"\n## `{name}`\n\n{told['summary']} "
        text += (
            f"({told['section']}{', ' + told['direction'] if told.get('direction') else ''})\n\n"
        )
        rows = [
            (
                one["name"], one["type"], "yes" if one["required"] else "no",
                "yes" if one["nullable"] else "no", one["when"] or "",
            )
            for one in told["fields"]
        ]  # fmt: skip
        if rows:
            text += table(("field", "type", "needed", "may be null", "when"), rows) + "\n"
        text += "".join(f"- {cell(one)}\n" for one in told["linkage"])
        example = json.dumps(told["example"], ensure_ascii=False, indent=1)
        text += f"\n```json\n{example}\n```\n" if told.get("example") is not None else ""
    return text


def rules(protocol: str) -> str:
    """The catalogue, and the rules that can be switched off."""
    from sim.cli import words

    rows = (
        (row["id"], row["section"], row["by"], row["rule"], ", ".join(row["invariants"]))
        for row in (one.to_json() for one in words.rows(protocol).values())
    )
    text = f"# Rules of {protocol}\n\nWhat `hooktwin rules --protocol {protocol}` says.\n\n"
    text += table(("row", "section", "obeyed by", "rule", "noticed by"), rows)
    text += "\n## Rules that can be switched off\n\nWith `--without NAME`.\n\n"
    switches = words.rules(protocol).values()
    lines = ((one.name, ", ".join(one.catalogue), one.reason, one.without) for one in switches)
    text += table(("rule", "rows", "what it is for", "what is seen without it"), lines)
    text += "\n## Invariants\n\n"
    judges = words.invariants(protocol).values()
    return text + table(
        ("invariant", "rows", "what it wants"),
        ((one.name, ", ".join(one.catalogue), inspect.getdoc(one) or "") for one in judges),
    )


def states() -> str:
    """The transition tables as pictures."""
    from sim.cli.drawing.tables import picture_of
    from sim.cli.words import tables

    text = (
        "# States\n\nWhat may happen when: the transition tables of the twins, drawn from them.\n"
    )
    for protocol in PROTOCOLS:
        for role, one in tables(protocol).items():
            text += f"\n## {protocol}: {role}\n\n{embedded(picture_of(one), role)}\n"
    return text


def directives() -> str:
    """Every directive of the scenario language."""
    from sim.cli import language

    text = "# Directives\n\nWhat `hooktwin explain @NAME` says.\n"
    for name, one in language.directives().items():
        text += f"\n## @{name}\n\n```text\n{one.usage}\n```\n\n"
        text += f"{cell(one.does)} Stands {cell(one.where)}.\n"
        text += f"\n```text\n{one.example}\n```\n"
    return text


def keys() -> str:
    """Every key of the terminal UI."""
    from tui.keys import KEYS

    rows = ((one.label, ", ".join(one.contexts), one.help, one.also) for one in KEYS)
    text = "# Keys\n\nOf `hooktwin tui`; `?` lists them there.\n\n"
    return text + table(("key", "where", "what", "also"), rows)


def python() -> str:
    """The public names of Python, with the first paragraph of what they say of themselves."""
    from sim.public import FRONT_DOORS, everything

    text = "# Python interface\n\nWhat may be imported and relied on; all else may change.\n"
    for module, names in everything().items():
        loaded = import_module(module)
        text += f"\n## `{module}`\n\n{_first(loaded)}\n\n"
        rows = []
        for name in names:
            value = getattr(loaded, name)
            told = _first(value) if callable(value) else "a value"
            rows.append((name, told))
        text += table(("name", "what"), rows)
        text += "" if module not in FRONT_DOORS else "\nEverything in its `__all__`.\n"
    return text


def _first(value: object) -> str:
    return " ".join((inspect.getdoc(value) or "").partition("\n\n")[0].split())


def embedded(svg: str, told: str) -> str:
    """A picture within the page, and apart from it: its styles are its own."""
    data = base64.b64encode(svg.encode()).decode()
    return f'<img alt="{html.escape(told)}" src="data:image/svg+xml;base64,{data}">\n'


def drawn(diagram: str) -> str:
    """A Mermaid block as text, and below it the run that hooktwin draws of it."""
    from sim.cli.drawing.svg import draw
    from sim.core.errors import ScenarioError
    from sim.play import play, vocabularies
    from sim.scenario.parse import parse_scenario

    shown = f"```text\n{diagram}```\n"
    try:
        result = play(parse_scenario(diagram, "diagram.mmd", vocabularies()), driver="step")
    except ScenarioError:
        return shown  # a part of a diagram, or a table of states
    return f"{shown}\n{embedded(draw(result), 'The run of this diagram')}"
