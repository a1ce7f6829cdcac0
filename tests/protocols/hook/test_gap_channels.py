"""Channels, people and what a reader sees: what each guard is for."""

from __future__ import annotations

from typing import Any

import pytest

from sim.channel.api import (
    SEEN,
    ChannelFault,
    DeleteMessage,
    Done,
    EditMessage,
    MessageRemoved,
    PersonSaid,
    PostMessage,
    React,
    Refused,
    Say,
)
from sim.channel.history import History
from sim.channel.pace import Clocked, Pace
from sim.core.event import CallApplied, CallIssued, Noted, Saved
from sim.core.op import NO_ANSWER, Call, Sleep
from sim.hosts.channel_events import REPEAT_AFTER_US, UPDATES_KEPT_US, Updates
from sim.hosts.messages import Message, Messages
from sim.hosts.person import Person
from sim.hosts.slack import Slack
from sim.hosts.telegram import Telegram
from sim.protocols.hook import Hello
from sim.protocols.hook.intake import checked, made
from sim.protocols.hook.parse import parse_hook_message
from sim.wire import result as wire
from sim.wire.message import Message as Frame
from tests.hosts.channel_play import Play
from tests.protocols.hook.by_hand import ByHand
from tests.protocols.hook.server_play import Play as ServerPlay

SECOND_US = 1_000_000
SAID = PersonSaid("e1", "C1", None, "m1", "Alice", "hi", True)


class Stage(Play):
    """A channel whose handlers can be moved by hand."""

    def __init__(self, kind: str = "slack") -> None:
        host: Any = {"slack": Slack, "telegram": Telegram}[kind]
        super().__init__(lambda port: host(port, "S"), kind)
        self.wait(0.001)

    @property
    def events_of(self) -> Any:
        return self.world.hosts["IM"].actor.events  # type: ignore[union-attr]

    def hand(self, run: Any, *answers: Any) -> ByHand:
        return ByHand(self.world, "IM", run, *answers)


# -- events on their way --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcome", "noted"), [("", 0), ("repeated", 0), ("latency", 1), ("reordered", 1)]
)
def test_only_a_message_whose_event_does_not_set_out_at_once_is_noted(
    outcome: str, noted: int
) -> None:
    play = Stage()
    if outcome:
        play.fault("event", outcome, 5)
    play.act("Alice", Say("", "hi"))
    assert [what for what, _ in play.notes if what == "said"] == ["said"] * noted


def test_an_event_that_is_refused_early_is_repeated_after_three_seconds() -> None:
    play = Stage()
    run = play.hand(play.events_of._until_seen(SAID), *[NO_ANSWER] * 4).finish()
    assert len(run.asked(Call)) == 4
    assert [op.for_us for op in run.asked(Sleep)] == [REPEAT_AFTER_US] * 4


def test_an_event_that_was_answered_by_nobody_is_repeated_at_once() -> None:
    play = Stage()
    run = play.hand(play.events_of._until_seen(SAID), NO_ANSWER, SEEN).behind(Call)
    play.wait(4)
    assert run.finish().asked(Sleep) == []
    assert len(run.asked(Call)) == 2


def test_an_update_is_offered_for_a_day() -> None:
    play = Stage("telegram")
    updates = play.events_of
    assert isinstance(updates, Updates)
    run = play.hand(updates._until_confirmed(SAID), NO_ANSWER, NO_ANSWER).behind(Call)
    run.behind(Call)
    play.wait(UPDATES_KEPT_US // SECOND_US + 1)
    assert run.finish().is_over
    assert len(run.asked(Call)) == 2


# -- what a channel keeps -------------------------------------------------------------------


def test_a_post_without_a_key_is_found_by_none() -> None:
    messages = Messages("m")
    for key in ("", "k"):
        messages.add(Message("C1", None, "hi", "", 0), key)
    assert (messages.keyed(""), messages.keyed("k")) == (None, "m2")


def test_a_channel_without_a_pace_counts_nothing() -> None:
    free, strict = Clocked(Pace()), Clocked(Pace(per_second=1))
    for clocked in (free, strict):
        assert clocked.write("C1", True, 0) == 0
    assert free.write("C1", True, 0) == 0
    assert strict.write("C1", True, 0) == SECOND_US
    assert (free._writes, list(strict._writes)) == ({}, ["C1"])


def test_a_person_is_only_where_they_are() -> None:
    play = Stage()
    person: Any = play.world.hosts["Alice"].actor
    assert isinstance(person, Person)
    for act, words in (
        (Say("", "hi", channel="XX"), "not on XX"),
        (ChannelFault("post", "ok"), "cannot"),
    ):
        with pytest.raises(LookupError, match=words):
            ByHand(play.world, "Alice", person.on_act(act)).finish()


# -- what a reader sees ---------------------------------------------------------------------


class Seen:
    """A history that is told of calls one by one."""

    def __init__(self) -> None:
        self.history = History()
        self.n = 0

    def call(self, request: Any, reply: Any = None) -> None:
        self.n += 2
        n, at = self.n, self.n
        self.history.on(CallIssued(n, at, 0, "S", "IM", request))
        answer = Done("m1") if reply is None else reply
        self.history.on(CallApplied(n + 1, at, 0, "S", "IM", n, request, answer))

    def post(self, name: str, about: str = "R1") -> None:
        self.call(PostMessage("C1", None, name, about=about), Done(name))


def test_of_the_messages_about_a_task_one_that_stands_counts() -> None:
    seen = Seen()
    assert seen.history.about("R1") is None
    for name in ("m1", "m2"):
        seen.post(name)
    for gone, left in (("m2", "m1"), ("m1", "m2")):
        seen.call(DeleteMessage(gone))
        found = seen.history.about("R1")
        assert found is not None
        assert found.id == left


def test_an_event_that_comes_again_brings_no_message_back() -> None:
    seen = Seen()
    for request in (SAID, MessageRemoved("e2", "C1", "m1", "Alice"), SAID):
        seen.history.on(CallIssued(1, 1, 0, "IM", "S", request))
    message = seen.history.get("IM", "m1")
    assert message is not None
    assert message.deleted


def test_what_happens_to_messages_that_nobody_saw_is_not_seen() -> None:
    seen = Seen()
    for request in (EditMessage("m9", "new"), DeleteMessage("m9"), React("m9", "+1")):
        seen.call(request)
        seen.call(request, Refused("message_not_found"))
    seen.history.on(Saved(9, 9, 0, "S", "key", 1))
    seen.history.on(Noted(10, 10, 0, "IM", "nonsense", {}))
    assert seen.history.messages == {}


# -- what comes in from the wire ------------------------------------------------------------


def test_a_frame_that_was_made_here_is_taken_as_it_is_and_one_from_elsewhere_is_parsed() -> None:
    play = ServerPlay()
    play.connect()
    server: Any = play.world.hosts["S"].actor
    hello = server.memory.desks["slack", "D"].socket.hello
    frame = made(server.port, hello)
    assert checked(frame) is frame
    parsed = parse_hook_message(frame.wire)
    assert parsed.ok
    assert checked(parsed.message).body == hello


def test_a_puppets_frame_is_judged_once() -> None:
    frame = Frame.of_wire(Hello, {"v": 1, "type": "hello"}, "f1", 1)
    refused = checked(frame)
    assert isinstance(refused, wire.Refused)
    assert checked(frame) is refused
