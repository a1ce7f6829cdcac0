"""One connection through the proxy: two sockets, two directions, and the faults on them.

Each direction has a task that reads one socket and a task that writes the other. A frame
is numbered and judged when it comes in; then it waits its turn. What is done to it depends
on its type and count, never on time, so a rule strikes the same frame in each run.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

import trio

from sim.drivers.websocket_peer import Ended, Peer, PeerGone, Pinged
from sim.live.proxy_book import Book, Seen
from sim.live.proxy_faults import Strike
from sim.live.proxy_way import Parcel, Way
from sim.live.roll import Named

CLOSING_S = 3.0
"""How long the other end of a closing connection may take to agree."""
UNNAMED_S = 1.0
"""How long a connection may say nothing before it gets a name all the same."""

NETWORK = "network"


class Verdict:
    """What a director wants of a frame: strikes on it, on its link before, on its link after.

    ``after`` are calls with the link, made when the frame has passed (or been lost).
    """

    __slots__ = ("after", "before", "on_frame")

    def __init__(self) -> None:
        self.on_frame: list[Strike] = []
        self.before: list[Strike] = []
        self.after: list[Callable[[], None]] = []

    def add(self, other: Verdict) -> None:
        """Both."""
        self.on_frame += other.on_frame
        self.before += other.before
        self.after += other.after


class Director:
    """Decides about frames; this one lets all pass."""

    def opened(self, link: Link) -> None:
        """A connection has got its name."""

    def judge(self, link: Link, seen: Seen, message: str | bytes) -> Verdict:
        """A frame has come in."""
        return Verdict()


class Link:
    """A client's connection and the one that was made for it upstream."""

    def __init__(
        self, client: Peer, server: Peer, book: Book, director: Director, name: Callable[..., Named]
    ) -> None:
        self.up = Way(True, client, server)
        self.down = Way(False, server, client)
        self.is_silent = False
        self.is_over = trio.Event()
        self._book = book
        self._director = director
        self._name = name
        self._named: Named | None = None
        self._how = "fin"
        self._end: tuple[str, int, str] | None = None
        self._pings: dict[Peer, bytes] = {}
        self._ponging: dict[Peer, None] = {}
        self._done = 0
        self._nursery: trio.Nursery | None = None

    @property
    def ways(self) -> tuple[Way, Way]:
        """Both directions."""
        return self.up, self.down

    @property
    def named(self) -> Named:
        """Who it is; a connection that has not said it gets a name now."""
        if self._named is None:
            return self.introduce(None)
        return self._named

    def introduce(self, first: str | None) -> Named:
        """Name the connection by what its client said first."""
        self._named = named = self._name(first)
        self._book.opened(named)
        self._director.opened(self)
        return named

    # -- its life -----------------------------------------------------------------------

    async def run(self) -> None:
        """Pass on until either end is over."""
        try:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                for way in self.ways:
                    nursery.start_soon(self._read, way)
                    nursery.start_soon(self._write, way)
                nursery.start_soon(self._name_in_time)
                await self.is_over.wait()
                nursery.cancel_scope.cancel()
        finally:
            self._nursery = None
            self.is_over.set()
            self._settle()
            with trio.CancelScope(shield=True):
                for peer in (self.up.source, self.down.source):
                    await (peer.reset() if self._how == "rst" else peer.hang_up())

    def _settle(self) -> None:
        """Take down what was on its way, and the end."""
        why = {"rst": "reset", "fin": "closed"}.get(self._how, "cut")
        named = self.named
        for way in self.ways:
            for parcel in way.clear():
                if parcel.seen is not None:
                    self._book.lost(parcel.seen, why)
        by, code, reason = self._end or (NETWORK, 1006, "the proxy ended it")
        self._book.closed(named, by, code, reason)

    async def _name_in_time(self) -> None:
        await trio.sleep(UNNAMED_S)
        _ = self.named

    # -- reading ------------------------------------------------------------------------

    async def _read(self, way: Way) -> None:
        while not self.is_over.is_set():
            await way.room()
            news = await way.source.receive()
            if isinstance(news, Ended):
                self._heard_end(way, news)
                return
            if isinstance(news, Pinged):
                self._answer_ping(way.source, news.payload)
            else:
                self._heard(way, news)

    def _heard(self, way: Way, message: str | bytes) -> None:
        named = self._named
        if named is None:
            is_text = way.by_client and isinstance(message, str)
            named = self.introduce(str(message) if is_text else None)
        seen = self._book.sent(named, way.by_client, message)
        verdict = self._director.judge(self, seen, message)
        for strike in verdict.before:
            self.strike(strike)
        parcel = Parcel(message, seen, then=verdict.after)
        if self.is_over.is_set() or way.is_closed:
            self._book.lost(seen, "reset" if self._how == "rst" else "cut")
            return
        copies: list[Strike] = []
        for strike in verdict.on_frame:
            if strike.verb == "duplicate":
                copies.append(strike)
            else:
                self._strike_frame(parcel, seen, strike)
        way.put(parcel)
        if parcel.message is not None:
            for copy in copies:
                self._copy(way, Parcel(message, seen, due=parcel.due), copy.wait_s)

    def _strike_frame(self, parcel: Parcel, seen: Seen, strike: Strike) -> None:
        """Lose it, or make it late."""
        if parcel.message is None:
            return
        if strike.verb == "lose":
            self._book.struck(f"lose {seen.name}", seen.link)
            self._book.lost(seen, "lost")
            parcel.message = parcel.seen = None
        else:
            wait_s = strike.wait_s or 0.0
            self._book.struck(f"delay {seen.name} {round(wait_s * 1e6)}us", seen.link)
            parcel.due = max(parcel.due, trio.current_time() + wait_s)

    def _copy(self, way: Way, copy: Parcel, wait_s: float | None) -> None:
        assert copy.seen is not None
        self._book.duplicated(copy.seen)
        if not wait_s:
            way.put(copy)
        else:
            self.later(wait_s, partial(self._put_copy, way, copy))

    def _put_copy(self, way: Way, copy: Parcel) -> None:
        if not way.is_closed:
            way.put(copy)

    def later(self, wait_s: float, do: Callable[[], None]) -> None:
        """Do it then, if the connection is still there."""

        async def wait() -> None:
            await trio.sleep(wait_s)
            do()

        self._start(wait)

    def _answer_ping(self, peer: Peer, payload: bytes | None = None) -> None:
        """In a task of its own: whoever reads nothing must not keep us from reading.

        Of several the last is answered, as RFC 6455 allows; none while it is half-open.
        """
        if payload is not None:
            self._pings[peer] = payload
        if peer in self._pings and peer not in self._ponging and not self.is_silent:
            self._ponging[peer] = None
            self._start(self._pong, peer)

    async def _pong(self, peer: Peer) -> None:
        with suppress(PeerGone):
            while peer in self._pings and not self.is_silent:
                await peer.pong(self._pings.pop(peer))
        self._ponging.pop(peer, None)

    def _start(self, task: Callable[..., Awaitable[object]], *arguments: object) -> None:
        """A task that ends with the connection."""
        if self._nursery is not None and not self.is_over.is_set():
            self._nursery.start_soon(task, *arguments)

    def _heard_end(self, way: Way, ended: Ended) -> None:
        way.has_ended.set()
        way.is_closed = True
        if self._end is None:
            side = self.named.client if way.by_client else self._book.centre
            by = side if ended.how == "close" else NETWORK
            self._end = (by, ended.code, ended.reason)
        way.put(Parcel(ended=ended))
        if all(one.has_ended.is_set() for one in self.ways) and any(w.is_held for w in self.ways):
            self.is_over.set()  # whoever could have got what is held has gone
        if _is_said(ended) and not self.is_silent:
            self._start(self._say_goodbye, way.source, ended)

    async def _say_goodbye(self, peer: Peer, ended: Ended) -> None:
        with suppress(PeerGone):
            await peer.close(ended.code, ended.reason)

    # -- writing ------------------------------------------------------------------------

    async def _write(self, way: Way) -> None:
        while True:
            parcel = await way.take()
            if parcel.ended is not None:
                await self._pass_on_end(way, parcel.ended)
                return
            if parcel.message is not None and parcel.seen is not None:
                await self._write_message(way, parcel.message, parcel.seen)
            for do in parcel.then:
                do()

    async def _write_message(self, way: Way, message: str | bytes, seen: Seen) -> None:
        has_left = False

        def leaving() -> None:
            nonlocal has_left
            has_left = True
            self._book.delivered(seen)

        try:
            with suppress(PeerGone):
                await way.target.send(message, leaving)
        finally:
            # Also when the connection ends in the middle of it.
            if not has_left:
                self._book.lost(seen, "reset" if self._how == "rst" else "closed")

    async def _pass_on_end(self, way: Way, ended: Ended) -> None:
        """Tell the other side in the same way, and wait for it to agree."""
        other = self.down if way.by_client else self.up
        if ended.how == "rst":
            self._how = "rst"
            self.is_over.set()
            return
        with trio.move_on_after(CLOSING_S), suppress(PeerGone):
            if _is_said(ended):
                await way.target.close(ended.code, ended.reason)
            else:
                await way.target.finish()
            await other.has_ended.wait()
        self._done += 1
        if self._done == len(self.ways):
            self.is_over.set()
        else:
            # The other direction may still have something to write, but not for ever.
            self.later(CLOSING_S, self.is_over.set)

    # -- what is done to it ---------------------------------------------------------------

    def strike(self, strike: Strike) -> None:
        """Let a fault of the connection happen, now."""
        if self.is_over.is_set():
            return
        match strike.verb:
            case "cut":
                self.cut(strike.how)
                if strike.how == "silent" and strike.wait_s is not None:
                    self.later(strike.wait_s, self.heal)
            case "heal":
                self.heal()
            case "hold":
                self.hold(strike.way is True)
                if strike.wait_s is not None:
                    self.later(strike.wait_s, partial(self.release, strike.way is True))
            case "release":
                self.release(strike.way is True)
            case _:
                raise ValueError(f"{strike.verb} strikes frames, not connections")

    def cut(self, how: str = "fin") -> None:
        """``fin`` passes on what has come in, ``rst`` drops it, ``silent`` is half-open."""
        named = self.named
        self._book.struck(f"cut {named.link} {how}", named.link)
        if how == "silent":
            self.is_silent = True
            for way in self.ways:
                way.hold()
            return
        self._how = how
        self._end = self._end or (NETWORK, 1006, how)
        self.is_silent = False
        for way in self.ways:
            way.is_closed = True
            way.release()
            if how == "fin":
                way.put(Parcel(ended=Ended("fin")))
        if how == "rst":
            self.is_over.set()
        else:  # neither end may be reading
            self.later(2 * CLOSING_S, self.is_over.set)

    def heal(self) -> None:
        """A half-open connection carries again, what was kept first."""
        named = self.named
        self._book.struck(f"heal {named.link}", named.link)
        self.is_silent = False
        for way in self.ways:
            way.release()
            self._answer_ping(way.source)

    def hold(self, by_client: bool) -> None:
        """Keep what the client (or the server) sends."""
        self._book.struck(f"hold {self._way_name(by_client)}", self.named.link)
        (self.up if by_client else self.down).hold()

    def release(self, by_client: bool) -> None:
        """Let it go, in order."""
        self._book.struck(f"release {self._way_name(by_client)}", self.named.link)
        if not self.is_silent:
            (self.up if by_client else self.down).release()

    def _way_name(self, by_client: bool) -> str:
        named = self.named
        centre = self._book.centre
        ends = (named.client, centre) if by_client else (centre, named.client)
        return f"{named.link} {ends[0]}>{ends[1]}"

    async def shut(self, code: int, reason: str) -> None:
        """The proxy goes: tell both sides."""
        self._end = self._end or (NETWORK, code, reason)
        with trio.move_on_after(CLOSING_S), suppress(PeerGone):
            async with trio.open_nursery() as nursery:
                for way in self.ways:
                    way.is_closed = True
                    nursery.start_soon(self._shut_one, way, code, reason)
        self.is_over.set()

    async def _shut_one(self, way: Way, code: int, reason: str) -> None:
        with suppress(PeerGone):
            await way.source.close(code, reason)
        await way.has_ended.wait()


def _is_said(ended: Ended) -> bool:
    """Whether it is a matter of Close frames, and not of TCP."""
    return ended.how in ("close", "fault")
