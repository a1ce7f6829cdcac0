"""The fault menu of a session that is going on: what can be done to it, and why not the rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sim.protocols.register import DEFAULT_PROTOCOL, protocol
from sim.world.fault import CUTS
from tui.feeds.live import LiveAct, LiveHost, LiveLink, Present, spoken
from tui.screens.menus import Entry

SAID = ("hello", "/stop", "/new")
"""What a person says by the menu; everything else is written with a in Channels."""

OUTCOMES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("rate-limit the next call 5 s", {"outcome": "429", "for_s": 5.0}),
    ("refuse the next edit", {"outcome": "refused", "op": "edit"}),
    ("slow down 5 s", {"outcome": "latency", "for_s": 5.0}),
    ("lose the next answer", {"outcome": "unknown"}),
    ("down 60 s", {"outcome": "down", "for_s": 60.0}),
)
DELAY_S = 2.0
SLEEP_S = 60.0
REFUSED_WITH = 503
THERE = "an outside program: its person does that there"


def entries_for(present: Present, only: str = "", speaks: str = DEFAULT_PROTOCOL) -> list[Entry]:
    """All entries; ``only`` those of one host, of its links and its frames.

    ``speaks`` is the protocol of the session.
    """
    found = [*_offers(present, only)]
    found += [*_links(present, only), *_hosts(present, only), *_channels(present, only)]
    if not present.offers:  # who proposes acts has people and requests of its own
        found += _people(present, only)
        found += [] if only else _frames(speaks)
    return found


def _offers(present: Present, only: str) -> Iterator[Entry]:
    for offer in present.offers:
        if only in ("", offer.about):
            act = LiveAct(f"{offer.about}  {offer.label}", offer.path, offer.body)
            yield _entry(offer.group, offer.about, offer.label, act)


def _entry(group: str, subject: str, verb: str, act: LiveAct, why: str = "") -> Entry:
    return Entry(group, f"{subject}  {verb}", f"POST {act.path}", act, why)


# -- connections and frames -----------------------------------------------------------------


def _links(present: Present, only: str) -> Iterator[Entry]:
    for link in present.links:
        if only in ("", link.client, link.server):
            yield from _cuts(link)
            for sender, receiver in ((link.client, link.server), (link.server, link.client)):
                yield from _ways(link, sender, f"{sender}>{receiver}")


def _cuts(link: LiveLink) -> Iterator[Entry]:
    closed = "" if link.client_open and link.server_open else "it is not open"
    for how in CUTS:
        act = LiveAct(f"cut {link.link} {how}", "/cut", {"link": link.link, "how": how})
        yield _entry("link", link.link, f"cut {how}", act, closed)
    silent = "" if link.silent else "it is not silent"
    heal = LiveAct(f"heal {link.link}", "/heal", {"link": link.link})
    yield _entry("link", link.link, "heal", heal, silent)


def _ways(link: LiveLink, sender: str, way: str) -> Iterator[Entry]:
    closed = "" if link.client_open and link.server_open else "it is not open"
    body = {"link": link.link, "sender": sender}
    held = "is held already" if sender in link.held else closed
    yield _entry(
        "link", link.link, f"hold {way}", LiveAct(f"hold {link.link} {way}", "/hold", body), held
    )
    free = "" if sender in link.held else "nothing is held"
    release = LiveAct(f"release {link.link} {way}", "/release", body)
    yield _entry("link", link.link, f"release {way}", release, free)
    for entry in _snares("link", f"{link.link} {way}", body):
        yield Entry(entry.group, entry.label, entry.detail, entry.value, closed)


def _frames(speaks: str) -> Iterator[Entry]:
    """By type: where frames arrive at once, only the next one can be meant."""
    for kind in protocol(speaks).messages:
        yield from _snares("frame", kind, {"type": kind})
    yield _entry("frame", "*", "let all pass again", LiveAct("let all pass again", "/pass"))


def _snares(group: str, subject: str, body: dict[str, Any]) -> Iterator[Entry]:
    late = {**body, "by_s": DELAY_S}
    for act in (
        LiveAct("lose the next one", "/lose", body),
        LiveAct("duplicate the next one", "/duplicate", body),
        LiveAct("delay the next one 2 s", "/delay", late),
    ):
        told = LiveAct(f"{subject}  {act.label}", act.path, act.body)
        yield _entry(group, subject, act.label, told)


# -- hosts, channels, people ----------------------------------------------------------------


def _hosts(present: Present, only: str) -> Iterator[Entry]:
    for host in present.hosts:
        if host.kind == "person" or only not in ("", host.name):
            continue
        yield from _host(host)
        if host.kind == "desktop":
            for lane in dict.fromkeys(lane for _, lane in present.channels):
                yield _refusal(host, lane)
            for verb in ("retry", "types a text"):
                yield Entry("host", f"{host.name}  {verb}", "", None, THERE)


def _host(host: LiveHost) -> Iterator[Entry]:
    down, up = ("", "it is up") if host.up else ("it is down", "")
    name, body = host.name, {"host": host.name}
    asleep = {**body, "for_s": SLEEP_S}
    yield _entry("host", name, "crash", LiveAct(f"crash {name}", "/crash", body), down)
    yield _entry("host", name, "restart", LiveAct(f"restart {name}", "/restart", body), up)
    sleep = LiveAct(f"sleep {name} 60 s", "/sleep", asleep)
    yield _entry("host", name, "sleep 60 s", sleep, down)


def _refusal(host: LiveHost, lane: str) -> Entry:
    body = {"host": host.name, "lane": lane, "status": REFUSED_WITH}
    verb = f"refuse the next dial on {lane}"
    return _entry("host", host.name, verb, LiveAct(f"{host.name}  {verb}", "/refuse", body))


def _channels(present: Present, only: str) -> Iterator[Entry]:
    up = {host.name: host.up for host in present.hosts}
    for name, _ in present.channels:
        if only not in ("", name):
            continue
        why = "" if up.get(name, True) else "it is down"
        for label, said in OUTCOMES:
            act = LiveAct(f"{name}  {label}", "/fault", {"channel": name, **said})
            yield _entry("channel", name, label, act, why)


def _people(present: Present, only: str) -> Iterator[Entry]:
    for host in present.hosts:
        if host.kind != "person" or only not in ("", host.name):
            continue
        why = "" if host.up else "it is down"
        for channel, _ in present.channels:
            who = {"person": host.name, "channel": channel}
            for text in SAID:
                act = spoken(f"{host.name} says {text} on {channel}", text, who)
                yield _entry("person", host.name, f"says {text} on {channel}", act, why)
            press = LiveAct(f"{host.name} presses a button on {channel}", "/press", who)
            yield _entry("person", host.name, f"presses a button on {channel}", press, why)
