"""A session that is going on: what is there now, and acts that happen to it at once.

``Live`` is all that the screens know of it; ``Control`` is the control API of
``hooktwin serve`` over HTTP. Both block: call them in a thread.
"""

from __future__ import annotations

import http.client
from pathlib import Path
from typing import Any, Protocol, TypeVar
from urllib.parse import urlsplit

import attrs
import msgspec

from sim.core.errors import UsageError
from sim.scenario.acts import SLASH_COMMANDS
from tui.session import Deed, Session

ANSWER_S = 10.0
"""How long a session may take to answer."""

T = TypeVar("T")


class Refused(UsageError):
    """The session does not do that now; the text says why, and what it would do.

    ``status``: 409 while it cannot be done, another one where it makes no sense.
    """

    def __init__(self, text: str, status: int = http.client.CONFLICT) -> None:
        super().__init__(text)
        self.status = status


@attrs.frozen
class LiveAct:
    """Something to be done: ``path`` and ``body`` as the control API has them."""

    label: str
    path: str
    body: dict[str, Any] = attrs.field(factory=dict)


class LiveLink(msgspec.Struct, frozen=True):
    """A connection. ``held`` are the senders whose frames are held."""

    link: str
    client: str
    server: str
    client_open: bool
    server_open: bool
    silent: bool
    held: tuple[str, ...]


class LiveHost(msgspec.Struct, frozen=True):
    """A host: of which kind, and whether it runs."""

    name: str
    kind: str
    up: bool


class LiveOffer(msgspec.Struct, frozen=True):
    """A command that the session itself proposes: ``about`` is whose it is."""

    group: str
    about: str
    label: str
    path: str
    body: dict[str, Any]


@attrs.frozen
class Present:
    """What there is at this moment. ``channels`` are (name, lane) each; ``offers`` is what
    a session proposes that has words of its own."""

    links: tuple[LiveLink, ...]
    hosts: tuple[LiveHost, ...]
    channels: tuple[tuple[str, str], ...]
    offers: tuple[LiveOffer, ...] = ()


class Live(Protocol):
    """A session that takes acts."""

    def act(self, act: LiveAct) -> int | None:
        """Do it now; the first step of it, None while it waits for a frame to come.

        Raises Refused, and UsageError when the session does not answer.
        """

    def present(self) -> Present:
        """What could be acted on. Raises as :meth:`act` does."""


class _Done(msgspec.Struct):
    event: int | None


class _Refusal(msgspec.Struct):
    error: str
    allowed: list[str] = []


class _Index(msgspec.Struct):
    recording: str | None
    get: dict[str, str] = {}


@attrs.frozen
class Control:
    """The control API of ``hooktwin serve``."""

    url: str
    host: str
    port: int

    @classmethod
    def at(cls, url: str) -> Control:
        """The one at an address. Raises UsageError for what is none."""
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            parts, host, port = None, None, None
        if parts is None or parts.scheme != "http" or not host or not port:
            raise UsageError(
                f"{url!r}: give the control address that hooktwin serve prints, "
                "such as http://127.0.0.1:8788"
            )
        return cls(url, host, port)

    def act(self, act: LiveAct) -> int | None:
        return self._ask("POST", act.path, _Done, act.body).event

    def present(self) -> Present:
        told = self._ask("GET", "/", _Index).get
        channels = self._ask("GET", "/channels", dict[str, str]) if "/channels" in told else {}
        offers = self._ask("GET", "/offers", tuple[LiveOffer, ...]) if "/offers" in told else ()
        return Present(
            links=self._ask("GET", "/links", tuple[LiveLink, ...]),
            hosts=self._ask("GET", "/hosts", tuple[LiveHost, ...]),
            channels=tuple(channels.items()),
            offers=offers,
        )

    def recording(self) -> Path:
        """Where the session writes. Raises UsageError when it writes nothing."""
        path = self._ask("GET", "/", _Index).recording
        if path is None:
            raise UsageError(
                f"the session at {self.url} keeps no recording to look at: "
                "start it with hooktwin serve --record FILE, or with --tui"
            )
        return Path(path)

    def _ask(self, method: str, path: str, kind: type[T], body: Any = None) -> T:
        data = None if body is None else msgspec.json.encode(body)
        connection = http.client.HTTPConnection(self.host, self.port, timeout=ANSWER_S)
        try:
            connection.request(method, path, data, {"content-type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            told = str(error) or type(error).__name__
            raise UsageError(f"the session at {self.url} does not answer: {told}") from error
        finally:
            connection.close()
        try:
            if answer.status == http.client.OK:
                return msgspec.json.decode(text, type=kind)
            refusal = msgspec.json.decode(text, type=_Refusal)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise UsageError(f"{self.url} is no control API of hooktwin serve: {error}") from error
        allowed = ", ".join(one for one in refusal.allowed if one)
        told = f"{refusal.error}; possible: {allowed}" if allowed else refusal.error
        raise Refused(told, answer.status)


def live_session(url: str, path: Path | None = None) -> Session:
    """A session that is going on: its recording, and the way to act on it.

    ``path`` is its recording ("": the one that it tells of itself). Raises UsageError,
    TraceError.
    """
    control = Control.at(url)
    session = Session.of_file(path or control.recording())
    session.live = control
    return session


def as_live(deed: Deed) -> LiveAct | None:
    """A deed of the screens as an act; None for what a session has no word for."""
    act = deed.act if isinstance(deed.act, dict) else {}
    who = {name: act[name] for name in ("person", "channel") if act.get(name)}
    match act:
        case {"is": "press", "message": message, "button": button}:
            body = {**who, "message": message, "button": button}
            return LiveAct(deed.label, "/press", body)
        case {"is": "say", "text": str(text)}:
            return spoken(deed.label, text, who)
    return None


def spoken(label: str, text: str, who: dict[str, Any]) -> LiveAct:
    """What somebody writes; ``/stop`` and its like belong into the thread of the last request."""
    verb, _, word = text.strip().partition(" ")
    if verb.startswith("/") and verb[1:] in SLASH_COMMANDS:
        return LiveAct(label, verb, {**who, "word": word.strip()})
    return LiveAct(label, "/message", {**who, "text": text})
