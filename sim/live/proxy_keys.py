"""Single keys for whoever sits before a running proxy."""

from __future__ import annotations

from collections.abc import Callable

from sim.live.proxy import Proxy
from sim.live.proxy_director import RuleDirector
from sim.live.proxy_faults import Strike
from sim.live.proxy_link import Link

HELP = (
    "c cut the newest connection    r reset it (RST)    o half-open, or heal it",
    "h hold its frames, both ways, or release them",
    "l lose the next frame    d duplicate it    1…9 delay it by so many seconds",
    "s show the connections    ? this help    Ctrl-C end",
)


class Keys:
    """What each key does. ``say`` gets what was done."""

    def __init__(self, proxy: Proxy, director: RuleDirector, say: Callable[[str], None]) -> None:
        self._proxy = proxy
        self._director = director
        self._say = say
        self._of_link: dict[str, Callable[[Link], None]] = {
            "c": lambda link: self._cut(link, "fin"),
            "r": lambda link: self._cut(link, "rst"),
            "o": self._half_open,
            "h": self._hold,
        }

    def press(self, key: str) -> None:
        """A key was pressed; one without a meaning shows the help."""
        if key in self._of_link:
            if self._proxy.links:
                self._of_link[key](self._proxy.links[-1])
            else:
                self._say("no connection is open")
        elif key == "l":
            self._next(Strike("lose"), "will be lost")
        elif key == "d":
            self._next(Strike("duplicate"), "will arrive twice")
        elif key in "123456789" and key:
            self._next(Strike("delay", wait_s=float(key)), f"will be {key} s late")
        elif key == "s":
            self._show()
        elif key.strip():
            for line in HELP:
                self._say(line)

    def _next(self, strike: Strike, told: str) -> None:
        self._director.strike_next(strike)
        self._say(f"the next frame that is no ping or pong {told}")

    def _cut(self, link: Link, how: str) -> None:
        link.strike(Strike("cut", how=how))
        self._say(f"cut {link.named.link} {how}")

    def _half_open(self, link: Link) -> None:
        if link.is_silent:
            link.strike(Strike("heal"))
            self._say(f"healed {link.named.link}")
        else:
            self._cut(link, "silent")

    def _hold(self, link: Link) -> None:
        is_held = link.up.is_held or link.down.is_held
        for way in (True, False):
            link.strike(Strike("release" if is_held else "hold", way=way))
        self._say(f"{'released' if is_held else 'holding'} {link.named.link}")

    def _show(self) -> None:
        for link in self._proxy.links:
            states = [word for word, on in (("half-open", link.is_silent),
                      ("held", link.up.is_held or link.down.is_held)) if on]  # fmt: skip
            waiting = f"{link.up.waiting} up, {link.down.waiting} down waiting"
            self._say(" ".join([link.named.link, *states, f"({waiting})"]))
        if not self._proxy.links:
            self._say("no connection is open")
