"""The agent's questions: cards in the channel, decided here (section 11).

What a button means, the time limit and the safe default never leave the
desktop (HK-12). Whoever takes a card out of ``work.cards`` has decided it, so
the first answer wins.
"""

from __future__ import annotations

from sim.core.op import Note, StartTimer, StopTimer
from sim.protocols.hook import Button, InteractionCancel, InteractionDecision, InteractionRequest
from sim.protocols.hook.acts import AgentAsks, AnswerCard
from sim.protocols.hook.desktop import progress
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.progress import cut
from sim.protocols.hook.desktop.records import Card, Lane, Round, Task, Turn
from sim.protocols.hook.desktop.settings import DesktopSettings

Buttons = tuple[tuple[str, str, str], ...]

DEFAULT_BUTTONS: dict[str, Buttons] = {
    "ask_user_question": (("ask:continue", "Continue", "primary"),),
    "plan_review": (("plan:approve", "Approve", "primary"), ("plan:reject", "Reject", "danger")),
    "permission": (
        ("perm:allow", "Allow", "primary"),
        ("perm:always", "Always allow", "default"),
        ("perm:deny", "Deny", "danger"),
    ),
}
# What a card that nobody answers is taken to say. Nothing is ever granted by default.
SAFE_DEFAULT = {"plan_review": "plan:reject", "permission": "perm:deny"}
NO_ANSWER_BUTTON = ""
GRANT = {"plan_review": "plan:approve", "permission": "perm:allow"}
ALWAYS = "perm:always"
STYLES = ("primary", "danger", "default")


async def ask(desk: Desk, turn: Turn, act: AgentAsks) -> None:
    """Open a card. In a continuation it stays on the desktop (HK-174).

    The request is sent once; offline it is lost, and the time limit decides.
    """
    asked = (act.title, act.body)
    if act.kind == "permission" and asked in (turn.session.allowed or ()):
        fact = {"did": "answered", "card": "", "button": ALWAYS, "by": "an earlier answer"}
        await desk.perform(Note("agent", {**fact, "request": turn.request_id}))
        return
    buttons = buttons_of(act, desk.settings)
    card = Card(desk.port.new_id(), turn, act.kind, tuple(id for id, _, _ in buttons), asked)
    desk.work.cards[card.id] = card
    if not isinstance(turn, Round) or not desk.rules.no_cards_in_rounds:
        await desk.send_turn(turn.lane, request_for(card, turn, act, buttons, desk.settings))
    if card.id in desk.work.cards:
        after = desk.settings.card_timeout_us
        await desk.perform(StartTimer("card", card.id, after, background=True))
        await _tell_waiting(desk, turn)


def buttons_of(act: AgentAsks, settings: DesktopSettings) -> Buttons:
    """The buttons that a card may carry: few, with unique ids and without ``|`` (HK-140)."""
    wanted = act.buttons or DEFAULT_BUTTONS.get(act.kind, ())
    chosen = {
        id: (id, cut(label or id, settings.button_label_chars), style)
        for id, label, style in wanted
        if id and "|" not in id
    }
    most = settings.card_buttons
    if act.kind == "ask_user_question":
        most = min(most, settings.question_options)
    return tuple(chosen.values())[:most] or DEFAULT_BUTTONS["ask_user_question"]


def request_for(
    card: Card, turn: Turn, act: AgentAsks, buttons: Buttons, settings: DesktopSettings
) -> InteractionRequest:
    """The frame that shows a card."""
    body = act.body
    if act.kind == "plan_review":
        body = cut(body, settings.plan_body_chars)
    elif act.kind == "permission":
        body = cut(body, settings.permission_body_chars)
    return InteractionRequest(
        request_id=turn.request_id,
        interaction_id=card.id,
        kind=act.kind or "ask_user_question",
        title=cut(act.title or "Question", settings.card_title_chars),
        body=body,
        buttons=tuple(
            Button(id=id, label=label, style=style if style in STYLES else "default")
            for id, label, style in buttons
        ),
    )


async def settle(desk: Desk, card: Card, button: str, by: str, withdrawn: str = "") -> None:
    """Decide a card, if it is still open. ``withdrawn`` says why its buttons come off.

    The cancel is written in the same breath: a moment later turn.end could be out.
    """
    turn = card.turn
    if card.id not in desk.work.cards:
        return
    if desk.rules.first_answer_wins or by != "channel":
        del desk.work.cards[card.id]
    if button == ALWAYS:
        turn.session.allowed = {**(turn.session.allowed or {}), card.asked: None}
    if withdrawn and not isinstance(turn, Round):
        cancel = InteractionCancel(
            request_id=turn.request_id, interaction_id=card.id, reason=withdrawn
        )
        await desk.send_turn(turn.lane, cancel)
    await desk.perform(StopTimer("card", card.id))
    fact = {"did": "answered", "card": card.id, "button": button, "by": by}
    await desk.perform(Note("agent", {**fact, "request": turn.request_id}))
    await _tell_waiting(desk, turn)


async def _tell_waiting(desk: Desk, turn: Turn) -> None:
    """Show in the channel that the task waits, or no longer does."""
    if isinstance(turn, Task) and progress.is_open(turn):
        await progress.refresh(desk, turn)


async def decided(desk: Desk, lane: Lane, frame: InteractionDecision) -> None:
    """A press in the channel; what is late, unknown or foreign is ignored (HK-47, HK-142)."""
    card = desk.work.cards.get(frame.interaction_id)
    if card is None or card.turn.request_id != frame.request_id or card.turn.lane is not lane:
        return
    if frame.button_id in card.buttons:
        await settle(desk, card, frame.button_id, "channel")


async def answered_here(desk: Desk, act: AnswerCard) -> None:
    """The person answers on the desktop: the latest card that has such a button."""
    for card in reversed(list(desk.work.cards.values())):
        if act.button in card.buttons:
            await settle(desk, card, act.button, "desktop", "answered on the desktop")
            return


def default_of(desk: Desk, card: Card) -> str:
    """What silence means for a card (HK-12)."""
    defaults = SAFE_DEFAULT if desk.rules.safe_default else GRANT
    return defaults.get(card.kind, NO_ANSWER_BUTTON)


async def timed_out(desk: Desk, card_id: str) -> None:
    """Nobody answered for 30 minutes: the safe default."""
    card = desk.work.cards.get(card_id)
    if card is not None:
        await settle(desk, card, default_of(desk, card), "time limit", "timed out")


async def close_all(desk: Desk, turn: Turn) -> None:
    """The turn closes: its open cards get the safe default, before turn.end (HK-143)."""
    reason = "the task has ended" if desk.rules.cancel_cards_at_end else ""
    for card in [c for c in desk.work.cards.values() if c.turn is turn]:
        await settle(desk, card, default_of(desk, card), "turn end", reason)
