"""The twins under the stimuli of a recording: the same people, times, and outcomes.

What was done to the real program is done to the twins at the same moment; what happens
while a question is being looked for (it gets listed, somebody answers at the desk) keeps
its place between two lists, however fast either side is.
"""

from __future__ import annotations

import json
from typing import Any

from sim.channel.api import Press, Say
from sim.core.op import Save, Wait, Wake
from sim.protocols.question import acts
from sim.protocols.question.constants import NO_LIMIT_US, STORE_FILE
from sim.protocols.question.hook.plan import HookPlan
from sim.protocols.question.hook.twin import Hook
from sim.protocols.question.listener import Listener, ListenerPlan
from sim.protocols.question.opencode.parts import Part
from sim.protocols.question.opencode.plan import OpenCodePlan
from sim.protocols.question.opencode.twin import OpenCode
from sim.protocols.question.telegram import BotAccount, BotApi, BotApiPlan
from sim.protocols.question.telegram.plan import CHAT, Standing
from sim.world.host import START_MS
from tests.protocols.question.golden_recording import BEFORE, LISTENERS, Line, Recording
from tests.protocols.question.golden_script import AsLate, Script
from tests.protocols.question.question_play import QuestionPlay
from tests.world.play import MS

NAMES = ("Alice", "Bob")
PATIENCE_MS = 2_000
"""How long something waits for the twin's call at which it belongs."""
NOT_STIMULI = ("message", "toast", "edit", "edit_markup", "hook_returned", "final_state")


class Desk(OpenCode):
    """OpenCode whose tools register their question when the recording says so."""

    __slots__ = ("due",)

    def __init__(self, port: Any, plan: OpenCodePlan) -> None:
        super().__init__(port, plan)
        self.due: set[str] = set()

    async def _question(self, part: Part, act: acts.RunTool) -> None:
        if act.request not in self.due:
            await self.perform(Wait(f"asked {act.request or part.call}", NO_LIMIT_US))
        await super()._question(part, act)

    async def registers(self, request: str) -> None:
        self.due.add(request)
        await self.perform(Wake(f"asked {request}"))


class Named:
    """A port whose next ids are those of the recording."""

    def __init__(self, port: Any, ids: list[str]) -> None:
        self._port = port
        self._ids = ids

    def new_id(self) -> str:
        return self._ids.pop(0) if self._ids else str(self._port.new_id())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._port, name)


class GoldenPlay(QuestionPlay):
    """One recording, played. ``unknown``: events of which nobody knows what they do."""

    def __init__(self, recording: Recording, *off: str, extra_ms: int = 0) -> None:
        super().__init__(*off)
        self.of = recording
        self.unknown: list[str] = []
        self.script = Script(recording)
        self.world.http_faults = self.script
        self._updates: dict[int, Any] = {}
        self._ids = [unique_id for _, unique_id in recording.befores if unique_id]
        self._befores = self._matched()
        self._set_up()
        for at_ms, line in self._stimuli():
            self._until(line, at_ms)
            self._do(line)
        self.run_until(recording.final["at_ms"] + extra_ms)

    # -- the stage

    def _set_up(self) -> None:
        of = self.of
        people = (*NAMES, *(f"u{7001 + n}" for n in range(2, of.people)))
        events = of.events("callback_query", "text")
        chats = dict.fromkeys(str(line.get("chat", CHAT)) for line in events)
        telegram = BotApiPlan(
            bots=(BotAccount(privacy="off" if of.hears_texts else "on"),),
            groups=tuple(chat for chat in chats if chat.startswith("-") and chat != CHAT),
            people=people,
            standing=tuple(self._standing(line) for line in of.events("preload_message")),
        )
        entries = {u: self._dated(entry) for u, entry in of.preloaded.items()}
        if entries:
            self.perform("store", Save(STORE_FILE, json.dumps(entries)))
        self._add("telegram", lambda port: BotApi(port, telegram))
        desk = OpenCodePlan(directory="/nowhere", rules=self.rules)
        self._add("opencode", lambda port: Desk(port, desk))
        self._add("hook", lambda port: Hook(Named(port, self._ids), HookPlan(rules=self.rules)))
        for name in LISTENERS:
            plan = ListenerPlan(rules=self.rules)
            self.world.add_host(name, "listener", lambda port, plan=plan: Listener(port, plan))
            self._near(name)
        self._slow_answers()

    def _standing(self, line: Line) -> Standing:
        unique_id = line["buttons_for"]
        shown = {one["message_id"]: one["text"] for one in self.of.final["messages"]}
        options = self.of.preloaded.get(unique_id, {}).get("options", [])
        keys = [(one["label"], f"qopt:{unique_id}:{n}") for n, one in enumerate(options)]
        text = shown.get(line["message_id"], "") or "question"
        return Standing(text, (*keys, ("own answer", f"qcustom:{unique_id}")))

    def _dated(self, entry: Line) -> Line:
        """The entry with the same age on this world's clock."""
        if "timestamp" not in entry:
            return entry
        return {**entry, "timestamp": START_MS + round(entry["timestamp"] - self.of.base_ms)}

    def _slow_answers(self) -> None:
        """How long OpenCode's answers take, and how long the hook waits for the answer after
        its message is in the chat."""
        for name in LISTENERS:
            self.world._routes["opencode", name, True] = AsLate(self.script)  # type: ignore[assignment]
        sent = [c for c in self.of.methods("sendMessage") if c["from"] == "hook"]
        shown = [m["at_ms"] for m in self.of.events("message") if m["buttons"]]
        late = [c["done_ms"] - at for c, at in zip(sent, shown, strict=False)]
        slow = max(late, default=0)
        if slow > 100:  # of several questions all get the slowest: it only matters to one
            self.world.route("telegram", "hook", reply=True).latency = (slow * MS, slow * MS)

    def _matched(self) -> dict[int, Line]:
        """Which registration belongs to which run of the tool (by the run's line)."""
        free = self.of.events("question.asked")
        found: dict[int, Line] = {}
        for line, _ in self.of.befores:
            ids = (line["input"].get("callID"), line["input"]["sessionID"])
            fits = (a for a in free if (a["callID"], a["sessionID"]) == ids)
            asked = next((a for a in fits if a["at_ms"] >= line["at_ms"]), None)
            if asked is not None:
                free.remove(asked)
                found[id(line)] = asked
        return found

    # -- the play

    def _stimuli(self) -> list[tuple[int, Line]]:
        """What is to be done, and when; a tool runs when its hook first wrote."""
        wrote = {id(b): self.of.added[u]["at_ms"] - 2 for b, u in self.of.befores if u}
        found = [
            (wrote.get(id(line), line["at_ms"]), line)
            for line in self.of.lines
            if "event" in line and line["event"] not in NOT_STIMULI and line.get("by") != "http"
        ]
        found += [
            (at_ms, {"from": "network", "event": "poll breaks", "how": how})
            for at_ms, how in self.script.broken
        ]
        return sorted(found, key=lambda pair: pair[0])

    def run_until(self, at_ms: float) -> None:
        self.driver.run(limit_us=max(self.world.now, int(at_ms * MS)))

    def _until(self, line: Line, at_ms: float) -> None:
        """Let it be as late as in the recording: by the clock, or within a search."""
        calls = self.of.calls("opencode", *LISTENERS)
        nth = sum(call["at_ms"] <= at_ms for call in calls) - 1
        is_within = 0 <= nth < len(calls) - 1 and calls[nth + 1]["at_ms"] - calls[nth]["at_ms"] < (
            400 + calls[nth]["done_ms"] - calls[nth]["at_ms"]
        )
        if not is_within or line["event"] in ("process_start", "process_kill"):
            self.run_until(at_ms)
            return
        starts = self.script.starts
        late_us = int((at_ms + PATIENCE_MS) * MS)
        self.driver.run(lambda: len(starts) > nth, limit_us=late_us)
        if len(starts) > nth and not self._seen_by(calls[nth], line):
            after_us = int((at_ms - calls[nth]["at_ms"]) * MS)
            self.driver.run(limit_us=max(self.world.now, starts[nth] + after_us))

    def _seen_by(self, call: Line, line: Line) -> bool:
        """Whether the list that was being asked for knew already of what happens here."""
        body = call["response"].get("body")
        if not isinstance(body, list) or "requestID" not in line:
            return False
        is_listed = any(item.get("id") == line["requestID"] for item in body)
        return is_listed is (line["event"] == "question.asked")

    def _do(self, line: Line) -> None:
        match line["from"], line["event"]:
            case "scenario", "process_start":
                self._start(line["to"])
            case "scenario", "process_kill":
                if self.world.hosts[line["to"]].up:
                    self.crash(line["to"])
            case "scenario", "preload" | "preload_message":
                pass
            case "scenario", "corrupt":
                self.world.act("store", acts.BreakStore(line["raw"]))
            case "scenario", word if "redeliver" in word:
                self._redeliver(line["update_id"])
            case "scenario", word if "lock" in word:
                self._lock(line)
            case "network", _:
                self._break_poll(line["how"])
            case _, "callback_query":
                self._press(line)
            case _, "text":
                self._say(line)
            case _, event if event == BEFORE:
                self._run_tool(line)
            case _, "question.asked":
                self._asked(line)
            case _, "question.replied":
                rows = tuple(tuple(row) for row in line["answers"])
                self.world.act("opencode", acts.AnswerHere(line["requestID"], rows))
            case _, "question.rejected":
                self.world.act("opencode", acts.DismissHere(line["requestID"]))
            case who, event:
                self.unknown.append(f"{who}: {event}")
        self.driver.drain()

    def _start(self, name: str) -> None:
        if name not in self.world.hosts:
            self.unknown.append(f"start of {name}")
        elif not self.world.hosts[name].up:
            self.world.boot(name)

    def _lock(self, line: Line) -> None:
        """Somebody takes the lock, or leaves it; one that nobody frees was left by the dead."""
        frees = [one for one in self.of.lines if _is_freed(one)]
        if _is_freed(line):
            self.world.act("store", acts.RemoveLock())
        else:
            is_held = any(one["at_ms"] > line["at_ms"] for one in frees)
            owner = "opencode#1" if is_held else "killed#1"
            self.world.act("store", acts.LeaveLock(owner))

    def _break_poll(self, how: str) -> None:
        """The getUpdates that waits comes to this."""
        self.script.poll.outcome = how

        async def ends(actor: Any) -> None:
            await actor._wake(actor.state.bots[0], "news")

        self.tell("telegram", ends)

    def _redeliver(self, update_id: int) -> None:
        async def again(actor: Any) -> None:
            bot = actor.state.bots[0]
            bot.inbox._waiting.insert(0, self._updates[update_id])  # confirmed no more
            await actor._wake(bot, "news")

        self.tell("telegram", again)

    # -- people

    def _person(self, line: Line) -> str:
        number = line["user"] - 7001
        return NAMES[number] if 0 <= number < len(NAMES) else f"u{line['user']}"

    def _press(self, line: Line) -> None:
        message = str(self.message_here(line["message_id"]))
        self.world.act("telegram", Press(self._person(line), message, line["data"]))
        self._remember()

    def _say(self, line: Line) -> None:
        quoted = line.get("reply_to")
        chat = str(line.get("chat", CHAT))
        if self.of.hears_texts and line["message_id"] not in self.of.heard:
            self._say_to_others(line, chat)
            return
        reply_to = "" if quoted is None else str(self.message_here(quoted))
        act = Say(
            self._person(line), line["text"], chat="" if chat == CHAT else chat, reply_to=reply_to
        )
        self.world.act("telegram", act)
        self._remember()

    def _say_to_others(self, line: Line, chat: str) -> None:
        """A text of which this bot is not told: it stands in the chat, and no more."""

        async def stands(actor: Any) -> None:
            post = actor.state.board.add(chat, line["text"], 0)
            post.person = self._person(line)

        self.tell("telegram", stands)

    def _remember(self) -> None:
        """Updates by the numbers that they have in both worlds."""
        self.driver.drain()
        waiting = self.world.hosts["telegram"].actor.state.bots[0].inbox._waiting  # type: ignore[union-attr]
        self._updates.update({one.id: one for one in waiting})

    # -- OpenCode

    def _run_tool(self, line: Line) -> None:
        asked = self._befores.get(id(line), {})
        told = line["input"]
        item = self.of.questions.get(asked.get("requestID", ""), {"tool": {}})
        act = acts.RunTool(
            session=told["sessionID"],
            tool=told["tool"],
            call=told.get("callID", ""),
            directory=line["directory"],
            args=line["args"],
            request=asked.get("requestID", ""),
            names_call=bool(told.get("callID")),
            shows_tool="tool" in item,
        )
        self.world.act("opencode", act)

    def _asked(self, line: Line) -> None:
        request = line["requestID"]
        if any(asked is line for asked in self._befores.values()):
            self.tell("opencode", lambda actor: actor.registers(request))
            return
        item = self.of.questions.get(request, {})
        call = line["callID"] or ""
        part = Part(line["sessionID"], call, "question", line["directory"], f"msg_{request}")
        part.shows_call = "tool" in item if item else bool(call)
        questions = item.get("questions") or [{"question": "Q", "options": []}]

        async def stands(actor: Any) -> None:
            await actor.sessions.begin(part)
            await actor.sessions.ask(part, request, questions)

        self.tell("opencode", stands)

    # -- messages of both worlds

    def message_here(self, theirs: int) -> int:
        """The twin's number of a recorded message: a question by its buttons, a prompt or
        any other by its place among its kind."""
        kinds = self.kinds_there
        kind = kinds.get(theirs)
        if kind is None:
            return theirs
        place = [n for n in kinds if kinds[n] == kind].index(theirs)
        here = [n for n, k in self.kinds_here().items() if k == kind]
        return here[place] if place < len(here) else theirs

    @property
    def kinds_there(self) -> dict[int, str]:
        found: dict[int, str] = {}
        for line in self.of.lines:
            match line.get("event"):
                case "preload_message":
                    found[line["message_id"]] = f"question {line['buttons_for']}"
                case "message":
                    found[line["message_id"]] = _kind(line["buttons"], line["force_reply"])
                case "text":
                    found[line["message_id"]] = "text"
        return found

    def kinds_here(self) -> dict[int, str]:
        posts = list(self.world.hosts["telegram"].actor.state.board.newest_first())  # type: ignore[union-attr]
        found: dict[int, str] = {}
        for post in reversed(posts):
            if post.person:
                found[post.number] = "text"
            else:
                buttons = [("", data) for data in post.keys]
                found[post.number] = _kind(buttons, post.forces_reply)
        return found


def _is_freed(line: Line) -> bool:
    word = str(line.get("event", ""))
    marks = ("unlock", "freed", "release", "remove")
    return line["from"] == "scenario" and "lock" in word and any(m in word for m in marks)


def _kind(buttons: Any, force_reply: bool) -> str:
    if buttons:
        return f"question {buttons[-1][1].split(':')[1]}"
    return "prompt" if force_reply else "plain"
