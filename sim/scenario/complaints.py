"""Why a line is no statement: the likely slip, named."""

from __future__ import annotations

import re

from sim.core.errors import ScenarioError
from sim.scenario.grammar import ARROW_SIGNS, FOREIGN_ARROW, ID, STATEMENTS
from sim.scenario.source import Span

BARE_ARROW = re.compile(r"(?P<source>.*?)\s*(?P<sign>--?(?:>>|>|x(?=\s*[^\W\d])|\)))(?P<rest>.*)")
DECLARATION = re.compile(r"(?:create\s+)?(?:participant|actor)\b(?P<rest>.*)", re.IGNORECASE)
USAGES = {
    "note": "Note over A,B: text",
    "destroy": "destroy A",
    "activate": "activate A",
    "deactivate": "deactivate A",
    "autonumber": "autonumber [off | START [STEP]]",
    "title": "title TEXT",
    "acctitle": "accTitle: TEXT",
    "accdescr": "accDescr: TEXT",
    "links": 'links A: {"label": "url"}',
    "link": "link A: label @ url",
    "end": "end",
    "create": "create participant A",
}


def not_understood(at: Span) -> ScenarioError:
    """The error for a line that fits no statement."""
    declared = DECLARATION.fullmatch(at.text)
    if declared is not None:
        return _declaration(at, at.group(declared, "rest"))
    wide = at.text.find("：")
    colon = at.text.find(":")
    if wide >= 0 and (colon < 0 or wide < colon):
        return at.fail("a full-width colon: Mermaid wants ':' here", (":",), at=wide)
    foreign = FOREIGN_ARROW.search(at.text)
    if foreign is not None and (colon < 0 or foreign.start() < colon):
        return at.fail(
            f"the arrow {foreign.group()} has no meaning", ARROW_SIGNS, at=foreign.start()
        )
    arrow = BARE_ARROW.fullmatch(at.text)
    if arrow is not None and (colon < 0 or arrow.start("sign") < colon):
        return _arrow(at, arrow)
    word = re.match(r"\w+", at.text)
    usage = USAGES.get(word.group().lower()) if word else None
    if usage is not None:
        return at.fail(f"this is not how {word.group() if word else ''} is written", (usage,))
    return at.fail("not understood", STATEMENTS)


def _arrow(at: Span, arrow: re.Match[str]) -> ScenarioError:
    """Something with an arrow in it: an end is no id, or the text is missing."""
    source = at.group(arrow, "source").strip()
    rest = at.group(arrow, "rest")
    if arrow["sign"].endswith("x") and re.match(r"[^:]*--?[>)]", rest.text):
        message = "Mermaid takes '-x' in an id for an arrow"
        raise at.fail(message, at=arrow.start("sign") + len(arrow["sign"]) - 2)
    if not re.fullmatch(ID, source.text):
        return _bad_id(source)
    if ":" not in rest.text:
        return rest.fail("an arrow needs a text after a colon", ("A->>B: text",), at=len(rest.text))
    target = rest.cut(0, rest.text.index(":")).strip()
    return _bad_id(target.cut(1).strip() if target.text[:1] in "+-" and target.text else target)


def _declaration(at: Span, rest: Span) -> ScenarioError:
    if "@{" in rest.text:
        return rest.fail(
            "@{…} is not supported here", ("participant A as label",), at=rest.text.index("@{")
        )
    name = rest.strip()
    if not name.text:
        return at.fail("an id is missing", ("participant A as label",), at=len(at.text))
    label = re.search(r"\s+as(?:\s+|$)", name.text, re.IGNORECASE)
    if label is not None and label.end() == len(name.text):
        return name.fail("the label after 'as' is empty", at=label.end())
    return _bad_id(name.cut(0, label.start() if label else None))


def _bad_id(at: Span) -> ScenarioError:
    """Why these characters are no id."""
    ending = re.search(r"-[xX]", at.text)
    if ending is not None:
        return at.fail("Mermaid takes '-x' in an id for an arrow", at=ending.start())
    if not at.text:
        return at.fail("an id is missing", ("A->>B: text",))
    if re.search(r"\s", at.text):
        return at.fail(
            f"{at.text[:40]!r} is no id: ids have no blanks", ("participant A as two words",)
        )
    return at.fail(
        f"{at.text[:40]!r} is no id", ("a letter or _, then letters, digits, '_', '.', single '-'",)
    )
