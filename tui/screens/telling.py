"""What the workbench says and copies: help, pictures, a step as text, JSON, Mermaid, pytest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from sim.cli.drawing.plain import plain
from tui.plain import sentence
from tui.screens import help as helping
from tui.screens.menus import Ask, Entry, Menu, Reading
from tui.screens.scheduling import Scheduling
from tui.screens.view import View
from tui.session import Deed, Session
from tui.shot import screen_svg, screen_text


class Telling(Scheduling):
    """The part of the workbench that has to do with words."""

    @property
    def view(self) -> View:
        """The view that shows."""
        raise NotImplementedError

    # -- help ------------------------------------------------------------------------------

    def action_help(self) -> None:
        """All keys that work here."""
        contexts = ("run", "pane", self.view.CONTEXT)
        live = self.session.live is not None
        speech = self.app.speech  # type: ignore[attr-defined]
        self.app.push_screen(
            Reading(
                "keys",
                lambda width: helping.all_keys(contexts, speech, width, live=live),
            )
        )

    def action_here(self) -> None:
        """What is this screen?"""
        text = self.view.ABOUT
        speech = self.app.speech  # type: ignore[attr-defined]
        self.app.push_screen(
            Reading(self.view.CONTEXT, lambda width: helping.about(text, speech, width))
        )

    def action_shot(self) -> None:
        """Save the screen as SVG and as text."""
        name = f"hooktwin-{self.view.CONTEXT}-{self.state.step}"
        svg, text = Path(f"{name}.svg"), Path(f"{name}.txt")
        try:
            svg.write_text(screen_svg(self.app), encoding="utf-8")
            text.write_text(screen_text(self.app), encoding="utf-8")
        except OSError as error:
            self.say(f"cannot write the picture: {error}", "bad")
        else:
            self.say(f"wrote {svg} and {text}", "good")

    # -- copying -----------------------------------------------------------------------------

    def action_copy(self) -> None:
        """Copy this step in one of several forms."""
        session, step = self.session, self.state.step
        if not session.count:
            return
        entries = [Entry("copy", name, text[:60], text) for name, text in forms(session, step)]
        self.app.push_screen(Menu("copy this step", entries), self._copy)

    def _copy(self, text: str | None) -> None:
        if text is not None:
            self.app.copy_to_clipboard(text)
            self.say(f"copied {len(text)} characters", "good")

    # -- doing something as a person -------------------------------------------------------------

    def ask_answer(
        self, channel: str, person: str, buttons: tuple[tuple[str, str, str], ...]
    ) -> None:
        """Press one of these buttons, or write something."""
        if not buttons:
            note = f"what {person} writes to the bot on {channel}"
            self.app.push_screen(
                Ask(f"write as {person}", note), lambda text: self._wrote(channel, person, text)
            )
            return
        entries = [
            Entry(
                "press", f"{button}  ({message})", "", self._press(channel, person, message, button)
            )
            for _, message, button in buttons
        ]
        say = {"is": "say", "person": person, "channel": channel, "text": "yes"}
        entries.append(
            Entry(
                "write",
                "yes",
                "",
                Deed(self.state.step, f"{person} says yes", host=person, act=say),
            )
        )
        self.app.push_screen(Menu(f"answer as {person}", entries), self._struck)

    def _press(self, channel: str, person: str, message: str, button: str) -> Deed:
        act = {"is": "press", "person": person, "message": message, "button": button}
        act["channel"] = channel
        return Deed(self.state.step, f"{person} presses {button}", host=person, act=act)

    def _wrote(self, channel: str, person: str, text: str | None) -> None:
        if text:
            act = {"is": "say", "person": person, "channel": channel, "text": text}
            self.branch(Deed(self.state.step, f"{person} says {text[:20]}", host=person, act=act))

    def edit_frame(self, frame: Any) -> None:
        """Edit a frame and let a puppet send it; twins send only what is theirs."""
        if not self.session.count:
            return
        event: Any = self.session.event(self.state.step)
        sender = getattr(event, "sender", "")
        scenario = self.session.scenario
        puppet = scenario is not None and any(
            p.id == sender and p.puppet is not None for p in scenario.participants
        )
        if not isinstance(frame, dict) or not puppet:
            self.say(
                "only a puppet's frame can be edited and sent again: twins send their own", "warn"
            )
            return
        text = json.dumps(frame, ensure_ascii=False)
        receiver = event.receiver
        self.app.push_screen(
            Ask(f"edit and resend from {sender}", "JSON of the frame", text, check=_wrong_json),
            lambda told: self._resend(sender, receiver, told),
        )

    def _resend(self, sender: str, receiver: str, text: str | None) -> None:
        if text:
            act = {"is": "puppet-sends", "peer": receiver, "frame": json.loads(text)}
            self.branch(
                Deed(self.state.step, f"{sender} sends an edited frame", host=sender, act=act)
            )


def forms(session: Session, step: int) -> list[tuple[str, str]]:
    """A step in the forms in which somebody may want it."""
    event = session.event(step)
    row = session.diagram.row(step)
    header = session.trace.header
    without = "".join(f" --without {rule}" for rule in header.without)
    arrow = "-x" if row.arrow == "lost" else "->>"
    mermaid = f"{row.source}{arrow}{row.target}: {row.label}"
    off = list(header.without)
    test = (
        f'result = play("{header.scenario}", seed={header.seed}, without={off!r})\n'
        f"assert result.digest == {session.digest!r}"
    )
    found = [
        ("text", sentence(session, step)),
        ("JSON", json.dumps(plain(event), ensure_ascii=False)),
        ("Mermaid", mermaid),
        ("command", f"hooktwin run {header.scenario} --seed {header.seed}{without}"),
        ("pytest", test),
    ]
    frame = getattr(event, "frame", None)
    if frame is not None:
        found.insert(2, ("frame", msgspec.json.encode(plain(frame)).decode()))
    return found


def _wrong_json(text: str) -> str:
    try:
        value = json.loads(text)
    except ValueError as error:
        return f"no JSON: {error}"
    return "" if isinstance(value, dict) else "a frame is a JSON object"
