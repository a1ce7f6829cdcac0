"""The client of the relay at somebody else's relay, over real WebSockets."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
import trio

from sim.cli.relaying import remote
from sim.cli.relaying.address import (
    Address,
    TokenRefused,
    connected_nodes,
    new_token,
    node_of,
)
from sim.cli.relaying.remote import session_with
from sim.core.errors import UsageError
from sim.protocols.relay.controller.errand import Extracted, NotExtracted, Wanted
from tests.cli.relay_at_hand import TOKEN, RelayAtHand, relay_at_hand
from tests.cli.screens import Shell

PAGE = "https://page.example/"


def at_hand(deed: Callable[[RelayAtHand, Address], Any]) -> Any:
    """Let ``deed`` have a relay, and its address; gives what it gives."""

    async def main() -> Any:
        with trio.fail_after(30):
            async with relay_at_hand() as relay:
                return await deed(relay, Address(relay.url, TOKEN, "node_alpha"))

    return trio.run(main)


def extracted(wanted: Wanted, **relay_has: Any) -> tuple[Any, RelayAtHand]:
    """One extraction at a relay with these properties."""

    async def deed(relay: RelayAtHand, address: Address) -> Any:
        for name, value in relay_has.items():
            setattr(relay, name, value)
        async with session_with(address) as client:
            return await client.extract(wanted), relay

    end, relay = at_hand(deed)
    return end, relay


def test_hello_and_auth_go_out_back_to_back_then_one_command_after_the_other() -> None:
    end, relay = extracted(Wanted(PAGE))
    assert end == Extracted("markdown", "# Page", "tab_x", PAGE)
    assert relay.paths == ["/?role=controller"]
    assert [w["messageType"] for w in relay.heard[:2]] == ["hello", "auth"]
    assert relay.actions() == [
        "primitive.tab.open",
        "primitive.dom.extract_markdown",
        "primitive.tab.close",
    ]
    assert {w["payload"]["targetNodeId"] for w in relay.heard[2:]} == {"node_alpha"}


def test_two_clients_use_no_request_id_and_no_nonce_twice() -> None:
    wires = [w for _ in range(2) for w in extracted(Wanted(PAGE))[1].heard[2:]]
    assert len({w["requestId"] for w in wires}) == len(wires) == 6
    assert len({w["payload"]["replayNonce"] for w in wires}) == 6


def test_frames_are_stamped_with_the_time_of_day() -> None:
    from sim.core.entropy import wall_ms
    from sim.protocols.relay.predicates import epoch_ms

    _, relay = extracted(Wanted(PAGE))
    stamp = epoch_ms(relay.heard[0]["timestamp"])
    assert stamp is not None
    assert abs(wall_ms() - stamp) < 30_000


def test_a_failed_extraction_closes_its_tab_and_tells_the_code() -> None:
    fails = {"primitive.dom.extract_markdown": "bridge_failure"}
    end, relay = extracted(Wanted(PAGE), fails=fails)
    assert end == NotExtracted("bridge_failure", "no: bridge_failure")
    assert relay.actions()[-1] == "primitive.tab.close"


def test_a_result_without_content_is_no_content() -> None:
    data = {"primitive.tab.open": {}, "primitive.dom.extract_markdown": {"html": 7}}
    end, _ = extracted(Wanted(PAGE), data=data)
    assert end == NotExtracted("", "the node has opened a tab and does not say which")
    end, _ = extracted(Wanted(tab="t"), data=data)
    assert end == NotExtracted("", "the node's result has no markdown")


def test_a_relay_that_hangs_up_is_told_and_not_waited_for() -> None:
    end, relay = extracted(Wanted(PAGE), drops=["primitive.dom.extract_markdown"])
    assert end == NotExtracted("", "the connection to the relay was lost")
    assert "primitive.tab.close" not in relay.actions()


def test_a_session_comes_back_by_itself_for_the_next_extraction() -> None:
    async def deed(relay: RelayAtHand, address: Address) -> Any:
        async with session_with(address) as client:
            relay.drops = ["primitive.tab.open"]
            first = await client.extract(Wanted(PAGE))
            relay.drops = []
            return first, await client.extract(Wanted(PAGE)), relay

    first, second, relay = at_hand(deed)
    assert isinstance(first, NotExtracted)
    assert isinstance(second, Extracted)
    assert len(relay.paths) == 2


def test_a_token_that_is_refused_is_told_with_the_relays_code() -> None:
    async def deed(relay: RelayAtHand, address: Address) -> Any:
        async with session_with(Address(relay.url, "wrong", "node_alpha")):
            pass

    with pytest.raises(UsageError, match="refuses auth: invalid_access_token"):
        at_hand(deed)


def test_where_nobody_listens_the_address_is_told() -> None:
    async def deed(relay: RelayAtHand, address: Address) -> Any:
        async with session_with(Address("ws://127.0.0.1:9", TOKEN, "node_alpha")):
            pass

    with pytest.raises(UsageError, match=r"ws://127\.0\.0\.1:9: .*127\.0\.0\.1:9"):
        at_hand(deed)


@contextmanager
def telling(*answers: Any) -> Iterator[tuple[str, list[Any]]]:
    """An HTTP server with these answers, one after the other; a number is a status without
    a body. Gives its WebSocket URL, and what it was asked."""
    asked: list[Any] = []
    left = list(answers)

    class Desk(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append((self.path, self.headers["authorization"]))
            self.answer()

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            asked.append((self.path, json.loads(body)))
            self.answer()

        def answer(self) -> None:
            told = left.pop(0)
            body = b"" if isinstance(told, int) else json.dumps(told).encode()
            self.send_response(told if isinstance(told, int) else 200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Desk)
    server.timeout = 10
    thread = threading.Thread(target=lambda: [server.handle_request() for _ in answers])
    thread.start()
    try:
        yield f"ws://127.0.0.1:{server.server_port}", asked
    finally:
        thread.join()
        server.server_close()


def test_the_only_node_that_is_connected_is_meant_when_none_is_named() -> None:
    with telling({"nodes": [{"nodeId": "node_alpha"}]}) as (url, asked):
        assert node_of(Address(url, TOKEN)) == "node_alpha"
    assert asked == [("/api/nodes/connected", f"Bearer {TOKEN}")]


def test_of_several_nodes_one_has_to_be_named() -> None:
    nodes = [{"nodeId": "node_alpha"}, {"nodeId": "node_beta"}, {}, 7]
    with (
        telling({"nodes": nodes}) as (url, _),
        pytest.raises(UsageError, match=r"node_alpha, node_beta are connected to .*--node"),
    ):
        node_of(Address(url, TOKEN))


@pytest.mark.parametrize("told", [{"nodes": []}, {}, [], {"nodes": 7}])
def test_no_node_is_told_as_such(told: Any) -> None:
    with telling(told) as (url, _), pytest.raises(UsageError, match="no node is connected to"):
        node_of(Address(url, TOKEN))


def test_a_relay_that_does_not_tell_its_nodes_leaves_naming_them() -> None:
    with pytest.raises(UsageError, match="name the node with --node"):
        connected_nodes(Address("ws://127.0.0.1:9", TOKEN))


@pytest.mark.parametrize(
    ("url", "dialled", "nodes"),
    [
        ("ws://h:1", "ws://h:1?role=controller", "http://h:1/api/nodes/connected"),
        ("wss://h/x?a=1", "wss://h/x?a=1&role=controller", "https://h/api/nodes/connected"),
    ],
)
def test_the_role_stands_in_the_query_of_what_is_dialled(
    url: str, dialled: str, nodes: str
) -> None:
    address = Address(url, TOKEN)
    assert (address.dialled(), address.web("/api/nodes/connected")) == (dialled, nodes)


@pytest.mark.parametrize(
    "url", ["ws://[", "ws://h:x", "ws://h:99999", "ws://h:0", "ws://u:p@h", "http://h", "ws://", ""]
)
def test_what_is_no_url_of_a_relay_is_refused_before_anything_is_dialled(url: str) -> None:
    with pytest.raises(UsageError, match="give the relay's URL, such as ws://"):
        Address(url, TOKEN)


@pytest.mark.parametrize("token", ["sekrit\nx", "sekrit\r\nX-More: 1", "sekrit\x00"])
def test_a_token_that_no_header_can_hold_is_refused_and_not_repeated(token: str) -> None:
    with pytest.raises(UsageError, match="control character") as told:
        Address("ws://h:1", token)
    assert "sekrit" not in str(told.value)


def test_a_token_that_is_not_ascii_is_shown_as_utf_8() -> None:
    with telling({"nodes": []}) as (url, asked):
        assert connected_nodes(Address(url, "controller-中")) == []
    assert asked[0][1].encode("latin-1").decode() == "Bearer controller-中"


def test_messages_do_not_repeat_the_query_of_the_url() -> None:
    with telling({"nodes": []}) as (url, _), pytest.raises(UsageError) as told:
        node_of(Address(f"{url}/?key=sekrit", TOKEN))
    assert "sekrit" not in str(told.value)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"SSH-2.0-OpenSSH\r\n", "the answer is no HTTP"),
        (b"HTTP/1.1 200 OK\r\n\r\n" + b"[" * 100_000, "the answer is no JSON"),
        (b"HTTP/1.1 200 OK\r\n\r\n{", "the answer is no JSON"),
    ],
)
def test_a_server_that_speaks_nonsense_is_told_so(answer: bytes, why: str) -> None:
    async def speak(stream: trio.SocketStream) -> None:
        await stream.receive_some(4096)
        await stream.send_all(answer)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            listeners = await nursery.start(partial(trio.serve_tcp, speak, 0, host="127.0.0.1"))
            url = f"ws://127.0.0.1:{listeners[0].socket.getsockname()[1]}"
            with pytest.raises(UsageError, match=why):
                await trio.to_thread.run_sync(connected_nodes, Address(url, TOKEN))
            nursery.cancel_scope.cancel()

    trio.run(main)


def test_with_json_an_address_that_cannot_be_used_is_an_object_too(shell: Shell) -> None:
    said = shell("relay", "extract-content", PAGE, "--url", "ws://[", "--token", "t", "--json")
    assert said.code == 2
    assert "ws://127.0.0.1:8787" in json.loads(said.out)["error"]["message"]


# -- tokens that are no longer good


def test_a_refresh_token_gets_a_new_access_token_from_the_relay() -> None:
    with telling({"accessToken": "token-B", "refreshToken": "rt-2"}) as (url, asked):
        assert new_token(Address(url, TOKEN, refresh_token="rt")) == "token-B"
    assert asked == [("/api/auth/refresh", {"refreshToken": "rt"})]


@pytest.mark.parametrize("answer", [401, 500, {}, {"accessToken": 7}, {"accessToken": ""}, []])
def test_where_no_new_token_comes_one_has_to_sign_in_anew(answer: Any) -> None:
    with telling(answer) as (url, _), pytest.raises(UsageError, match="sign in anew"):
        new_token(Address(url, TOKEN, refresh_token="rt"))


def test_a_relay_that_does_not_know_the_token_is_no_relay_without_nodes() -> None:
    with telling(401) as (url, _), pytest.raises(TokenRefused, match="Unauthorized"):
        connected_nodes(Address(url, TOKEN))
    with telling(500) as (url, _), pytest.raises(UsageError) as told:
        connected_nodes(Address(url, TOKEN))
    assert not isinstance(told.value, TokenRefused)


def prepared(*answers: Any, refresh_token: str = "rt") -> tuple[Address, str]:
    with telling(*answers) as (url, _):
        address = Address(url, "old", refresh_token=refresh_token)
        return trio.run(remote._prepared, address)


def test_an_old_token_is_renewed_before_the_nodes_are_asked_for_again() -> None:
    nodes = {"nodes": [{"nodeId": "node_alpha"}]}
    address, node = prepared(401, {"accessToken": "new"}, nodes)
    assert (address.token, node) == ("new", "node_alpha")
    address, node = prepared(nodes)
    assert (address.token, node) == ("old", "node_alpha")


def test_without_a_refresh_token_an_old_one_is_told_at_once() -> None:
    with pytest.raises(TokenRefused):
        prepared(401, refresh_token="")


def test_a_token_that_is_refused_at_auth_is_renewed_on_the_same_socket(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(remote, "new_token", lambda address: TOKEN)

    async def deed(relay: RelayAtHand, address: Address) -> Any:
        async with session_with(Address(relay.url, "old", "node_alpha", "rt")) as client:
            return await client.extract(Wanted(PAGE)), relay

    end, relay = at_hand(deed)
    assert isinstance(end, Extracted)
    assert len(relay.paths) == 1
    tokens = [w["payload"]["accessToken"] for w in relay.heard if w["messageType"] == "auth"]
    assert tokens == ["old", TOKEN]


def test_a_new_token_that_is_refused_too_is_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "new_token", lambda address: "old too")

    async def deed(relay: RelayAtHand, address: Address) -> Any:
        async with session_with(Address(relay.url, "old", "node_alpha", "rt")):
            pass

    with pytest.raises(TokenRefused, match="refuses auth: invalid_access_token"):
        at_hand(deed)


@contextmanager
def in_a_thread() -> Iterator[RelayAtHand]:
    """The relay beside a command line that has a loop of its own."""
    opened, ended = threading.Event(), threading.Event()
    found: list[RelayAtHand] = []

    async def main() -> None:
        async with relay_at_hand() as relay:
            found.append(relay)
            opened.set()
            await trio.to_thread.run_sync(ended.wait)

    thread = threading.Thread(target=trio.run, args=(main,))
    thread.start()
    assert opened.wait(10)
    try:
        yield found[0]
    finally:
        ended.set()
        thread.join()


def test_the_command_line_prints_what_a_real_relay_brings(shell: Shell) -> None:
    with in_a_thread() as relay:
        target = ("--url", relay.url, "--token", TOKEN, "--node", "node_alpha")
        said = shell("relay", "extract-content", PAGE, *target)
        assert (said.code, said.out, said.err) == (0, "# Page\n", "")
        relay.fails["primitive.tab.open"] = "node_offline"
        said = shell("relay", "extract-content", PAGE, *target)
        assert (said.code, said.out) == (1, "")
        assert said.err == "hooktwin: node_offline: no: node_offline\n"
        said = shell("relay", "extract-content", PAGE, *target[:2], "--token", "bad", *target[4:])
        assert said.code == 2
        assert "refuses auth: invalid_access_token" in said.err
