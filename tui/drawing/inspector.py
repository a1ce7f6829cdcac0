"""A frame, field by field, as its declaration sees it.

Each field shows its value, a verdict, and the sentence of its rule where it
breaks it. Fields that nobody declared are shown as ignored, not hidden.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from sim.check.judgement import Judgement, envelope_of, judge, shape_of
from sim.protocols.register import protocol_of
from sim.view.verdict import Verdict
from sim.wire.describe import describe
from tui.drawing.lines import Line, Span, facts, fit, harmless, line, pad, wrap

VERDICT = 10


def tree(frame: Any, width: int) -> list[Line]:
    """The frame as JSON, one field per line, with verdicts."""
    verdict = judge(frame)
    if not isinstance(frame, dict) or verdict.type == "(bad)":
        text = str(frame.get("text", "")) if isinstance(frame, dict) else repr(frame)
        return [
            line(("! " + verdict.faults.get("", "refused"), "bad")),
            *(line(row) for row in wrap(text, width)),
        ]
    declared, envelope = _declared(frame), frozenset(envelope_of(shape_of(frame)))
    lines = [line("{")]
    for key, value in frame.items():
        if key == "payload" and isinstance(value, dict):
            lines += _object("payload", value, verdict, declared, envelope, width)
        else:
            lines += _field(key, key, value, verdict, width, 2, True)
    for name in sorted((envelope - frame.keys()) & verdict.faults.keys()):
        lines += _missing(name, verdict.faults[name], width)
    lines.append(line("}"))
    if "" in verdict.faults:
        lines.append(line(("! " + verdict.faults[""], "bad")))
    return lines


def _declared(frame: Any) -> dict[str, dict[str, Any]]:
    shape = shape_of(frame)
    if shape is None:
        return {}
    return {str(field["name"]): field for field in describe(shape)["fields"]}


def _object(
    key: str,
    value: dict[str, Any],
    verdict: Judgement,
    declared: Mapping[str, Any],
    envelope: frozenset[str],
    width: int,
) -> Iterator[Line]:
    yield line(f"  {key}: {{")
    for name, inner in value.items():
        yield from _field(name, name, inner, verdict, width, 4, name in declared)
    for name in verdict.faults:
        head = name.partition(".")[0].partition("[")[0]
        if name and head not in value and head not in envelope:
            yield from _missing(name, verdict.faults[name], width)
    yield line("  }")


def _missing(name: str, why: str, width: int) -> Iterator[Line]:
    yield line(f"    {name}: ", ("! missing", "bad"))
    for row in wrap(why, width - 6, 3):
        yield line(" " * 6, (row, "bad"))


def _field(
    name: str, path: str, value: Any, verdict: Judgement, width: int, indent: int, declared: bool
) -> Iterator[Line]:
    """A field, its verdict at the right; what is wrong stands below it."""
    broken = {p: why for p, why in verdict.faults.items() if p == path or _within(p, path)}
    word, role = ("!", "bad") if broken else ("ok", "good") if declared else ("unknown", "dim")
    if not verdict.known and path != verdict.type_key:
        word, role = "", ""
    text = f"{' ' * indent}{name}: {shown(value)}"
    yield Line((Span(pad(harmless(text), max(width - VERDICT, 10))), Span(f" {word}", role)))
    for place, why in broken.items():
        where = "" if place == path else f"{place}: "
        for row in wrap(where + why, width - indent - 2, 3):
            yield line(" " * (indent + 2), (row, "bad"))


def _within(place: str, path: str) -> bool:
    return place.startswith((f"{path}.", f"{path}["))


def shown(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, str):
        return value or '""'
    return json.dumps(value, ensure_ascii=False)


def raw(text: bytes, width: int) -> list[Line]:
    """The bytes as they stand in the trace."""
    return [line(row) for row in wrap(text.decode("utf-8", "replace"), width, 400)]


def table(frame: Any, width: int) -> list[Line]:
    """What the declaration says of every field: type, presence, limits."""
    shape = shape_of(frame)
    if shape is None:
        return [line(("no declaration of this type", "bad"))]
    lines = []
    for field in describe(shape)["fields"]:
        presence = "required" if field["required"] else "optional"
        if field["when"]:
            presence = "when " + " and ".join(f"{k} is {v}" for k, v in field["when"].items())
        null = " or null" if field["nullable"] else ""
        told = f"{field['type']}{null}, {presence}"
        lines += facts([(str(field["name"]), told)], width)
    return lines


def explain(frame: Any, width: int) -> list[Line]:
    """The message type in words: direction, gate, section, rules between fields."""
    shape = shape_of(frame)
    if shape is None:
        return [line(("unknown message type", "bad"))]
    told = describe(shape)
    feature = told["feature"]
    gate = f"only when the {feature['announced_by']} announced {feature['name']}" if feature else ""
    lines = [line((row, "strong")) for row in wrap(str(told["summary"]), width, 4)]
    lines += facts([("direction", str(told["direction"])), ("spec", str(told["section"]))], width)
    if gate:
        lines += facts([("feature", gate)], width)
    for sentence in told["linkage"]:
        lines += [
            line(("  " if k else "· ") + row) for k, row in enumerate(wrap(sentence, width - 2))
        ]
    return lines


def legal(
    verdicts: list[Verdict], frame: Any, width: int, named: Callable[[str], str] = str
) -> list[Line]:
    """What the transition tables said before the step, and where the document says so."""
    lines = []
    for verdict in verdicts:
        subject = harmless(named(verdict.subject))[:14]
        if verdict.trigger:
            after = verdict.after or "not allowed"
            told = f"{verdict.state} -> {after}"
        else:
            told = f"{verdict.state}{'' if verdict.is_legal else ': only READY carries this'}"
        sign, role = ("", "good") if verdict.is_legal else ("! ", "bad")
        lines.append(
            line(
                (pad(verdict.table.removeprefix("server "), 11), "dim"),
                (fit(f"{sign}{subject}  {told}", width - 11), role),
            )
        )
    verdict_line = judge(frame)
    if verdict_line.is_good:
        lines += facts([("verdict", ("every field is legal", "good"))], width)
    else:
        lines += facts([("verdict", ("refused: bad field, the link stays up", "bad"))], width)
    shape = shape_of(frame)
    if shape is not None:
        told = f"{protocol_of(frame).name} protocol, {shape.SECTION}"
        lines += facts([("spec", told)], width)
    return lines
