"""Tales of the question bridge: events made by hand, and their bad twin.

A tale is a function ``(tale, bad)``; it is told twice, once well and once with the one
thing in it that the row forbids. Nothing runs: no world, no twin. Hosts have the names of
their kinds; ``u1`` and ``u2`` are entries of ``call_u1`` and ``call_u2`` in ``ses_1`` of
``/proj``, with options A and B and the messages 101 and 102; Alice is 7001, Bob 7002.
A call is answered at once unless told otherwise, and follows from what its caller had last.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sim.core.event import (
    CallAnswered,
    CallApplied,
    CallIssued,
    Erased,
    FaultInjected,
    HostCrashed,
    Noted,
    Saved,
)
from sim.core.http import HttpRequest, HttpResponse, Unreached
from sim.core.op import NoAnswer
from sim.protocols.handmade import Handmade
from sim.protocols.question.before import BeforeTool, HookReturned
from sim.protocols.question.catalogue.tale_values import (
    ALICE,
    BUTTONS,
    MESSAGES,
    bot,
    entry,
    item,
    keyboard,
    ok,
)
from sim.protocols.question.constants import (
    BROKEN_SUFFIX,
    HOOK,
    KINDS,
    LEASE_SUFFIX,
    LISTENER,
    LOCK_SUFFIX,
    OPENCODE,
    STORE,
    STORE_FILE,
    TELEGRAM,
)
from sim.protocols.question.oracles.oracle import QuestionInvariant
from sim.protocols.question.store.operations import CreateFile, Done, RenameFile
from sim.protocols.question.telegram.plan import CHAT, TOKEN
from sim.protocols.question.view import QuestionView, Surroundings
from sim.world.host import START_MS


class Tale(Handmade):
    """Events of OpenCode, its hook, the store, the listener and Telegram."""

    view: QuestionView
    CALM_S = 100
    LAST = STORE

    def __init__(self, invariant: type[QuestionInvariant]) -> None:
        private = frozenset({"private"})
        super().__init__(QuestionView(Surroundings(private=private)), invariant, KINDS)
        self.last: dict[str, int] = {}
        self.entries: dict[str, dict[str, Any]] = {}
        self.updates = 9000
        self.offset = 0
        self.messages = 200

    # -- events -----------------------------------------------------------------

    def crashes(self, host: str) -> None:
        """A life of a host ends."""
        self.tell(HostCrashed, host=host, epoch=1)

    def log(self, text: str, level: str = "info", host: str = LISTENER) -> None:
        """A line of a log."""
        self.tell(Noted, host=host, what="log", data={"level": level, "text": text})

    def fault(self, name: str) -> None:
        """Something befalls the world."""
        self.tell(FaultInjected, fault=name, target="")

    # -- calls ------------------------------------------------------------------

    def asks(self, caller: str, callee: str, request: Any) -> int:
        """A call sets out; its number."""
        cause = self.last.get(caller, -1)
        return self.tell(CallIssued, cause, caller=caller, callee=callee, request=request)

    def gets(self, call: int, caller: str, callee: str, request: Any, reply: Any,
             is_applied: bool = True) -> None:  # fmt: skip
        """It is answered."""
        facts = {"caller": caller, "callee": callee, "call": call}
        cause = call
        if is_applied:
            cause = self.tell(CallApplied, call, request=request, reply=reply, **facts)
        self.last[caller] = self.tell(CallAnswered, cause, reply=reply, **facts)

    def calls(self, caller: str, callee: str, request: Any, reply: Any, takes: float = 0.01) -> int:
        """A call and its answer; ``takes`` seconds."""
        call = self.asks(caller, callee, request)
        self.wait(takes)
        is_applied = not isinstance(reply, Unreached | NoAnswer)
        self.gets(call, caller, callee, request, reply, is_applied)
        return call

    def fresh(self, host: str = LISTENER) -> None:
        """The next call of a host is another handler's."""
        self.last.pop(host, None)

    # -- OpenCode ------------------------------------------------------------------

    def lists(self, *items: Any, reply: Any = None, directory: str | None = "/proj",
              who: str = LISTENER, takes: float = 0.01) -> None:  # fmt: skip
        """GET /question of a project, with these items (names of entries, or whole items)."""
        found = [item(one) if isinstance(one, str) else one for one in items]
        query = () if directory is None else (("directory", directory),)
        request = HttpRequest("GET", "/question", query)
        self.calls(who, OPENCODE, request, reply or HttpResponse(200, found), takes)

    def post(self, id: str, how: str, body: Any = None, directory: str = "/proj") -> HttpRequest:
        """A reply or reject, as it is asked."""
        return HttpRequest("POST", f"/question/{id}/{how}", (("directory", directory),), body)

    def replies(self, id: str, value: Any = "A", reply: Any = None, body: Any = None,
                who: str = LISTENER, **more: Any) -> None:  # fmt: skip
        """POST /question/{id}/reply."""
        request = self.post(id, "reply", body or {"answers": [[value]]}, **more)
        self.calls(who, OPENCODE, request, reply or HttpResponse(200, True))

    def rejects(self, id: str, reply: Any = None, **more: Any) -> None:
        """POST /question/{id}/reject."""
        request = self.post(id, "reject", **more)
        self.calls(LISTENER, OPENCODE, request, reply or HttpResponse(200, True))

    def asked(self, name: str = "u1", directory: str = "/proj") -> None:
        """OpenCode registers a question."""
        told = {
            "requestID": f"que_{name}", "sessionID": "ses_1", "callID": f"call_{name}",
            "directory": directory, "tool_state": "running",
        }  # fmt: skip
        self.tell(Noted, host=OPENCODE, what="question.asked", data=told)

    def closed(self, name: str = "u1", how: str = "replied", by: str = "http",
               state: str = "completed") -> None:  # fmt: skip
        """OpenCode closes it."""
        told = {"requestID": f"que_{name}", "by": by, "tool_state": state, "answers": [["A"]]}
        self.tell(Noted, host=OPENCODE, what=f"question.{how}", data=told)

    # -- the hook --------------------------------------------------------------------

    def before(self, name: str = "u1", tool: str = "question", more: tuple[Any, ...] = (),
               **asked: Any) -> int:  # fmt: skip
        """OpenCode tells the hook of a tool; the call's number."""
        options = [{"label": one, "description": ""} for one in BUTTONS]
        questions = [{"question": "Deploy?", "header": "Pick", "options": options, **asked}, *more]
        args = {"questions": questions}
        request = BeforeTool(tool, "ses_1", f"call_{name}", args, "/proj")
        call = self.last[HOOK] = self.asks(OPENCODE, HOOK, request)
        return call

    def returned(self, call: int, threw: str = "") -> None:
        """The hook returns."""
        facts = {"caller": OPENCODE, "callee": HOOK, "call": call}
        self.tell(CallApplied, call, request=None, reply=HookReturned(threw), **facts)

    def sends(self, name: str = "u1", reply: Any = None, keys: Any = None, text: str = "Q",
              takes: float = 0.01) -> None:  # fmt: skip
        """The hook sends the message with the buttons."""
        keys = keyboard(name) if keys is None else keys
        body = {"chat_id": CHAT, "text": text, "reply_markup": {"inline_keyboard": keys}}
        good = ok({"message_id": MESSAGES[name], "chat": {"id": int(CHAT)}})
        self.calls(HOOK, TELEGRAM, bot("sendMessage", body), reply or good, takes)

    # -- the store ---------------------------------------------------------------------

    def writes(self, by: str = LISTENER, lock: bool = True, **entries: Any) -> None:
        """A process writes the pending file: these entries changed (None: gone)."""
        for name, fields in entries.items():
            if fields is None:
                self.entries.pop(name, None)
            else:
                self.entries[name] = {**self.entries.get(name, entry(name)), **fields}
        if lock:
            self.locks(by)
        self.renames(by)
        if lock:
            self.unlocks()

    def renames(self, by: str, text: str = "") -> None:
        """The new file takes the place of the old one."""
        request = RenameFile(STORE_FILE + ".new", STORE_FILE)
        call = self.asks(by, STORE, request)
        value = text or json.dumps(self.entries)
        self.tell(Saved, call, host=STORE, key=STORE_FILE, value=value)
        self.gets(call, by, STORE, request, Done())

    def locks(self, by: str, owner: str = "") -> None:
        """A process takes the lock."""
        text = json.dumps({"owner": owner or f"{by}#1", "at": self.now_ms, "id": self.n})
        request = CreateFile(STORE_FILE + LOCK_SUFFIX, text)
        call = self.asks(by, STORE, request)
        self.tell(Saved, call, host=STORE, key=STORE_FILE + LOCK_SUFFIX, value=text)
        self.gets(call, by, STORE, request, Done())

    def unlocks(self) -> None:
        """The lock is given back."""
        self.tell(Erased, host=STORE, key=STORE_FILE + LOCK_SUFFIX)

    @property
    def now_ms(self) -> int:
        """Unix milliseconds."""
        return START_MS + self.now // 1_000

    def kept(self, *names: str, age: float = 0, **fields: Any) -> None:
        """Entries that are in the store from the beginning; ``age`` in seconds."""
        for name in names:
            stamp = {"timestamp": self.now_ms - round(age * 1_000)}
            self.entries[name] = {**entry(name), **stamp, **fields}
        self.tell(Saved, host=STORE, key=STORE_FILE, value=json.dumps(self.entries))

    def puts(self, text: str) -> None:
        """Somebody else writes this into the pending file."""
        self.tell(Saved, host=STORE, key=STORE_FILE, value=text)

    def puts_aside(self, text: str, by: str = LISTENER) -> None:
        """A process renames a file that cannot be read."""
        target = f"{STORE_FILE}{BROKEN_SUFFIX}{self.now_ms}"
        request = RenameFile(STORE_FILE, target)
        call = self.asks(by, STORE, request)
        self.tell(Saved, call, host=STORE, key=target, value=text)
        self.tell(Erased, call, host=STORE, key=STORE_FILE)
        self.gets(call, by, STORE, request, Done())

    def leases(self, who: str) -> None:
        """A listener takes the lease."""
        text = json.dumps({"owner": f"{who}#1", "at": self.now_ms})
        request = CreateFile(STORE_FILE + LEASE_SUFFIX, text)
        call = self.asks(who, STORE, request)
        self.tell(Saved, call, host=STORE, key=STORE_FILE + LEASE_SUFFIX, value=text)
        self.gets(call, who, STORE, request, Done())

    def claims(self, name: str = "u1", who: str = LISTENER, **more: Any) -> None:
        """A handler claims an entry."""
        by = f"{who}#1/{self.n}"
        change: dict[str, Any] = {
            name: {"claimedBy": by, "claimedAt": self.now_ms, **more},
        }
        self.writes(who, **change)

    def lets_go(self, name: str = "u1", **more: Any) -> None:
        """It gives the entry back."""
        self.entries[name].pop("claimedBy", None)
        self.entries[name].pop("claimedAt", None)
        change: dict[str, Any] = {name: more}
        self.writes(**change)

    def removes(self, *names: str, by: str = LISTENER) -> None:
        """Entries go."""
        gone: dict[str, Any] = dict.fromkeys(names)
        self.writes(by, **gone)

    def waits(self, name: str = "u1", user: int = ALICE, prompt: int = 0, since: int = 1) -> None:
        """An entry waits for a text from the beginning."""
        self.kept(name, awaitingText=True, expectedUserId=user, awaitingSince=since,
                  customPromptMessageId=prompt or None)  # fmt: skip

    # -- Telegram -----------------------------------------------------------------------

    def polls(self, *updates: Mapping[str, Any], reply: Any = None, offset: int = -1,
              who: str = LISTENER, takes: float = 0.01, token: str = TOKEN) -> None:  # fmt: skip
        """getUpdates, with these updates; the next thing is a handler's."""
        self.fresh(who)
        query = (("offset", str(self.offset if offset < 0 else offset)), ("timeout", "30"))
        request = HttpRequest("GET", f"/bot{token}/getUpdates", query)
        self.calls(who, TELEGRAM, request, reply or ok(list(updates)), takes)

    def goes_on(self) -> None:
        """The listener polls, and waits for an answer."""
        query = (("offset", str(self.offset)), ("timeout", "30"))
        self.asks(LISTENER, TELEGRAM, HttpRequest("GET", f"/bot{TOKEN}/getUpdates", query))

    def update(self, **what: Any) -> dict[str, Any]:
        """The next update."""
        self.updates += 1
        return {"update_id": self.updates, **what}

    def press(self, data: str, user: int = ALICE, chat: str = CHAT, message: int = 101,
              is_bot: bool = False) -> dict[str, Any]:  # fmt: skip
        """A press on a button; its query is ``cbq_`` and the update's number."""
        about = {"message_id": message, "chat": {"id": int(chat)}, "text": "Q"}
        sender = {"id": user, "is_bot": is_bot}
        query = {"id": f"cbq_{self.updates + 1}", "from": sender, "message": about, "data": data}
        return self.update(callback_query=query)

    def text(self, said: str, user: int = ALICE, reply_to: int = 0, chat: str = CHAT,
             ) -> dict[str, Any]:  # fmt: skip
        """A text, perhaps as a reply."""
        self.messages += 1
        message: dict[str, Any] = {
            "message_id": self.messages, "from": {"id": user, "is_bot": False},
            "chat": {"id": int(chat)}, "text": said,
        }  # fmt: skip
        if reply_to:
            message["reply_to_message"] = {"message_id": reply_to}
        return self.update(message=message)

    def toasts(self, text: str = "ok", update: int = 0, reply: Any = None,
               who: str = LISTENER) -> None:  # fmt: skip
        """answerCallbackQuery for the newest update."""
        body = {"callback_query_id": f"cbq_{update or self.updates}", "text": text}
        self.calls(who, TELEGRAM, bot("answerCallbackQuery", body), reply or ok(True))

    def says(self, text: str, forced: bool = False, reply: Any = None) -> int:
        """The listener writes into the chat; the message's number."""
        self.messages += 1
        body: dict[str, Any] = {"chat_id": int(CHAT), "text": text}
        if forced:
            body["reply_markup"] = {"force_reply": True, "selective": False}
        good = ok({"message_id": self.messages, "chat": {"id": int(CHAT)}})
        self.calls(LISTENER, TELEGRAM, bot("sendMessage", body), reply or good)
        return self.messages

    def edits(self, message: int = 101) -> None:
        """The listener takes the buttons of a message away."""
        body = {"chat_id": int(CHAT), "message_id": message, "reply_markup": {}}
        request = bot("editMessageReplyMarkup", body)
        self.calls(LISTENER, TELEGRAM, request, ok({"message_id": message}))

    def works(self, name: str = "u1", data: str = "") -> None:
        """Somebody presses an option, and a handler claims the entry."""
        self.polls(self.press(data or f"qopt:{name}:0", message=MESSAGES[name]))
        self.claims(name)

    def answers(self, name: str = "u1", value: str = "A") -> None:
        """The question is listed and answered."""
        self.lists(name)
        self.replies(f"que_{name}", value)
