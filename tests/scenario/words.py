"""A small vocabulary of the hook protocol, independent of its declarations."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from attrs import frozen

from sim.scenario.parse import parse_scenario
from sim.scenario.syntax import Scenario
from sim.scenario.vocabulary import Vocabulary

TO_SERVER, TO_DESKTOP = "desktop>server", "server>desktop"
FRAMES: dict[str, tuple[str, tuple[str, ...], dict[str, tuple[str, ...]]]] = {
    "hello": (TO_SERVER, ("deviceId", "workspaces", "agents", "features"), {}),
    "welcome": (TO_DESKTOP, ("serverName", "features"), {}),
    "ping": ("both", (), {}),
    "pong": ("both", (), {}),
    "task.dispatch": (
        TO_DESKTOP,
        ("requestId", "externalKey", "workspace", "sessionId", "prompt", "source", "source.im"),
        {},
    ),
    "task.ack": (
        TO_SERVER,
        ("requestId", "result", "reason", "sessionId", "queuePosition"),
        {
            "result": ("accepted", "queued", "rejected"),
            "reason": ("unknown_workspace", "disabled", "invalid"),
        },
    ),
    "turn.progress": (TO_SERVER, ("requestId", "text"), {}),
    "turn.end": (
        TO_SERVER,
        ("requestId", "externalKey", "status", "finalText", "errorMessage", "attachments",
         "usage", "usage.durationMs"),
        {"status": ("ok", "error", "cancelled")},
    ),
    "turn.delivery": (
        TO_DESKTOP,
        ("requestId", "state", "attempt"),
        {"state": ("accepted", "retrying", "delivered", "failed")},
    ),
    "turn.reopen": (TO_SERVER, ("requestId", "reopenOf", "externalKey", "reason"), {}),
    "task.cancel": (TO_DESKTOP, ("requestId",), {}),
    "session.archive": (TO_DESKTOP, ("externalKey",), {}),
    "interaction.request": (
        TO_SERVER,
        ("requestId", "interactionId", "kind", "buttons", "buttons.id"),
        {},
    ),
    "interaction.decision": (TO_DESKTOP, ("interactionId", "buttonId"), {}),
    "bind.state": (TO_DESKTOP, ("bindings", "bindings.teamId"), {}),
    "group.message": (TO_DESKTOP, ("provider", "text"), {}),
}  # fmt: skip


@frozen
class SomeFrames:
    """The four questions of a frame vocabulary, answered from the table."""

    def frame_types(self) -> Collection[str]:
        return FRAMES.keys()

    def fields(self, frame_type: str) -> Collection[str]:
        return FRAMES[frame_type][1]

    def enum_values(self, frame_type: str) -> Mapping[str, Collection[str]]:
        return FRAMES[frame_type][2]

    def direction(self, frame_type: str) -> str:
        return FRAMES[frame_type][0]


HOOK = Vocabulary(
    frames=SomeFrames(),
    rules=("teardown-authoritative", "ownership-at-write"),
    features=("turn-reopen-v1", "turn-delivery-v1"),
    invariants=("one-final-message", "no-false-progress"),
)


def read(text: str, vocabulary: Vocabulary | None = HOOK) -> Scenario:
    """Parse a diagram of the tests."""
    return parse_scenario(text, "test.mmd", vocabulary)


def between(*lines: str) -> str:
    """A diagram with the usual four lifelines and these lines from line 6 on."""
    head = (
        "sequenceDiagram",
        "actor U as Alice",
        "participant IM as Slack",
        "participant S as server",
        "participant D as desktop",
    )
    return "\n".join((*head, *lines)) + "\n"
