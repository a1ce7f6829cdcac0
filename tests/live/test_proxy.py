"""What passes through a proxy comes out as it went in."""

from __future__ import annotations

import pytest
import trio

from sim.core.errors import UsageError
from sim.drivers import websocket_peer
from sim.drivers.websocket import Refused
from sim.drivers.websocket_peer import Ended, Pinged
from sim.live import proxy_link
from sim.live.proxy_upstream import Upstream, passed_on
from tests.live.proxying import HELLO, Bench, bench, frame, hear, run

SECRET = b"Bearer do-not-tell"

MESSAGES = [
    HELLO,
    frame("no.such.type", anything=[1, {"a": None}]),
    '{"v" : 1,\n "type":"ping","id":"x","ts":1.50,"payload":{} , "extra":"\\u00e9\\ud83d\\ude00"}',
    "no JSON at all \u0000 \ufeff 你好",
    "",
    b"",
    bytes(range(256)) * 40,
    "x" * 200_000,
    "[" * 100_000,
]


@pytest.mark.parametrize("extensions", [(), ("permessage-deflate",)], ids=["plain", "deflate"])
def test_every_message_comes_out_byte_for_byte_on_both_ways(extensions: tuple[str, ...]) -> None:
    async def play() -> None:
        async with bench() as b:
            client, server = await b.pair(extensions=extensions)
            for message in MESSAGES:
                await client.send(message)
                assert await hear(server) == message
                await server.send(message)
                assert await hear(client) == message

    run(play)


def test_a_frame_of_64_mebibytes_passes() -> None:
    async def play() -> None:
        async with bench() as b:
            client, server = await b.pair()
            big = bytes(64 << 20)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(server.send, big)
                assert await hear(client) == big

    run(play)


def test_a_frame_that_is_too_large_closes_both_sides_with_1009(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(websocket_peer, "MESSAGE_BYTES", 100_000)

    async def play() -> None:
        async with bench() as b:
            client, server = await b.pair()
            await client.send(bytes(100_000))
            assert await hear(server) == bytes(100_000)
            await client.send(bytes(100_001))
            for peer in (client, server):
                ended = await hear(peer)
                assert isinstance(ended, Ended)
                assert (ended.how, ended.code) == ("close", 1009)
                await peer.close(1009, "")

    run(play)


@pytest.mark.parametrize("by_client", [True, False])
@pytest.mark.parametrize(
    ("code", "reason"), [(1000, ""), (4000, "device already connected"), (1005, ""), (3999, "ü")]
)
def test_a_close_passes_with_code_and_reason(by_client: bool, code: int, reason: str) -> None:
    async def play() -> None:
        async with bench() as b:
            client, server = await b.pair()
            left, right = (client, server) if by_client else (server, client)
            await left.send("last words")
            await left.close(code, reason)
            assert await hear(right) == "last words"
            assert await hear(right) == Ended("close", code, reason)
            await right.close(code, reason)
            assert await hear(left) == Ended("close", code, reason)

    run(play)


@pytest.mark.parametrize("by_client", [True, False])
@pytest.mark.parametrize("how", ["fin", "rst"])
def test_an_end_without_a_close_frame_is_the_same_on_the_other_side(
    by_client: bool, how: str
) -> None:
    async def play() -> None:
        async with bench() as b:
            client, server = await b.pair()
            left, right = (client, server) if by_client else (server, client)
            await left.send("last words")
            assert await hear(right) == "last words"
            await (left.hang_up() if how == "fin" else left.reset())
            assert (await hear(right)) == Ended(how)  # type: ignore[arg-type]

    run(play)


def test_pings_are_answered_even_while_frames_are_held() -> None:
    async def play() -> None:
        async with bench("hold:D->S:before=hello", "hold:S->D:before=ping") as b:
            client, server = await b.pair()
            await client.send(HELLO)
            await server.send(frame("ping"))
            for peer in (client, server):
                await peer.write(_ping(b"alive?"))
            answers = [await _pong_of(peer) for peer in (client, server)]
            assert answers == [b"alive?"] * 2

    run(play)


def test_half_open_answers_no_ping_before_it_heals() -> None:
    async def play() -> None:
        async with bench("half-open:after=hello=100ms") as b:
            client, server = await b.pair()
            began = trio.current_time()
            await client.send(HELLO)
            assert await hear(server) == HELLO
            await client.write(_ping(b"alive?"))
            assert await _pong_of(client) == b"alive?"
            assert trio.current_time() - began >= 0.1

    run(play)


def _ping(payload: bytes):  # type: ignore[no-untyped-def]
    from wsproto.events import Ping

    return Ping(payload)


async def _pong_of(peer) -> bytes:  # type: ignore[no-untyped-def]
    from wsproto.events import Pong

    with trio.fail_after(5):
        while True:
            await peer._read()
            for event in peer._ws.events():
                if isinstance(event, Pong):
                    return bytes(event.payload)
                assert not isinstance(event, Pinged)


def test_path_query_subprotocols_and_headers_reach_the_server_and_none_is_recorded(
    tmp_path,  # type: ignore[no-untyped-def]
) -> None:
    file = tmp_path / "run.jsonl"

    async def play() -> None:
        async with bench(
            recording=file, subprotocol="hook.2", headers=((b"set-cookie", b"a=b"),)
        ) as b:
            asked = {
                "headers": ((b"authorization", SECRET), (b"x-mine", b"1")),
                "subprotocols": ("hook.1", "hook.2"),
            }
            client, server = await b.pair("/x/y?token=also-secret", **asked)
            got = b.server.got[0][1]
            assert got.target == "/x/y?token=also-secret"
            assert got.subprotocols == ("hook.1", "hook.2")
            headers = dict(got.headers)
            assert headers[b"authorization"] == SECRET
            assert headers[b"x-mine"] == b"1"
            assert client.subprotocol == "hook.2"
            assert dict(client.headers)[b"set-cookie"] == b"a=b"
            await client.send(HELLO)
            assert await hear(server) == HELLO
            told = "".join(b.said) + repr(list(b.book.frames))
            assert "secret" not in told
            assert "do-not-tell" not in told

    run(play)
    assert "secret" not in file.read_text()
    assert "do-not-tell" not in file.read_text()


@pytest.mark.parametrize("status", [401, 403, 503, 302, 200])
def test_a_refusal_of_the_server_is_passed_back_with_status_headers_and_body(status: int) -> None:
    async def play() -> None:
        async with bench(status=status, headers=((b"retry-after", b"7"),)) as b:
            with pytest.raises(Refused) as refused:
                await b.dial(headers=((b"authorization", SECRET),))
            assert refused.value.status == status
            assert dict(refused.value.headers)[b"retry-after"] == b"7"
            assert refused.value.body == b"no"
            assert "do-not-tell" not in "".join(b.said)

    run(play)


def test_an_upstream_that_is_down_is_a_502_and_the_proxy_goes_on() -> None:
    async def play() -> None:
        async with bench() as b:
            usual, b.proxy.upstream = b.proxy.upstream, Upstream.parse("ws://127.0.0.1:1")
            with pytest.raises(Refused) as refused:
                await b.dial()
            assert refused.value.status == 502
            assert b"cannot be reached" in refused.value.body
            b.proxy.upstream = usual
            client, server = await b.pair()
            await client.send("hi")
            assert await hear(server) == "hi"

    run(play)


@pytest.mark.parametrize(
    ("base", "asked", "target"),
    [
        ("ws://h", "/slack", "/slack"),
        ("ws://h/", "/slack?a=1", "/slack?a=1"),
        ("ws://h/hook", "/slack?a=1", "/hook/slack?a=1"),
        ("ws://h/hook/", "/slack", "/hook/slack"),
        ("ws://h/hook", "/", "/hook"),
        ("ws://h/hook", "/?a=/b", "/hook?a=/b"),
        ("ws://h", "/", "/"),
    ],
)
def test_the_clients_path_leads_below_the_path_of_the_upstream(
    base: str, asked: str, target: str
) -> None:
    assert Upstream.parse(base).target(asked) == target


@pytest.mark.parametrize(
    "url",
    ["http://h", "h:80", "", "ws://", "ws://u:hunter2@h/", "ws://h/?key=hunter2", "ws://h:99999/",
     "ws://[::1/", "ws://h/ü", "ws://h/#x", "ws://h:0/", "ws://h h/", "ws://a..b/",
     f"ws://{'a' * 64}/"],
)  # fmt: skip
def test_an_upstream_that_cannot_be_used_is_told_without_its_secrets(url: str) -> None:
    with pytest.raises(UsageError, match="--upstream") as error:
        Upstream.parse(url)
    assert "hunter2" not in str(error.value)


def test_headers_of_one_hop_are_not_passed_on() -> None:
    headers = (
        (b"Connection", b"Upgrade, X-Hop"), (b"x-hop", b"1"), (b"Sec-WebSocket-Key", b"k"),
        (b"origin", b"o"), (b"cookie", b"c"), (b"host", b"h"),
    )  # fmt: skip
    assert passed_on(headers) == ((b"origin", b"o"), (b"cookie", b"c"))


def test_a_connection_gets_its_name_from_the_hello_and_counts_on_after_a_reconnect() -> None:
    async def play() -> None:
        async with bench() as b:
            names = []
            for device, path in (("a", "/slack"), ("b", "/slack"), ("a", "/x"), ("a", "/slack")):
                client, server = await b.pair(path)
                await client.send(frame("hello", deviceId=device))
                await hear(server)
                names.append(b.proxy.links[-1].named.link)
                await client.hang_up()
                await hear(server)
            assert names == ["D.slack#1", "D2.slack#1", "D.x#1", "D.slack#2"]

    run(play)


def _frames(b: Bench) -> list[tuple[str, str]]:
    return [(seen.type, seen.fate) for seen in b.book.frames]


def test_a_frame_that_the_other_side_never_took_is_lost_in_the_book(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(proxy_link, "CLOSING_S", 0.05)

    async def play() -> None:
        async with bench("hold:D->S:before=hello") as b:
            client, server = await b.pair()
            await client.send(HELLO)
            await client.close(1000, "")
            assert await hear(client) == Ended("close", 1000, "")
            await b.proxy.leave()
            await hear(server)
        assert _frames(b) == [("hello", "closed")]

    run(play)
