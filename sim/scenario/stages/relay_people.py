"""What people do at controllers and nodes, as acts."""

from __future__ import annotations

from sim.protocols.relay import acts
from sim.scenario.playing.match import Names
from sim.scenario.playing.stage import Direction, NotYet
from sim.scenario.syntax import Act, Arrow
from sim.scenario.values import duration_of

MS = 1_000


def does(arrow: Arrow, act: Act, names: Names) -> Direction | NotYet:
    """The act of the lifeline at which it is done; NotYet while it is impossible."""
    host = arrow.target
    match act.verb:
        case "quit":
            return Direction(host, verb="crash")
        case "start":
            return Direction(host, verb="restart")
        case "close":
            tab = names.get(act.name.text) if act.name is not None else act.word
            if tab is None:
                return NotYet(f"{act.name.text if act.name else ''} is not bound to a tab")
            return Direction(host, acts.CloseTab(str(tab)))
        case "say":
            return Direction(host, acts.SayText(act.text or ""))
        case "login" | "decline" | "logout":
            return Direction(host, _SITES[act.verb](act.word or ""))
        case _:
            return Direction(host, _directed(act))


_SITES = {"login": acts.SignIn, "decline": acts.DeclineSignIn, "logout": acts.SignOut}
_PLAIN: dict[str, acts.Act] = {
    "connect": acts.Connect(),
    "disconnect": acts.Disconnect(),
    "redial": acts.Redial(),
    "mute": acts.SwitchPings(on=False),
    "unmute": acts.SwitchPings(on=True),
    "insist": acts.RefuseCancels(on=True),
    "relent": acts.RefuseCancels(on=False),
}


def _directed(act: Act) -> acts.Act:
    words = (*act.words, "", "")
    match act.verb:
        case "slow":
            return acts.SlowDown(duration_of(words[0]) // MS, words[1])
        case "fail":
            return acts.FailNext(words[0], action=words[1])
        case "hang":
            return acts.HangNext(words[0])
        case verb:
            return _PLAIN[verb]
