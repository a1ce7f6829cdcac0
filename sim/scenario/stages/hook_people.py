"""What people do, as acts: on which channel, where a reply goes, which button is meant.

The channel is the one that the arrow names, else the first; what is done to a
certain request or card happens where that stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar
from urllib.parse import parse_qs, urlsplit

import msgspec

from sim.channel.api import Authorize, Button, Press, Remove, Say
from sim.channel.history import ShownMessage
from sim.protocols.hook import acts
from sim.protocols.hook.view import HookView
from sim.scenario.playing.match import Names
from sim.scenario.playing.stage import Direction, NotYet
from sim.scenario.stages.hook_cast import Cast
from sim.scenario.stages.hook_ledger import Ledger
from sim.scenario.syntax import Act, Arrow

SLASH = ("stop", "new", "bind", "model", "effort", "session")

Done = TypeVar("Done", Say, Press, Remove, Authorize)


class People:
    """Turns a person's arrow into the act of a host."""

    def __init__(self, cast: Cast, view: HookView, names: Names, ledger: Ledger) -> None:
        self.cast = cast
        self.view = view
        self.names = names
        self.ledger = ledger

    def does(self, arrow: Arrow, act: Act) -> Direction | NotYet:
        """The act of a person in a channel or at a desktop; NotYet while it is impossible."""
        if act.verb in ("retry", "type", "answer", "quit", "start", "login", "workspaces"):
            return self._at_desktop(arrow, act)
        return self._in_channel(arrow, act)

    # -- at the desktop ----------------------------------------------------------------

    def _desktop(self, arrow: Arrow) -> str:
        for end in (arrow.target, arrow.source):
            if end in self.cast.desktops:
                return end
        return self.cast.desktop_of(self.cast.person_of(arrow))

    def _at_desktop(self, arrow: Arrow, act: Act) -> Direction | NotYet:
        desktop = self._desktop(arrow)
        match act.verb:
            case "quit":
                return Direction(desktop, verb="crash")
            case "start":
                return Direction(desktop, verb="restart")
            case "retry":
                return self._retry(desktop, act)
            case "type":
                return Direction(desktop, acts.TypeText(act.text or ""))
            case "answer":
                return Direction(desktop, acts.AnswerCard(act.word or ""))
            case "login":
                return Direction(desktop, acts.Login(act.word or ""))
            case _:
                aliases = tuple(word for word in act.words if word != "chat")
                return Direction(desktop, acts.ChangeWorkspaces(("chat", *aliases)))

    def _retry(self, desktop: str, act: Act) -> Direction | NotYet:
        named = self.names.get(act.name.text) if act.name is not None else None
        if named is not None:
            return Direction(desktop, acts.Retry(str(named)))
        failed = self.ledger.newest(desktop, ended=True)
        if failed is None:
            return NotYet(f"no task has ended on {desktop}, so there is nothing to retry")
        return Direction(desktop, acts.Retry(failed.request))

    # -- in a channel ------------------------------------------------------------------

    def _in_channel(self, arrow: Arrow, act: Act) -> Direction | NotYet:
        person, channel = self.cast.person_of(arrow), self.cast.channel_of(arrow)
        match act.verb:
            case "press":
                return self._press(person, channel, act)
            case "delete":
                return self._delete(person, act)
            case "message":
                return self._does(channel, Say(person, act.text or ""))
            case "group":
                return self._does(channel, Say(person, act.text or "", None, to_bot=False))
            case "reply":
                return self._reply(person, channel, act, act.text or "")
            case verb if verb in SLASH:
                command = f"/{verb} {act.word}" if act.word else f"/{verb}"
                return self._reply(person, channel, act, command)
            case _:
                return self._authorize(person, channel, act)

    def _does(self, channel: str, act: Done) -> Direction:
        """Somebody on several channels has to be told on which."""
        if len(self.cast.channels) > 1:
            act = msgspec.structs.replace(act, channel=channel)
        return Direction(act.person, act)

    def _authorize(self, person: str, channel: str, act: Act) -> Direction | NotYet:
        """Open the newest link that shows on a desktop within reach, and say yes or no."""
        lane = self.cast.channels[channel]
        desktops = self.cast.within_reach(person)
        url = self.ledger.newest_link(lane, desktops)
        if url is None:
            return NotYet(f"no link for {channel} shows on {' or '.join(desktops)}")
        decline = act.verb == "decline"
        return self._does(channel, Authorize(person, secret_of(url), act.word or "", decline))

    def _reply(self, person: str, channel: str, act: Act, text: str) -> Direction | NotYet:
        """In the thread or chat of the named request, else in that of the last one."""
        if act.name is None:
            said = self.ledger.last_said(channel, person)
            if said is None:
                return NotYet("nobody has written to the bot, so there is no thread yet")
            # The first message of a direct chat opens no thread.
            return self._does(channel, Say(person, text, said.thread, chat=said.chat))
        named = self.names.get(act.name.text)
        if named is None:
            return NotYet(f"{act.name.text} is not bound to a request")
        found = self.view.thread_of(str(named))
        if found is None:
            return NotYet(f"no thread of {act.name.text} is known")
        where, chat, thread = found
        return self._does(where, Say(person, text, thread, chat=chat))

    def _delete(self, person: str, act: Act) -> Direction | NotYet:
        name = act.name.text if act.name is not None else ""
        real = self.names.get(name)
        if real is None:
            return NotYet(f"{name} is not bound")
        message = self.view.card_of(str(real)) or self.view.message_of(str(real))
        if message is None:
            return NotYet(f"no message of {name} shows")
        return self._does(message.channel, Remove(person, message.id))

    def _press(self, person: str, channel: str, act: Act) -> Direction | NotYet:
        """A card by its name, or a button by label or id on the newest card that has it."""
        shown = list(self._cards_in(channel))
        real = self.names.get(act.name.text) if act.name is not None else None
        if act.name is not None and (real is not None or act.remark is None):
            if real not in self.view.cards:
                return NotYet(f"no card {act.name.text} is known")
            card = self.view.card_of(str(real))
            shown = [] if card is None else [card]
        for message in shown:
            button = _chosen(act, _buttons_ever(message))
            if button is not None:
                return self._does(message.channel, Press(person, message.id, button.id))
        if act.word is not None and shown:
            return NotYet(f"no card has a button {act.word!r}")
        return NotYet("no card shows yet")

    def _cards_in(self, channel: str) -> Iterator[ShownMessage]:
        """Everything with buttons that the bot has posted here, newest first: pickers too."""
        for message in reversed(self.view.history.messages.values()):
            if message.by_bot and message.role == "card" and message.channel == channel:
                yield message


def _chosen(act: Act, buttons: tuple[Button, ...]) -> Button | None:
    """The button that is meant: by id or label; else one that the prose names; else the first."""
    if act.word is not None:
        return next((b for b in buttons if act.word in (b.id, b.label)), None)
    prose = (act.remark or "").casefold()
    named = (b for b in buttons if b.label.casefold() in prose)
    return next(named, next(iter(buttons), None))


def _buttons_ever(message: ShownMessage) -> tuple[Button, ...]:
    """All buttons that a card had, newest look first: a stale one can be pressed too."""
    for version in reversed(message.versions):
        if version.buttons:
            return version.buttons
    return ()


def secret_of(url: str) -> str:
    """What a sign-in link or deep link is known by: its ``start`` or ``state``, else all of it."""
    query = parse_qs(urlsplit(url).query)
    return next((query[name][0] for name in ("start", "state") if name in query), url)
