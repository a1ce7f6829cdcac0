"""Slack: its API, its people, its webhooks and its faults."""

from __future__ import annotations

from typing import Any

import pytest

from sim.channel.api import (
    SEEN,
    Button,
    ButtonPressed,
    ChannelFault,
    DeleteMessage,
    Done,
    EditMessage,
    MessageRemoved,
    PersonSaid,
    PostMessage,
    Press,
    React,
    Refused,
    Remove,
    Say,
)
from sim.channel.history import History
from sim.core.actor import Actor, Port
from sim.core.op import NO_ANSWER, Call
from sim.drivers.step import StepDriver
from sim.hosts.person import Person
from sim.hosts.slack import Slack
from sim.world.world import World

SECOND_US = 1_000_000


class Bot(Actor):
    """A server that calls as told and sees events unless it is ``deaf``."""

    __slots__ = ("play",)

    def __init__(self, port: Port, play: Play) -> None:
        super().__init__(port)
        self.play = play

    async def on_call(self, caller: str, request: Any) -> Any:
        self.play.events.append((self.port.now_us(), request))
        return NO_ANSWER if self.play.deaf else SEEN

    async def on_act(self, act: Any) -> None:
        self.play.replies.append(await self.perform(Call("IM", act)))


class Play:
    def __init__(self) -> None:
        self.events: list[tuple[int, Any]] = []
        self.replies: list[Any] = []
        self.deaf = False
        self.world = World(1)
        self.driver = StepDriver(self.world)
        self.history = History()
        for kind in self.history.kinds:
            self.world.watch(kind, self.history.on)
        self.world.add_host("S", "server", lambda p: Bot(p, self))
        self.world.add_host("IM", "slack", lambda p: Slack(p, "S"))
        self.world.add_host("Alice", "person", lambda p: Person(p, "IM"))
        for name in list(self.world.hosts):
            self.world.boot(name)

    def act(self, who: str, act: Any, seconds: float = 1) -> None:
        self.world.act(who, act)
        self.driver.run(limit_us=self.world.now + int(seconds * SECOND_US))

    def call(self, request: Any, seconds: float = 1) -> Any:
        before = len(self.replies)
        self.act("S", request, seconds)
        return self.replies[-1] if len(self.replies) > before else None

    def fault(self, op: str, outcome: str, seconds: float = 0, always: bool = False) -> None:
        self.act("IM", ChannelFault(op, outcome, int(seconds * SECOND_US), always), 0)

    def message(self, name: str) -> Any:
        return self.history.get("IM", name)


def test_a_message_without_a_thread_starts_one():
    play = Play()
    play.act("Alice", Say("", "hi"))
    [(_, said)] = play.events
    assert said == PersonSaid(
        "IM-e1", "C1", "m1", "m1", "Alice", "hi", True, "T1", "U1", "alice", "#C1"
    )
    play.act("Alice", Say("", "more", thread="m1"))
    assert play.events[-1][1].thread == "m1"
    assert play.message("m2").text == "more"
    assert [m.id for m in play.history.thread("IM", "C1", "m1")] == ["m1", "m2"]


def test_a_direct_chat_has_no_thread():
    play = Play()
    play.act("Alice", Say("", "hi", chat="D1"))
    [(_, said)] = play.events
    assert (said.chat, said.thread) == ("D1", None)


def test_post_edit_react_delete():
    play = Play()
    assert play.call(PostMessage("C1", None, "a", "WORKING", about="R1")) == Done("m1")
    button = Button("y", "Yes")
    edit = EditMessage("m1", "b", "OK", (button,), ("f.png",), by="R1")
    assert play.call(edit) == Done("m1")
    assert play.call(edit) == Done("m1")
    message = play.message("m1")
    assert (message.text, message.state, message.files, message.edits) == ("b", "OK", ("f.png",), 2)
    assert message.visible() == "b\nYes\nf.png"
    assert message.author == "S"
    assert play.call(React("m1", "eyes")) == Done("m1")
    assert play.call(DeleteMessage("m1")) == Done("m1")
    assert message.deleted
    assert play.call(EditMessage("m1", "c")) == Refused("message_not_found")
    assert play.call(EditMessage("m9", "c")) == Refused("message_not_found")
    assert message.in_flight == 0


def test_a_text_has_a_limit_and_people_keep_their_own_messages():
    play = Play()
    long = "x" * 4_001
    assert play.call(PostMessage("C1", None, long)) == Refused("too_long")
    play.call(PostMessage("C1", None, "a"))
    assert play.call(EditMessage("m1", long)) == Refused("too_long")
    play.act("Alice", Say("", "mine"))
    assert play.call(EditMessage("m2", "theirs")) == Refused("edit_refused")


@pytest.mark.parametrize(
    ("outcome", "reply"),
    [
        ("rate_limited", Refused("rate_limited", 5 * SECOND_US)),
        ("server_error", Refused("server_error")),
        ("message_not_found", Refused("message_not_found")),
        ("edit_refused", Refused("edit_refused")),
    ],
)
def test_a_fault_answers_the_next_such_call_and_no_other(outcome, reply):
    play = Play()
    play.fault("edit", outcome, 5)
    assert play.call(PostMessage("C1", None, "a")) == Done("m1")
    assert play.call(EditMessage("m1", "b")) == reply
    assert play.call(EditMessage("m1", "c")) == Done("m1")


def test_a_fault_for_all_calls_that_stays():
    play = Play()
    play.fault("*", "server_error", always=True)
    for _ in range(2):
        assert play.call(PostMessage("C1", None, "a")) == Refused("server_error")
    play.fault("*", "latency", 0)
    assert play.call(PostMessage("C1", None, "a")) == Done("m1")


def test_down_for_a_while():
    play = Play()
    play.fault("*", "down", 10)
    assert play.call(PostMessage("C1", None, "a")) == Refused("unavailable")
    assert play.call(PostMessage("C1", None, "a"), seconds=10) == Refused("unavailable")
    assert play.call(PostMessage("C1", None, "a")) == Done("m1")


def test_an_answer_with_added_latency_shows_late():
    play = Play()
    play.fault("post", "latency", 3)
    assert play.call(PostMessage("C1", None, "a"), seconds=2) is None
    assert play.message("m1") is None
    play.act("Alice", Say("", "in between"), 2)
    assert play.message("m1").author == "Alice"
    assert play.message("m2").text == "a"


def test_an_unknown_outcome_was_applied_and_the_trace_shows_it():
    play = Play()
    play.fault("post", "unknown")
    assert play.call(PostMessage("C1", None, "a", about="R1"), seconds=11) is NO_ANSWER
    assert play.message("m1").text == "a"
    assert play.history.about("R1") is play.message("m1")
    play.fault("edit", "unknown")
    assert play.call(EditMessage("m1", "b"), seconds=11) is NO_ANSWER
    assert (play.message("m1").text, play.message("m1").in_flight) == ("b", 0)


def test_an_event_is_repeated_with_its_id_until_it_is_seen():
    play = Play()
    play.deaf = True
    play.act("Alice", Say("", "hi"), 4)
    play.deaf = False
    play.act("Alice", Say("", "other"), 30)
    first = [(at, e) for at, e in play.events if e.text == "hi"]
    assert len(first) == 3
    assert {e.event for _, e in first} == {"IM-e1"}
    assert 2_900_000 < first[1][0] - first[0][0] < 3_200_000
    assert len([e for _, e in play.events if e.text == "other"]) == 1
    assert len(play.history.messages) == 2


def test_an_event_is_given_up_after_three_repetitions():
    play = Play()
    play.deaf = True
    play.act("Alice", Say("", "hi"), 60)
    assert len(play.events) == 4


def test_a_stale_button_can_be_pressed_and_a_message_be_removed():
    play = Play()
    play.call(PostMessage("C1", None, "card", buttons=(Button("y", "Yes"),)))
    play.call(EditMessage("m1", "closed"))
    play.act("Alice", Press("", "m1", "y"))
    play.act("Alice", Remove("", "m1"))
    play.act("Alice", Remove("", "m1"))
    play.act("Alice", Press("", "m9", "y"))
    kinds = [type(e) for _, e in play.events]
    assert kinds == [ButtonPressed, MessageRemoved]
    assert play.message("m1").deleted
    assert play.history.about("") is None


def test_only_so_many_versions_are_kept_if_wished():
    history = History(keep=2)
    play = Play()
    for kind in history.kinds:
        play.world.watch(kind, history.on)
    play.call(PostMessage("C1", None, "0"))
    for n in range(5):
        play.call(EditMessage("m1", str(n)))
    message = history.get("IM", "m1")
    assert message is not None
    assert [v.text for v in message.versions] == ["3", "4"]
    assert message.edits == 5
