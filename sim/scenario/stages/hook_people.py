"""What people do, as acts: where a reply goes, which button is meant."""

from __future__ import annotations

from sim.channel.api import Button, Press, Remove, Say
from sim.channel.history import ShownMessage
from sim.protocols.hook import acts
from sim.protocols.hook.view import HookView
from sim.scenario.playing.match import Names
from sim.scenario.playing.stage import Direction, NotYet
from sim.scenario.stages.hook_cast import Cast
from sim.scenario.stages.hook_ledger import Ledger
from sim.scenario.syntax import Act, Arrow

SLASH = ("stop", "new", "bind", "model", "effort", "session")


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
        person = arrow.source if arrow.source in self.cast.persons else self.cast.persons[0]
        index = self.cast.persons.index(person)
        return self.cast.desktops[min(index, len(self.cast.desktops) - 1)]

    def _at_desktop(self, arrow: Arrow, act: Act) -> Direction | NotYet:
        desktop = self._desktop(arrow)
        match act.verb:
            case "quit":
                return Direction(desktop, verb="crash")
            case "start":
                return Direction(desktop, verb="restart")
            case "retry":
                return self._retry(desktop)
            case "type":
                return Direction(desktop, acts.TypeText(act.text or ""))
            case "answer":
                return Direction(desktop, acts.AnswerCard(act.word or ""))
            case "login":
                return Direction(desktop, acts.Login(act.word or ""))
            case _:
                aliases = tuple(word for word in act.words if word != "chat")
                return Direction(desktop, acts.ChangeWorkspaces(("chat", *aliases)))

    def _retry(self, desktop: str) -> Direction | NotYet:
        failed = self.ledger.newest(desktop, ended=True)
        if failed is None:
            return NotYet(f"no task has ended on {desktop}, so there is nothing to retry")
        self.ledger.armed[desktop] = None
        return Direction(desktop, acts.Retry(failed.request))

    # -- in a channel ------------------------------------------------------------------

    def _person(self, arrow: Arrow) -> str:
        return arrow.source if arrow.source in self.cast.persons else self.cast.persons[0]

    def _in_channel(self, arrow: Arrow, act: Act) -> Direction | NotYet:
        person = self._person(arrow)
        match act.verb:
            case "press":
                return self._press(person, act)
            case "delete":
                return self._delete(person, act)
            case "message":
                return self._say(person, act.text or "", None)
            case "group":
                return Direction(person, Say(person, act.text or "", None, to_bot=False))
            case "reply":
                return self._reply(person, act)
            case verb if verb in SLASH:
                command = f"/{verb} {act.word}" if act.word else f"/{verb}"
                return self._in_thread(person, command, None)
            case _:
                return NotYet(f"{act.verb!r} has no place in a Slack channel of this version")

    def _say(self, person: str, text: str, thread: str | None) -> Direction:
        self.ledger.spoken += 1
        return Direction(person, Say(person, text, thread))

    def _reply(self, person: str, act: Act) -> Direction | NotYet:
        named = None
        if act.name is not None:
            named = self.names.get(act.name.text)
            if named is None:
                return NotYet(f"{act.name.text} is not bound to a request")
        return self._in_thread(person, act.text or "", named, counts=True)

    def _in_thread(
        self, person: str, text: str, request: str | None, *, counts: bool = False
    ) -> Direction | NotYet:
        """In the thread of that request, else of the last one of this person."""
        if request is None:
            request = next(reversed(self.view.requests), None)
        found = self.view.thread_of(request) if request is not None else None
        if found is None:
            said = self.view.said_by(person)
            if not said:
                return NotYet("there is no thread yet")
            last = said[-1]
            thread, chat = last.thread or last.id, last.chat
        else:
            chat, thread = found[1], found[2] or ""
        if counts:
            self.ledger.spoken += 1
        return Direction(person, Say(person, text, thread or None, chat=chat))

    def _delete(self, person: str, act: Act) -> Direction | NotYet:
        name = act.name.text if act.name is not None else ""
        real = self.names.get(name)
        if real is None:
            return NotYet(f"{name} is not bound")
        message = self.view.card_of(real) if real in self.view.cards else self.view.message_of(real)
        if message is None:
            return NotYet(f"no message of {name} shows")
        return Direction(person, Remove(person, message.id))

    def _press(self, person: str, act: Act) -> Direction | NotYet:
        """A card by its name, or a button by label or id on the newest card that has it."""
        cards = list(reversed(self.view.cards.values()))
        wanted = act.word
        if act.name is not None:
            real = self.names.get(act.name.text)
            cards = [card for card in cards if card.interaction == real]
            if not cards:
                return NotYet(f"no card {act.name.text} is known")
        for card in cards:
            message = self.view.card_of(card.interaction)
            if message is None:
                continue
            for button in _buttons_ever(message):
                if wanted is None or wanted in (button.id, button.label):
                    return Direction(person, Press(person, message.id, button.id))
        if act.name is None and wanted is not None and cards:
            return NotYet(f"no card has a button {wanted!r}")
        return NotYet("no card shows yet")


def _buttons_ever(message: ShownMessage) -> tuple[Button, ...]:
    """All buttons that a card had, newest look first: a stale one can be pressed too."""
    for version in reversed(message.versions):
        if version.buttons:
            return version.buttons
    return ()
