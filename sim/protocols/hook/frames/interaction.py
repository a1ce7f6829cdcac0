"""Stage 10: questions of a running agent as cards with buttons (spec §5)."""

from __future__ import annotations

from sim.protocols.hook.constants import BUTTON_STYLES, MAX_INTERACTION_BUTTONS
from sim.protocols.hook.frames.envelope import DESKTOP_TO_SERVER, SERVER_TO_DESKTOP, HookBody
from sim.protocols.hook.predicates import NO_BAR
from sim.wire.declare import Record, message, record, wire
from sim.wire.spec import ANY_TEXT, SOME_TEXT, Choice, ListOf, Nested, Text


@record()
class Button(Record):
    """A button of a card; ids are unique within the card."""

    id: str = wire(Text(min=1, where=NO_BAR))
    label: str = wire(SOME_TEXT)
    style: str = wire(Choice(BUTTON_STYLES))


@message(
    "interaction.request",
    direction=DESKTOP_TO_SERVER,
    section="§5.10",
    example={
        "requestId": "r-1",
        "interactionId": "i-1",
        "kind": "plan_review",
        "title": "Plan",
        "body": "1. fix it",
        "buttons": [{"id": "yes", "label": "Go", "style": "primary"}],
    },
)
class InteractionRequest(HookBody):
    """Shows a card in the thread of a running task."""

    request_id: str = wire(SOME_TEXT)
    interaction_id: str = wire(SOME_TEXT)
    kind: str = wire(SOME_TEXT)
    title: str = wire(SOME_TEXT)
    body: str = wire(ANY_TEXT)
    buttons: tuple[Button, ...] = wire(
        ListOf(Nested(Button), min=1, max=MAX_INTERACTION_BUTTONS, unique_by="id")
    )


@message(
    "interaction.decision",
    direction=SERVER_TO_DESKTOP,
    section="§5.10",
    example={"requestId": "r-1", "interactionId": "i-1", "buttonId": "yes"},
)
class InteractionDecision(HookBody):
    """A button was pressed. Late and unknown ones are ignored."""

    request_id: str = wire(SOME_TEXT)
    interaction_id: str = wire(SOME_TEXT)
    button_id: str = wire(SOME_TEXT)


@message(
    "interaction.cancel",
    direction=DESKTOP_TO_SERVER,
    section="§5.10",
    example={"requestId": "r-1", "interactionId": "i-1", "reason": "timed out"},
)
class InteractionCancel(HookBody):
    """The question is settled at the desktop: take the buttons away, show the reason."""

    request_id: str = wire(SOME_TEXT)
    interaction_id: str = wire(SOME_TEXT)
    reason: str = wire(ANY_TEXT)
