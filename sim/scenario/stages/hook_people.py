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
                return Direction(person, Say(person, act.text or ""))
            case "group":
                return Direction(person, Say(person, act.text or "", None, to_bot=False))
            case "reply":
                return self._reply(person, act, act.text or "")
            case verb if verb in SLASH:
                command = f"/{verb} {act.word}" if act.word else f"/{verb}"
                return self._reply(person, act, command)
            case _:
                return NotYet(f"{act.verb!r} has no place in a Slack channel of this version")

    def _reply(self, person: str, act: Act, text: str) -> Direction | NotYet:
        """In the thread of the named request, else in that of the last one."""
        if act.name is None:
            said = self.ledger.last_said
            if said is None:
                return NotYet("nobody has written to the bot, so there is no thread yet")
            # The first message of a direct chat opens no thread.
            return Direction(person, Say(person, text, said.thread, chat=said.chat))
        named = self.names.get(act.name.text)
        if named is None:
            return NotYet(f"{act.name.text} is not bound to a request")
        found = self.view.thread_of(str(named))
        if found is None:
            return NotYet(f"no thread of {act.name.text} is known")
        _, chat, thread = found
        return Direction(person, Say(person, text, thread, chat=chat))

    def _delete(self, person: str, act: Act) -> Direction | NotYet:
        name = act.name.text if act.name is not None else ""
        real = self.names.get(name)
        if real is None:
            return NotYet(f"{name} is not bound")
        message = self.view.card_of(str(real)) or self.view.message_of(str(real))
        if message is None:
            return NotYet(f"no message of {name} shows")
        return Direction(person, Remove(person, message.id))

    def _press(self, person: str, act: Act) -> Direction | NotYet:
        """A card by its name, or a button by label or id on the newest card that has it."""
        cards = list(reversed(self.view.cards.values()))
        if act.name is not None:
            real = self.names.get(act.name.text)
            if real is not None or act.remark is None:
                cards = [card for card in cards if card.interaction == real]
            if not cards:
                return NotYet(f"no card {act.name.text} is known")
        shown = [self.view.card_of(card.interaction) for card in cards]
        for message in shown:
            button = _chosen(act, _buttons_ever(message)) if message is not None else None
            if message is not None and button is not None:
                return Direction(person, Press(person, message.id, button.id))
        if act.word is not None and any(message is not None for message in shown):
            return NotYet(f"no card has a button {act.word!r}")
        return NotYet("no card shows yet")


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
