"""Text to scenario: the passes, in order.

1. ``lexer``: lines, and what Mermaid would damage.
2. ``grammar``: which statement each line is.
3. ``conformity``: Mermaid's rules about the order of statements.
4. ``roster``: who stands in the diagram, and which protocol it speaks.
5. ``blocks``: the tree, with the text of each arrow and directive understood.
6. ``names``: what can be said about ``R1`` without running.
7. ``slips``: prose that would be an act but for a letter.

Every complaint is a ``ScenarioError``; nothing that is not understood is skipped.
"""

from __future__ import annotations

from pathlib import PurePath

from sim.core.errors import ScenarioError
from sim.scenario.arguments import Scope
from sim.scenario.blocks import build_body
from sim.scenario.complaints import not_understood
from sim.scenario.conformity import check_order
from sim.scenario.grammar import Raw, read_statement
from sim.scenario.lexer import read_lines
from sim.scenario.names import check_names
from sim.scenario.roster import read_roster
from sim.scenario.settings import Head
from sim.scenario.slips import refuse_slips
from sim.scenario.source import Span
from sim.scenario.syntax import Scenario
from sim.scenario.vocabulary import FrameVocabulary, Vocabularies, Vocabulary

LARGEST_BYTES = 4 * 1024 * 1024
NAMED_IN_WORDS = ("question",)
"""Protocols whose names are several words or stand on arrows to oneself: without knowing them
nobody can tell them from remarks."""


def parse_scenario(
    text: str,
    path: str,
    vocabulary: Vocabularies | None = None,
    *,
    first_line: int = 1,
) -> Scenario:
    """The scenario that a diagram says, or a ScenarioError with its place.

    ``first_line`` is the line of the file on which ``text`` begins (a diagram
    inside a Markdown file). Without a vocabulary frames and fields are not checked, but in
    diagrams of a protocol whose names cannot be read otherwise.
    """
    check_size(len(text.encode("utf-8", "surrogatepass")), path)
    lines = read_lines(text, path, first_line)
    statements = [_statement(line) for line in lines.statements]
    check_order(statements)
    roster = read_roster(statements, lines.end)
    words = _words_of(roster.protocol, vocabulary, lines.end)
    head = Head()
    scope = Scope(roster.participants, words)
    body, title = build_body(statements, scope, head, lines.end)
    check_names(body, path)
    if roster.protocol == "hook":
        refuse_slips(body, roster.participants, path)
    return Scenario(
        path=path,
        name=PurePath(path).stem,
        source_text=text,
        protocol=roster.protocol,
        participants=tuple(roster.participants.values()),
        settings=head.settings(),
        violates=tuple(head.violates),
        strict=head.strict,
        live=head.live,
        title=title,
        body=body,
        first_line=first_line,
        lesson=head.teaching.lesson(),
    )


def check_size(size: int, path: str) -> None:
    """Refuse a file that no person wrote."""
    if size > LARGEST_BYTES:
        raise ScenarioError(
            f"the file has {size} bytes; a scenario has at most {LARGEST_BYTES} (4 MiB)", path=path
        )


def _statement(line: Span) -> Raw:
    raw = read_statement(line)
    if raw is None:
        raise not_understood(line)
    return raw


def _spoken(protocol: str) -> FrameVocabulary:
    from sim.protocols.played import played

    spoken: FrameVocabulary = played(protocol).words
    return spoken


def _words_of(protocol: str, vocabulary: Vocabularies | None, end: Span) -> Vocabulary:
    """The vocabulary of this protocol."""
    if vocabulary is None:
        return Vocabulary(frames=_spoken(protocol) if protocol in NAMED_IN_WORDS else None)
    if isinstance(vocabulary, Vocabulary):
        return vocabulary
    if protocol not in vocabulary:
        raise end.fail(f"the protocol {protocol} is not available", sorted(vocabulary))
    return vocabulary[protocol]
