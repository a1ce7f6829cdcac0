"""A proxy before a server that speaks TLS."""

from __future__ import annotations

import ssl
from pathlib import Path

import attrs
import pytest
import trio

from sim.drivers.websocket import Refused, bind
from sim.drivers.websocket_peer import Ended
from sim.live import proxy_link
from sim.live.proxy_upstream import Upstream
from tests.live.proxying import HELLO, Bench, Server, bench, hear, run

PEM = Path(__file__).parent.parent / "data" / "loopback.pem"
"""A certificate of 127.0.0.1 that nobody trusts, with its key."""


@pytest.fixture(autouse=True)
def _short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proxy_link, "CLOSING_S", 0.05)


class SecureServer(Server):
    """The same behind TLS."""

    async def _meet(self, stream: trio.SocketStream) -> None:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(PEM)
        secure = trio.SSLStream(stream, context, server_side=True, https_compatible=True)
        try:
            await secure.do_handshake()
        except trio.BrokenResourceError:
            await trio.aclose_forcefully(stream)
            return
        await super()._meet(secure)  # type: ignore[arg-type]


async def secure(b: Bench, host: str = "127.0.0.1", **how: bool) -> Server:
    """Put a server with TLS behind the proxy."""
    server = SecureServer()
    server.port, listeners = await bind(0, "the server", host)
    b.nursery.start_soon(server.serve, listeners)
    b.server = server
    b.proxy.upstream = Upstream.parse(f"wss://{host}:{server.port}", **how)
    return server


def test_a_certificate_that_nobody_trusts_is_refused_with_the_remedy() -> None:
    async def play() -> None:
        async with bench() as b:
            await secure(b)
            with pytest.raises(Refused) as refused:
                await b.dial()
            assert refused.value.status == 502
            assert b"--insecure" in refused.value.body

    run(play)


@pytest.mark.parametrize("trusted", [True, False], ids=["trusted", "insecure"])
def test_frames_pass_over_tls_and_every_kind_of_end_too(trusted: bool) -> None:
    async def play() -> None:
        async with bench() as b:
            await secure(b, insecure=not trusted)
            if trusted:
                context = ssl.create_default_context(cafile=str(PEM))
                b.proxy.upstream = attrs.evolve(b.proxy.upstream, context=context)
            for how in ("close", "fin", "rst"):
                client, server = await b.pair()
                await client.send(HELLO)
                assert await hear(server) == HELLO
                await server.send(b"\x00" * 70_000)
                assert await hear(client) == b"\x00" * 70_000
                match how:
                    case "close":
                        await client.close(1000, "bye")
                        assert await hear(server) == Ended("close", 1000, "bye")
                    case "fin":
                        await client.hang_up()
                        assert await hear(server) == Ended("fin")
                    case "rst":
                        await client.reset()
                        assert (await hear(server)).how in ("rst", "fin")  # type: ignore[union-attr]

    run(play)


def test_the_name_in_the_certificate_has_to_be_that_of_the_url() -> None:
    async def play() -> None:
        async with bench() as b:
            await secure(b, "127.0.0.2")
            context = ssl.create_default_context(cafile=str(PEM))
            b.proxy.upstream = attrs.evolve(b.proxy.upstream, context=context)
            with pytest.raises(Refused) as refused:
                await b.dial()
            assert refused.value.status == 502
            assert b"not valid for '127.0.0.2'" in refused.value.body

    run(play)
