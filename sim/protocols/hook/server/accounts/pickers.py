"""Cards of the server's own: what somebody may choose from after a command.

A picker is stored before it is shown; whoever gave the command may press, once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sim.channel.api import Button, ButtonPressed
from sim.core.op import Erase, Save, Spawn
from sim.protocols.hook.constants import MAX_INTERACTION_BUTTONS
from sim.protocols.hook.server.accounts.reach import Reach
from sim.protocols.hook.server.accounts.rows import CommandRow, PickerRow
from sim.protocols.hook.server.line import Line, Picture
from sim.protocols.hook.server.texts import cut
from sim.protocols.hook.server.writing import Writing

KEPT = 1_000
"""So many pickers are remembered; older ones take no presses."""


class Picker:
    """One picker; it is the claim on its own message. ``choices`` pair with ``buttons``."""

    __slots__ = (
        "buttons", "choices", "command", "line", "outcome", "text", "workspace", "written",
    )  # fmt: skip

    def __init__(
        self,
        command: CommandRow,
        workspace: str,
        text: str,
        options: list[tuple[str, tuple[str, ...]]],
    ) -> None:
        self.command = command
        self.workspace = workspace
        self.text = text
        shown = options[:MAX_INTERACTION_BUTTONS]
        self.buttons = tuple(Button(f"c{i}", cut(label, 75)) for i, (label, _) in enumerate(shown))
        self.choices = tuple(choice for _, choice in shown)
        self.outcome = ""
        self.written = False
        self.line = Line(self, command.channel, command.chat, command.thread, command.event, "card")

    @property
    def row_key(self) -> str:
        return f"picker/{self.command.event}"

    def row(self) -> PickerRow:
        """The durable form, as of now."""
        c = self.command
        return PickerRow(
            c.event, c.channel, c.lane, c.chat, c.thread, c.person, c.team, c.word,
            self.workspace, self.text, self.buttons, self.choices, self.line.message,
            self.outcome, self.written,
        )  # fmt: skip

    def picture(self) -> Picture:
        """With buttons, or with what was chosen."""
        if not self.outcome:
            return Picture(self, self.text, buttons=self.buttons, by=self.command.event)
        text = f"{self.text}\n{self.outcome}"
        return Picture(self, text, final=True, by=self.command.event)


Chosen = Callable[[Picker, tuple[str, ...]], Awaitable[None]]


class Pickers:
    """The server's book of its own cards. ``chosen`` is told what was picked."""

    __slots__ = ("_by_event", "_by_message", "chosen", "reach", "writing")

    def __init__(self, reach: Reach, writing: Writing) -> None:
        self.reach = reach
        self.writing = writing
        self.chosen: Chosen | None = None
        self._by_event: dict[str, Picker] = {}
        self._by_message: dict[tuple[str, str], Picker] = {}
        earlier = writing.posting.on_posted

        def posted(line: Line) -> None:
            if type(line.subject) is Picker:
                self._posted(line)
            elif earlier is not None:
                earlier(line)

        writing.posting.on_posted = posted

    def read(self) -> None:
        """Read what is stored."""
        for _, row in self.reach.port.store.items("picker/"):
            command = CommandRow(
                row.event, row.channel, row.lane, row.chat, row.thread, row.person, row.team,
                row.word, 0,
            )  # fmt: skip
            picker = Picker(command, row.workspace, row.text, [])
            picker.buttons, picker.choices = row.buttons, row.choices
            picker.outcome, picker.written = row.outcome, row.written
            picker.line.message = row.message
            picker.line.posts = 1
            self._by_event[row.event] = picker
            if row.message:
                self._by_message[row.channel, row.message] = picker

    async def resume(self) -> None:
        """Show outcomes that were not written yet."""
        for picker in tuple(self._by_event.values()):
            if picker.outcome and not picker.written and picker.line.message:
                await self._show(picker)

    def made(self, event: str) -> bool:
        """Whether this command has got its picker already."""
        return event in self._by_event

    async def offer(self, picker: Picker) -> None:
        """Store and show a picker."""
        self._by_event[picker.command.event] = picker
        if len(self._by_event) > KEPT:
            oldest = self._by_event.pop(next(iter(self._by_event)))
            self._by_message.pop((oldest.line.channel, oldest.line.message), None)
            await self.reach.actor.perform(Erase(oldest.row_key))
        self.reach.memory.unposted_cards += 1
        await self.reach.actor.perform(Save(picker.row_key, picker.row()))
        await self._show(picker)

    def _posted(self, line: Line) -> None:
        self.reach.memory.unposted_cards -= 1
        self._by_message[line.channel, line.message] = line.subject

    async def press(self, channel: str, press: ButtonPressed) -> bool:
        """Take a press on a picker; whether it was on one at all."""
        picker = self._by_message.get((channel, press.message))
        if picker is None:
            return False
        index = next((i for i, b in enumerate(picker.buttons) if b.id == press.button), None)
        if index is None or picker.outcome or press.person != picker.command.person:
            return True
        picker.outcome = f"{picker.buttons[index].label} ({press.person})"
        if self.chosen is not None:
            await self.chosen(picker, picker.choices[index])
        await self.reach.actor.perform(Save(picker.row_key, picker.row()))
        await self._show(picker)
        return True

    async def _show(self, picker: Picker) -> None:
        run = self.writing.show(picker.line, picker.picture())
        await self.reach.actor.perform(Spawn(f"picker {picker.command.event}", run))
