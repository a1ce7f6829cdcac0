"""Who decides what is done to a frame: rules, a scenario, or somebody at the keys."""

from __future__ import annotations

from functools import partial

from sim.live.proxy_book import Seen
from sim.live.proxy_faults import NEXT, FrameWord, NoSuchWord, Rule, Rules, Strike
from sim.live.proxy_link import Director, Link, Verdict


class RuleDirector(Director):
    """Carries out ``--fault`` rules, and what is asked for while it runs.

    ``others`` are asked as well (a scenario).
    """

    def __init__(self, rules: Rules, *others: Director) -> None:
        self.rules = rules
        self.others = others

    def opened(self, link: Link) -> None:
        """A connection has got its name."""
        for other in self.others:
            other.opened(link)

    def judge(self, link: Link, seen: Seen, message: str | bytes) -> Verdict:
        """A frame has come in."""
        verdict = Verdict()
        for other in self.others:
            verdict.add(other.judge(link, seen, message))
        for rule in self.rules.met_by(link.named.track, seen.by_client, seen.type, *seen.names):
            _apply(rule, link, verdict)
        return verdict

    def strike_next(self, strike: Strike) -> None:
        """The next frame that is no ping or pong, on whichever connection."""
        self.rules.add(Rule(f"{strike.verb}:{NEXT}", FrameWord(NEXT), strike))


def _apply(rule: Rule, link: Link, verdict: Verdict) -> None:
    strike = rule.strike
    if strike.is_of_frame:
        verdict.on_frame.append(strike)
    elif rule.before:
        verdict.before.append(strike)
    else:
        verdict.after.append(partial(link.strike, strike))


def find_links(links: list[Link], wanted: str) -> list[Link]:
    """Those that a word means: ``D.slack#2``, ``D.slack``, ``D``, ``newest``, ``all``.

    Raises NoSuchWord naming those that are there.
    """
    if not links:
        raise NoSuchWord("no connection is open: a client has to connect", ())
    if wanted in ("newest", ""):
        return links[-1:]
    if wanted == "all":
        return list(links)
    found = [
        link for link in links if wanted in (link.named.link, link.named.track, link.named.client)
    ]
    if not found:
        there = tuple(link.named.link for link in links)
        raise NoSuchWord(f"no connection {wanted!r} is open", (*there, "newest", "all"))
    return found
