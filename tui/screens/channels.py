"""Channels: what people see, with what they do not see below each message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal

from tui.drawing import channels
from tui.drawing.lines import Line, line
from tui.keys import bindings
from tui.screens.view import BranchAsked, State, View, Wanted
from tui.session import Deed, Session
from tui.widgets.pane import Pane
from tui.widgets.step_view import StepTo

TITLES = {"slack": "slack  thread", "telegram": "telegram  chat", "x": "x  posts"}
NOTES = {
    "slack": "bot edits allowed",
    "telegram": "inline keyboard",
    "x": "280 chars, no edits",
}


class ChannelPane(Pane):
    """One channel at the present step."""

    def __init__(self, channel: str, kind: str) -> None:
        super().__init__(f"{channel}  {TITLES[kind]}", id=f"channel-{_identifier(channel)}")
        self.channel, self.kind = channel, kind
        self.session: Session | None = None
        self.step = 0
        self.unfolded = False

    def show(self, session: Session, step: int) -> None:
        """Another step: the newest lines are what one wants to see."""
        self.session, self.step = session, step
        self.changed()
        self.titled(f"{self.channel}  {TITLES[self.kind]}", NOTES[self.kind])
        if self.chosen < 0:
            self.top = max(len(self.content) - self.size.height, 0)

    def lines(self, width: int) -> Sequence[Line]:
        if self.session is None:
            return ()
        if not self.session.know(self.step):
            told = f"reading the run: {self.session.chronicle.steps / self.session.count:.0%}"
            return [line((told, "dim"))]
        chosen = self._row[2] if self._row else ""
        look = channels.Look(self.session, self.step, width, chosen, self.unfolded)
        found = channels.draw(look, self.channel, self.kind)
        return found or [line(("nobody has written yet", "dim"))]

    _row: Any = None

    def moved(self) -> None:
        self._row = self.chosen_row
        self._lines = None
        self.refresh()

    def action_enter(self) -> None:
        self.unfolded = not self.unfolded
        self._lines = None
        self.refresh()


class ChannelsView(View):
    """One pane per channel."""

    CONTEXT = "channels"
    NEEDS_CHRONICLE = True
    ABOUT = (
        "The chat channels as people see them at this step. Below each message of the bot: "
        "its state as a word, its id and request, who may change it (owner), on whose "
        "behalf it was written, its history, and edits that are still in flight. Buttons "
        "can be clicked: a press makes a branch; in a session that is going on it happens "
        "there, at once. a writes or presses as a person."
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("channels")]

    _shown: tuple[tuple[str, str], ...] = ()

    def compose(self) -> ComposeResult:
        yield Horizontal(id="channel-panes")

    def show(self, state: State) -> None:
        super().show(state)
        wanted = tuple(channels.channels_of(state.session))
        if wanted != self._shown:
            self._shown = wanted
            self.call_later(self._rebuild)
            return
        for pane in self.query(ChannelPane):
            pane.show(state.session, state.step)

    async def _rebuild(self) -> None:
        """Another run has other channels."""
        place = self.query_one("#channel-panes", Horizontal)
        await place.remove_children()
        await place.mount_all([ChannelPane(name, kind) for name, kind in self._shown])
        self.bring()
        if self.state is not None:
            for pane in self.query(ChannelPane):
                pane.show(self.state.session, self.state.step)
        self.focus_pane()

    def told(self) -> str:
        return f"{len(self._shown)} channels, one run" if len(self._shown) > 1 else ""

    def hint(self) -> str:
        if not self._shown:
            return "nobody chats in this run: what its hosts hold in mind is in view 4"
        return (
            "words beside every colour: [in progress] [ok] [error] [interrupted]"
            "     ! written by one that is not the owner"
        )

    # -- doing something as a person ---------------------------------------------------------

    def on_pane_acted(self, message: Pane.Acted) -> None:
        """A button of a card."""
        what, argument = message.act
        if what == "press":
            message.stop()
            self.press(*argument)

    def press(self, channel: str, message: str, button: str) -> None:
        """Press a button as the person who is on that channel."""
        if self.state is None:
            return
        person = self._person(channel)
        if not person:
            self.post_message(Wanted("say", "no person is on this channel", "warn"))
            return
        act = {"is": "press", "person": person, "message": message, "button": button}
        act["channel"] = channel
        label = f"{person} presses {button} on {message}"
        self.post_message(BranchAsked(Deed(self.state.step, label, host=person, act=act)))

    def _person(self, channel: str) -> str:
        """Who has written there, or the first person of the run."""
        assert self.state is not None
        for one in self.state.session.chronicle.messages(self.state.step):
            if one.message.channel == channel and not one.message.by_bot:
                return one.message.author
        people = [name for name, kind in self.state.session.lanes() if kind == "person"]
        return people[0] if people else ""

    def action_answer(self) -> None:
        """Press the first button of the chosen message, or write into the channel."""
        pane = self.screen.focused
        if not isinstance(pane, ChannelPane) or self.state is None:
            return
        buttons = [
            span.act[1]
            for one in pane.content
            for span in one.spans
            if span.act is not None and span.act[0] == "press"
            if pane._row is None or one.row == pane._row
        ]
        self.post_message(
            Wanted("answer", pane.channel, self._person(pane.channel), tuple(buttons))
        )

    def action_owner(self) -> None:
        """To the step since which the message has its owner."""
        pane = self.screen.focused
        if self.state is None or not isinstance(pane, ChannelPane) or pane._row is None:
            self.post_message(Wanted("say", "choose a message with j and k first", "warn"))
            return
        since = self.state.session.chronicle.owner_since(
            pane.channel, pane._row[2], self.state.step
        )
        if since is not None:
            self.post_message(StepTo(since))

    def action_diagram(self) -> None:
        self.post_message(Wanted("view", "replay"))

    def action_why(self) -> None:
        self.post_message(Wanted("why"))

    def action_then(self) -> None:
        self.post_message(Wanted("then"))


def _identifier(name: str) -> str:
    return "".join(sign if sign.isalnum() and sign.isascii() else f"-{ord(sign)}" for sign in name)
