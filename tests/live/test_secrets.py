"""Tokens that programs show, and repeat: no recording, line or answer has them."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from trio_websocket import open_websocket_url

from sim.cli.outcome import complain
from sim.core.event import ConnectionClosed as Closed
from sim.core.trace import encode_event, read_trace
from sim.live.secrets import MOST, Secrets
from tests.live.proxying import bench, run
from tests.live.strangers import eventually, served

TOKEN = 'tok-1"2\\3'


def closed(reason: str, link: str = "D.slack#1") -> bytes:
    return encode_event(Closed(0, 0, -1, link, "D", "S", 4001, reason, "S"))


def test_a_token_is_hidden_from_texts_and_lines():
    secrets = Secrets([TOKEN])
    assert secrets.hide(f"bad token {TOKEN}!") == "bad token *********!"
    line = secrets.hide_line(closed(f"bad token {TOKEN}"))
    assert json.loads(line)["reason"] == "bad token *********"


def test_a_token_within_a_text_that_is_json_is_hidden():
    inner = json.dumps({"token": TOKEN})
    body = json.dumps({"text": inner}).encode()
    hidden = Secrets([TOKEN]).hide_bytes(body)
    assert len(hidden) == len(body)
    assert TOKEN not in json.loads(hidden)["text"]
    assert "tok-1" not in hidden.decode()


def test_a_token_that_is_a_word_of_ours_leaves_the_lines_readable():
    secrets = Secrets(["ConnectionClosed", "D.slack#1"])
    line = json.loads(secrets.hide_line(closed("ConnectionClosed")))
    assert (line["kind"], line["link"]) == ("ConnectionClosed", "D.slack#1")
    assert line["reason"] == "*" * 16


@pytest.mark.parametrize("secret", ["nodes-answer", "parser", "findings", "nabcdef", TOKEN])
def test_answers_of_the_control_keep_our_own_words_and_their_length(secret: str) -> None:
    told = {"rule": "nodes-answer", "sentence": "The parser takes it.", "n": 5, "side": "parser"}
    said = {"text": f"it said {secret}\nabcdef", "frame": {secret: [json.dumps({"a": secret})]}}
    data = msgspec.json.encode({"findings": [told | said], "broken": {"nodes-answer": 1}}) + b"\n"
    hidden = Secrets([secret]).hide_answer(data)
    found = json.loads(hidden)
    assert found["findings"][0] | told == found["findings"][0]
    assert found["broken"] == {"nodes-answer": 1}
    assert len(hidden) == len(data)
    assert secret not in str(found["findings"][0]["text"])
    assert json.dumps(secret)[1:-1] not in str(found["findings"][0]["frame"])


@pytest.mark.parametrize(
    ("authorization", "query"),
    [("Bearer abcdef123", ""), ("abcdef123", ""), ("", "access_token=abcdef123&x=1")],
)
def test_what_a_program_shows_is_a_secret(authorization, query):
    secrets = Secrets()
    secrets.shown(authorization, query)
    assert "abcdef123" not in secrets.hide("it was abcdef123")


def test_a_query_is_hidden_as_it_is_spelt_and_as_it_is_meant():
    secrets = Secrets()
    secrets.shown("", "token=abc%2Fdef%2Fghi")
    assert secrets.hide("abc/def/ghi abc%2Fdef%2Fghi") == "*********** ***************"


def test_ordinary_words_are_not_blotted_out():
    secrets = Secrets(["abc"])
    secrets.shown("Bearer x", "deviceId=my-device")
    assert secrets.hide("abc my-device x") == "abc my-device x"


def test_of_many_tokens_the_newest_are_known_and_our_own_always():
    secrets = Secrets(["our-own-token"])
    for n in range(MOST + 1):
        secrets.shown(f"Bearer token-{n:03}-x")
    told = secrets.hide(f"our-own-token token-000-x token-{MOST:03}-x")
    assert told == "************* token-000-x ***********"


@pytest.mark.trio
async def test_a_desktop_that_repeats_its_token_leaves_it_nowhere(tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    async with served(token="tok-12345", record=record) as session:
        headers = [(b"authorization", b"Bearer tok-12345")]
        async with open_websocket_url(session.slack, extra_headers=headers) as socket:
            await socket.send_message('{"token": "tok-12345"}')
            await socket.aclose(4000, "I am tok-12345")
        await eventually(lambda: is_over(session))
        assert "tok-12345" not in json.dumps(
            [await events(session), await session.get("/findings")]
        )
    assert "tok-12345" not in record.read_text() + "".join(session.log)
    assert any("(bad)" in str(e) for e in read_trace(record).events)


async def is_over(session) -> bool:
    return any(event["kind"] == "ConnectionClosed" for event in await events(session))


async def events(session) -> list[dict[str, object]]:
    return (await session.get("/events"))["events"]


def test_a_server_that_repeats_a_token_leaves_it_in_no_recording_of_a_proxy(tmp_path):
    record = tmp_path / "run.jsonl"

    async def play() -> None:
        async with bench(recording=record) as b:
            headers = ((b"authorization", b"Bearer tok-12345"),)
            client, server = await b.pair(headers=headers)
            await server.close(4001, "bad token tok-12345")
            news = await client.receive()
            assert news.reason == "bad token tok-12345"
            await b.no_links()

    run(play)
    assert "tok-12345" not in record.read_text()
    assert "bad token *********" in record.read_text()


def test_a_report_of_a_mistake_of_ours_shows_no_secret_of_the_command_line(capsys):
    arguments = ["connect", "ws://me:tok-12345@h/slack?token=tok-12345", "--token", "tok-12345"]
    complain(ZeroDivisionError("x"), [*arguments, "--token=tok-12345", "--seed", "5"])
    told = capsys.readouterr().err
    assert "tok-12345" not in told
    assert "h/slack" in told
    assert "--seed 5" in told
