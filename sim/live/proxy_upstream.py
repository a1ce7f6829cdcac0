"""The real server behind a proxy: where it is, and how one is let in."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import attrs
import trio

from sim.core.errors import UsageError
from sim.drivers.listening import is_host
from sim.drivers.websocket import Refused, reason_of
from sim.drivers.websocket_peer import Headers, Peer, Upgrade, reach

DIAL_S = 10.0
PORTS = {"ws": 80, "wss": 443}

# What belongs to one connection, and not to what is said over it (RFC 9110, section 7.6.1).
_OF_ONE_HOP = (
    b"connection", b"upgrade", b"host", b"keep-alive", b"te", b"trailer", b"transfer-encoding",
    b"content-length", b"proxy-connection", b"proxy-authorization", b"proxy-authenticate",
)  # fmt: skip
_HANDSHAKE = b"sec-websocket-"


@attrs.frozen
class Upstream:
    """The address of the real server. ``context`` None: without TLS."""

    host: str
    port: int
    path: str
    context: ssl.SSLContext | None

    @classmethod
    def parse(cls, url: str, *, insecure: bool = False) -> Upstream:
        """Read ``ws://HOST[:PORT][/PATH]`` or ``wss://…``; ``insecure``: believe any certificate.

        Raises UsageError. What may be a secret in the URL is not repeated.
        """
        try:
            parts = urlsplit(url.strip())
            host, port = parts.hostname or "", parts.port
        except ValueError:
            raise _wrong("this is no URL") from None
        if parts.scheme not in PORTS:
            raise _wrong(f"the scheme is {parts.scheme or 'missing'}")
        if parts.username is not None or parts.password is not None:
            raise _wrong("a name or password in it would not be sent; "
                         "the client's own Authorization is passed on")  # fmt: skip
        if not host or parts.query or parts.fragment:
            raise _wrong("it has no host" if not host else
                         "leave out ? and #; the client's own query is passed on")  # fmt: skip
        if not is_host(host) or port == 0:
            raise _wrong("this is no name of a host" if port != 0 else "port 0 is nobody's")
        if not parts.path.isascii() or " " in parts.path:
            raise _wrong("percent-encode its path")
        context = _context(insecure) if parts.scheme == "wss" else None
        return cls(host, PORTS[parts.scheme] if port is None else port, parts.path, context)

    def __str__(self) -> str:
        scheme = "ws" if self.context is None else "wss"
        return f"{scheme}://{self.authority}{self.path}"

    @property
    def authority(self) -> str:
        """What the Host header says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = PORTS["ws" if self.context is None else "wss"]
        return host if self.port == usual else f"{host}:{self.port}"

    def target(self, asked: str) -> str:
        """Where a client's path and query lead: below the path of the URL."""
        path, mark, query = asked.partition("?")
        below = path if path != "/" or not self.path else ""
        return (self.path.rstrip("/") + below if below else self.path or "/") + mark + query

    async def connect(self, asked: Upgrade) -> Peer:
        """Dial, and ask for the same. Raises Refused with the server's status, 0: none came."""
        passed = attrs.evolve(
            asked, target=self.target(asked.target), headers=passed_on(asked.headers)
        )
        stream: trio.abc.Stream | None = None
        try:
            with self._in_time():
                stream = await self._stream()
                return await reach(stream, self.authority, passed)
        except BaseException:
            if stream is not None:
                await trio.aclose_forcefully(stream)
            raise

    async def dial(self) -> trio.abc.Stream:
        """Dial only. Raises Refused as ``connect`` does."""
        with self._in_time():
            return await self._stream()

    @contextmanager
    def _in_time(self) -> Iterator[None]:
        """What comes to nothing is told as Refused."""
        try:
            with trio.fail_after(DIAL_S):
                yield
        except trio.TooSlowError:
            raise Refused(f"{self} did not answer within {DIAL_S:g} s") from None
        except UnicodeError:
            raise Refused(f"{self} is no name of a host") from None
        except (OSError, trio.BrokenResourceError) as error:
            raise Refused(f"{self} cannot be reached: {_why(error)}") from None

    async def _stream(self) -> trio.abc.Stream:
        tcp = await trio.open_tcp_stream(self.host, self.port)
        if self.context is None:
            return tcp
        secure = trio.SSLStream(tcp, self.context, server_hostname=self.host, https_compatible=True)
        try:
            await secure.do_handshake()
        except BaseException:
            await trio.aclose_forcefully(tcp)
            raise
        return secure


def passed_on(headers: Headers) -> Headers:
    """The headers that are meant for the other end."""
    named = b",".join(value for name, value in headers if name.lower() == b"connection").lower()
    of_one_hop = {*_OF_ONE_HOP, *(word.strip() for word in named.split(b","))}
    return tuple(
        (name, value)
        for name, value in headers
        if name.lower() not in of_one_hop and not name.lower().startswith(_HANDSHAKE)
    )


def _context(insecure: bool) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _why(error: BaseException) -> str:
    """The reason of a failed dial; the library hides that of TLS behind its own."""
    cause = error.__cause__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({cause.verify_message}); --insecure skips this"
    if isinstance(cause, ssl.SSLError):
        return f"TLS failed ({cause.reason or cause})"
    return reason_of(error) if isinstance(error, OSError) or str(error) else "it hung up"


def _wrong(why: str) -> UsageError:
    return UsageError(f"--upstream: {why}; write ws://HOST:PORT/PATH or wss://HOST/PATH")
