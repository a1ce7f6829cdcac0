"""What can be said about names (``R1``) without running anything.

Which real id a name gets is known only in the run. Decidable before: a name
that stands for ids of two different kinds, one frame that gives one id two
names or two ids one name, and a name that no arrow ever binds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sim.core.errors import ScenarioError
from sim.scenario.directive_nodes import Count, Expect, Final
from sim.scenario.source import near
from sim.scenario.syntax import Act, Arrow, FrameText, Item, Name, Statement
from sim.scenario.tree import statements_in

# Fields that carry ids of the same kind. Unlisted fields are not judged.
ID_KINDS = {
    "requestId": "request",
    "reopenOf": "request",
    "interactionId": "interaction",
    "externalKey": "conversation",
    "sessionId": "session",
    "queryId": "query",
    "deviceId": "device",
    "bindingId": "binding",
    "attemptId": "binding attempt",
    "principalId": "principal",
    "targetRequestId": "request",
    "tabSessionId": "tab",
    "replayNonce": "nonce",
    "requestID": "request",
    "sessionID": "session",
    "callID": "call",
    "uniqueId": "entry",
}
# Of one frame these two must differ.
DIFFERENT = ("requestId", "reopenOf")


def check_names(body: Iterable[Statement], path: str) -> None:
    """Refuse names that cannot be bound to one id."""
    statements = list(statements_in(body))
    bound: dict[str, tuple[str, int]] = {}
    for one in statements:
        frame = _frame_of(one)
        if frame is not None:
            _check_frame(frame, bound, path)
    for name, line, column in _uses(statements):
        if name not in bound:
            known = near(name, bound)
            example = "'task.dispatch (requestId=R1)' binds R1"
            like = f"line {bound[known[0]][1]} binds {known[0]}" if known else example
            raise ScenarioError(
                f"the name {name} is bound by no arrow, as {like}",
                path=path,
                line=line,
                column=column,
                allowed=known,
            )


def _frame_of(one: Statement) -> FrameText | None:
    """What binds names in a statement: an arrow's frame, or the call that an agent makes."""
    if not isinstance(one, Arrow):
        return None
    if isinstance(one.content, Act):
        return one.content.frame
    return one.content if isinstance(one.content, FrameText) else None


def _check_frame(frame: FrameText, bound: dict[str, tuple[str, int]], path: str) -> None:
    """Bind the names of one frame, or say why that is impossible."""
    here: dict[str, str] = {}
    for item in _named(frame):
        name = str(item.value.text) if isinstance(item.value, Name) else ""
        kind = ID_KINDS.get(item.path, "")
        kind_before, line = bound.setdefault(name, (kind, item.line))
        if kind and kind_before and kind != kind_before:
            message = f"{name} is a {kind_before} since line {line}; here it would be a {kind}"
            raise _fail(item, message, path)
        if kind and not kind_before:
            bound[name] = (kind, line)
        if item.path in DIFFERENT and here.get(name) in set(DIFFERENT) - {item.path}:
            message = f"{name} is bound twice: {here[name]} and {item.path} always differ"
            raise _fail(item, message, path)
        here[name] = item.path


def _named(frame: FrameText) -> Iterator[Item]:
    """The items whose value is a name."""
    return (item for item in frame.items if isinstance(item.value, Name))


def _fail(item: Item, message: str, path: str) -> ScenarioError:
    return ScenarioError(message, path=path, line=item.line, column=item.column)


def _uses(statements: Iterable[Statement]) -> Iterator[tuple[str, int, int]]:
    """Names in acts and directives: they refer, they do not bind."""
    for one in statements:
        if isinstance(one, Expect | Final | Count):
            if one.name is not None:
                yield one.name, one.line, one.column
        elif isinstance(one, Arrow) and isinstance(one.content, Act) and one.content.name:
            yield one.content.name.text, one.content.line, one.content.column
