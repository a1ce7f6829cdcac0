"""OpenCode and Telegram are served, and plain HTTP clients are their hook and their listener."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import httpx
import pytest
import trio

from sim.check.checking import check_file
from sim.check.wanted import Wanted as Rules
from sim.cli.app import call
from sim.core.event import CallApplied
from sim.live.house import Plan
from sim.live.served import Served as Wanted
from sim.live.session import Running
from sim.protocols.question.invariants import BY_REQUESTS, INVARIANTS
from tests.live.strangers import Served, events, eventually, served

pytestmark = pytest.mark.trio

TOKEN = "7:sesame-open"
BUTTONS = {"inline_keyboard": [[{"text": "A", "callback_data": "qopt:aaaa0001:0"}]]}


@attrs.define
class Client:
    """A real hook and listener in one, as far as HTTP goes."""

    session: Served
    http: httpx.AsyncClient
    token: str = TOKEN

    async def bot(self, method: str, **parameters: Any) -> Any:
        url = f"{self.session.opened.urls['telegram']}/bot{self.token}/{method}"
        return (await self.http.post(url, json=parameters)).json()

    async def listed(self, directory: str = "") -> list[dict[str, Any]]:
        project = directory or self.session.opened.hints["project"]
        answer = await self.http.get(self.question, params={"directory": project})
        found: list[dict[str, Any]] = answer.json()
        return found

    @property
    def question(self) -> str:
        return f"{self.session.opened.urls['opencode']}/question"


@asynccontextmanager
async def client(token: str = "", **options: Any) -> AsyncIterator[Client]:
    record, speed = options.pop("record", None), options.pop("speed", 1.0)
    plan = Plan(protocol="question", running=Running(record, speed), served=Wanted(**options))
    async with served(plan, token) as session, httpx.AsyncClient(timeout=20) as http:
        yield Client(session, http)


async def test_the_check_command_of_the_document_shows_the_three_ids() -> None:
    async with client() as real:
        project = real.session.opened.hints["project"]
        url = f"{real.question}?directory={project}"
        with await trio.to_thread.run_sync(urllib.request.urlopen, url) as answer:
            (item,) = json.load(answer)
        elsewhere = await real.listed("/elsewhere")
    assert (item["id"], item["sessionID"]) == ("que_1", "ses_demo")
    assert item["tool"]["callID"] == "call_1"
    assert [one["label"] for one in item["questions"][0]["options"]] == ["staging", "production"]
    assert elsewhere == []


async def test_a_press_reaches_a_long_poll_at_once_and_comes_again_until_confirmed() -> None:
    async with client() as real:
        sent = await real.bot("sendMessage", chat_id="-4200000001", text="?", reply_markup=BUTTONS)
        box: list[Any] = []

        async def poll() -> None:
            box.append(await real.bot("getUpdates", timeout=30))

        with trio.fail_after(10):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(poll)
                await trio.sleep(0.1)
                assert (await real.session.post("/press", button="A"))["ok"]
        (update,) = box[0]["result"]
        assert update["callback_query"]["data"] == "qopt:aaaa0001:0"
        assert update["callback_query"]["message"]["message_id"] == sent["result"]["message_id"]
        again = await real.bot("getUpdates", offset=update["update_id"])
        assert again["result"] == [update]
        assert (await real.bot("getUpdates", offset=update["update_id"] + 1))["result"] == []


async def test_a_reply_closes_the_question_and_the_tool_is_completed() -> None:
    async with client() as real:
        (item,) = await real.listed()
        reply = f"{real.question}/{item['id']}/reply"
        answer = await real.http.post(reply, json={"answers": [["staging"]]})
        assert (answer.status_code, answer.json()) == (200, True)
        assert await real.listed() == []
        (told,) = await real.session.get("/questions")
    assert (told["state"], "staging" in told["output"]) == ("OK", True)


async def test_what_a_real_listener_asks_is_judged_while_it_asks() -> None:
    async with client() as real:
        (item,) = await real.listed()
        reply = f"{real.question}/{item['id']}/reply"
        await real.http.post(reply, json={"answers": ["staging"]})
        prompt = {"force_reply": True}
        await real.bot("sendMessage", chat_id="-4200000001", text="Type!", reply_markup=prompt)
        findings = (await real.session.get("/findings"))["findings"]
        log = "\n".join(real.session.log)
    assert [one["rule"] for one in findings] == [
        "replies-hold-one-value",
        "prompts-recommend-replies",
    ]
    assert {one["side"] for one in findings} == {"listener"}
    assert "rule: A reply's body is" in log


async def test_who_looks_with_curl_at_a_twin_s_questions_is_no_listener(tmp_path: Path) -> None:
    record = tmp_path / "looked.jsonl"
    async with client(twins=frozenset({"listener"}), record=record) as real:
        (item,) = await real.listed()
        await real.http.post(f"{real.question}/{item['id']}/reply", json={"answers": [["staging"]]})
        assert (await real.session.get("/findings"))["findings"] == []
    assert check_file(str(record), Rules()).found == ()


async def test_the_rules_for_real_programs_are_there() -> None:
    assert set(BY_REQUESTS) <= {one.name for one in INVARIANTS}


async def test_people_write_press_reply_and_delete_over_the_control_api() -> None:
    async with client(demo=False) as real:
        prompt = {"force_reply": True}
        chat = {"chat_id": "-4200000001"}
        await real.bot("sendMessage", **chat, text="write", reply_markup=prompt)
        await real.session.post("/reply", text="my own", person="Bob")
        await real.session.post("/message", text="hello")
        told = await eventually(lambda: _all_told(real, 2))
        messages = (await real.session.get("/channels/telegram"))["messages"]
        assert [one["text"] for one in messages] == ["write", "my own", "hello"]
        assert (await real.session.post("/delete", message=messages[2]["id"]))["ok"]
        gone = (await real.session.get("/channels/telegram"))["messages"][2]
    first, second = (one["message"] for one in told)
    assert (first["reply_to_message"]["text"], first["from"]["first_name"]) == ("write", "Bob")
    assert "reply_to_message" not in second
    assert gone["deleted"]


async def _all_told(real: Client, count: int) -> Any:
    told = (await real.bot("getUpdates"))["result"]
    return told if len(told) == count else None


REFUSED: tuple[tuple[str, dict[str, Any], int], ...] = (
    ("/press", {"button": "nobody has it"}, 409),
    ("/press", {"message": "999"}, 404),
    ("/reply", {"text": "to whom?"}, 409),
    ("/message", {"text": "x", "chat": "-1"}, 404),
    ("/message", {"text": "x", "channel": "slack"}, 404),
    ("/delete", {"message": "999"}, 404),
    ("/ask", {"options": []}, 400),
    ("/dismiss", {"request": "que_9"}, 404),
    ("/answer", {"answers": "A"}, 400),
    ("/http", {"to": "opencode", "outcome": "sulks"}, 400),
    ("/http", {"to": "nobody", "outcome": "lost"}, 404),
    ("/http", {"to": "opencode", "outcome": "lost", "request": "sulk"}, 400),
    ("/fault", {"outcome": "sulks"}, 404),
    ("/act", {"host": "listener", "act": {}}, 409),
    ("/act", {"host": "opencode", "act": {"is": "sulk"}}, 400),
)


async def test_what_means_nothing_is_refused_with_what_would() -> None:
    async with client() as real:
        told = [await real.session.post(path, **body) for path, body, _ in REFUSED]
    assert [one["status"] for one in told] == [status for _, _, status in REFUSED], told
    assert all(one["error"] for one in told)


async def test_the_desk_answers_dismisses_and_aborts_over_the_control_api() -> None:
    async with client() as real:
        await real.session.post("/answer", answers=[["production"]])
        for verb in ("/dismiss", "/abort"):
            await real.session.post("/ask", question=verb)
            await real.session.post(verb)
        await real.session.post("/tool", tool="bash", args={"command": "ls"})
        states = [one["state"] for one in await real.session.get("/questions")]
        assert await real.listed() == []
        session = f"{real.session.opened.urls['opencode']}/session/ses_demo/message"
        tools = [one["parts"][0] for one in (await real.http.get(session)).json()]
    assert states == ["OK", "REJECTED", "CANCELLED"]
    assert [(one["tool"], one["state"]["status"]) for one in tools] == [
        ("question", "completed"),
        ("question", "error"),
        ("question", "error"),
        ("bash", "completed"),
    ]


async def test_faults_of_http_happen_to_real_requests() -> None:
    async with client() as real:
        (item,) = await real.listed()
        fault = {"to": "opencode", "request": "GET /question"}
        await real.session.post("/http", **fault, outcome="503")
        project = real.session.opened.hints["project"]
        asked = await real.http.get(real.question, params={"directory": project})
        assert asked.status_code == 503
        for outcome in ("reset", "refused"):
            await real.session.post("/http", **fault, outcome=outcome)
            with pytest.raises(httpx.TransportError):
                await real.listed()
        await real.session.post("/http", **fault, outcome="lost")
        with pytest.raises(httpx.TransportError), trio.fail_after(5):
            await real.http.get(real.question, timeout=0.1)
        broken = {"to": "opencode", "request": "POST /question/*/reply", "outcome": "broken"}
        await real.session.post("/http", **broken)
        with pytest.raises(httpx.TransportError):
            await real.http.post(f"{real.question}/{item['id']}/reply", json={"answers": [["x"]]})
        assert await real.listed() == []  # it was applied


async def test_telegram_misbehaves_on_demand() -> None:
    async with client() as real:
        await real.session.post("/fault", outcome="429", op="post", for_s=3)
        sent = await real.bot("sendMessage", chat_id="-4200000001", text="x")
        assert (sent["error_code"], sent["parameters"]["retry_after"]) == (429, 3)
        assert (await real.bot("sendMessage", chat_id="-4200000001", text="x"))["ok"]


async def test_a_dead_opencode_refuses_and_its_next_life_knows_no_question() -> None:
    async with client() as real:
        assert await real.listed()
        await real.session.post("/crash", host="opencode")
        with pytest.raises(httpx.TransportError):
            await real.listed()
        with pytest.raises(httpx.ConnectError):
            await real.listed()
        await real.session.post("/restart", host="opencode")
        assert await real.listed() == []


async def test_tokens_stand_in_no_recording_and_no_log(tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    async with client(TOKEN, record=record) as real:
        for token, status in ((TOKEN, None), ("8:somebody-else", 401)):
            real.token = token
            assert (await real.bot("getMe")).get("error_code") == status
            await real.bot("sendMessage", chat_id="-4200000001", text=f"I am {token}")
        log = real.session.log
    text = record.read_text() + "".join(log)
    assert not any(one in text for one in ("sesame-open", "somebody-else"))
    applied = events(record, CallApplied)
    paths = [one.request["path"] for one in applied if "path" in one.request]
    assert paths.count("/bottoken-A/getMe") == paths.count("/botunknown-bot/getMe") == 1


async def test_twins_share_a_real_file_with_real_programs(tmp_path: Path) -> None:
    store, record = tmp_path / "pending.json", tmp_path / "run.jsonl"
    twins = frozenset({"hook", "listener"})
    async with client(twins=twins, store=str(store), record=record) as real:

        async def pending() -> Any:
            kept = json.loads(store.read_text()) if store.exists() else {}
            return [one for one in kept.values() if "messageId" in one]

        (entry,) = await eventually(pending)
        assert (entry["callID"], entry["sid"]) == ("call_1", "ses_demo")
        await real.session.post("/press", button="production")
        await eventually(lambda: _state(real, "OK"))

        async def settled() -> bool:
            return json.loads(store.read_text()) == {}

        await eventually(settled)
        findings = await real.session.get("/findings")
        log = real.session.log
    assert findings["count"] == 0, findings
    assert any("✅ question 已回传 OpenCode: requestID=que_1" in line for line in log)
    again = tmp_path / "again.mmd"
    assert await trio.to_thread.run_sync(call, ["diagram", str(record), "--out", str(again)]) == 0
    assert "POST /question/{requestID}/reply" in again.read_text()


async def _state(real: Client, state: str) -> bool:
    return (await real.session.get("/questions"))[-1]["state"] == state
