"""Subscriptions deliver from their good result to their end; streams end once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from sim.core.errors import LocalProtocolError, SimInternalError
from sim.protocols.relay import machine
from sim.protocols.relay.relay.listening import Stream, Streams, Subscription, Subscriptions


def asked(id: str = "s", by: str = "A", node: str = "N", tab: str | None = "T") -> Subscription:
    return Subscription(id, by, node, tab, "network.http_intercept")


def on(*ids: str) -> tuple[Subscriptions, list[Subscription]]:
    """Subscriptions that deliver."""
    every = Subscriptions()
    made = [asked(id) for id in ids]
    for one in made:
        every.ask(one)
        every.subscribed(one.request_id)
    return every, made


def test_updates_are_delivered_after_the_good_result_and_not_before() -> None:
    every, one = Subscriptions(), asked()
    every.ask(one)
    assert every.update("s", "N") == "listener_not_found"
    assert every.subscribed("s") is one
    assert every.update("s", "N") is one
    assert every.update("s", "M") == "listener_node_mismatch"
    assert every.update("other", "N") == "listener_not_found"


@pytest.mark.parametrize("why", ["error", "budget ends", "cancel"])
def test_a_subscribe_that_failed_delivers_nothing(why: str) -> None:
    every = Subscriptions()
    every.ask(asked())
    every.not_subscribed("s", why)
    assert every.update("s", "N") == "listener_not_found"
    assert every.subscribed("s") is None
    assert every.get("s") is None


def test_an_id_cannot_be_subscribed_under_while_it_lives() -> None:
    every, _ = on("s")
    with pytest.raises(SimInternalError, match="lives"):
        every.ask(asked())


def test_updates_flow_until_the_good_result_of_the_unsubscribe() -> None:
    every, (one,) = on("s")
    every.unsubscribe("s")
    assert every.update("s", "N") is one
    every.unsubscribed("s", "result")
    assert every.update("s", "N") == "listener_not_found"
    assert every.refusal("s", "A", "N") == "listener_not_found"


def test_an_unsubscribe_that_times_out_ends_it_and_an_error_of_the_node_does_not() -> None:
    every, (one, two) = on("s", "t")
    every.unsubscribe("s")
    every.unsubscribe("t")
    every.unsubscribed("s", "budget ends")
    every.unsubscribed("t", "error")
    assert every.get("s") is None
    assert every.update("t", "N") is two
    assert (one.state, two.state) == ("ENDED", "ACTIVE")


def test_two_unsubscribes_under_way_end_it_once() -> None:
    every, (one,) = on("s")
    every.unsubscribe("s")
    every.unsubscribe("s")
    every.unsubscribed("s", "error")
    assert one.state == "ENDING"
    every.unsubscribed("s", "result")
    every.unsubscribed("s", "result")
    assert one.state == "ENDED"


def test_an_unsubscribe_is_the_subscribers_at_the_node_of_the_listener() -> None:
    every, _ = on("s")
    every.ask(asked("early"))
    assert every.refusal("s", "A", "N") is None
    assert every.refusal("s", "B", "N") == "listener_owner_mismatch"
    assert every.refusal("s", "A", "M") == "listener_node_mismatch"
    assert every.refusal("early", "A", "N") == "listener_not_found"
    assert every.refusal("none", "A", "N") == "listener_not_found"


@pytest.mark.parametrize(
    "lose", [lambda every: every.lose_node("N"), lambda every: every.lose_session("A")]
)
def test_the_loss_of_a_side_ends_all_and_names_those_that_were_on(
    lose: Callable[[Subscriptions], list[Subscription]],
) -> None:
    every, (one, two) = on("s", "t")
    every.unsubscribe("t")
    every.ask(asked("early"))
    other = asked("other", by="B", node="M")
    every.ask(other)
    every.subscribed("other")
    assert lose(every) == [one, two]
    assert every.subscribed("early") is None
    assert every.update("other", "M") is other
    assert lose(every) == []


def test_a_cancelled_stream_cuts_its_subscriptions_even_those_that_only_were_asked_for() -> None:
    every, (one, two) = on("s", "t")
    every.unsubscribe("t")
    every.ask(asked("early"))
    assert every.cut(["s", "t", "early", "gone"]) == [one, two]
    assert every.subscribed("early") is None
    assert every.update("s", "N") == "listener_not_found"


def stream(id: str = "test", *, by: str = "A", listeners: tuple[str, ...] = ("x",)) -> Stream:
    return Stream(id, by, "N", "T", ("network.http_intercept", *listeners))


def test_a_subscription_belongs_to_the_stream_of_its_owner_node_tab_and_name() -> None:
    streams, one = Streams(), stream()
    streams.begin(one)
    assert streams.bind(asked("a")) is one
    assert streams.of("a") is one
    for other in (asked("b", by="B"), asked("b", node="M"), asked("b", tab="U")):
        assert streams.bind(other) is None
    assert streams.bind(Subscription("b", "A", "N", "T", "unlisted")) is None
    assert streams.of("b") is None
    assert one.bound == ["a"]


def test_of_two_streams_the_older_one_takes_a_subscription() -> None:
    streams, one, two = Streams(), stream("1"), stream("2")
    streams.begin(one)
    streams.begin(two)
    assert streams.bind(asked("a")) is one
    streams.end(one, "cancel")
    assert streams.bind(asked("b")) is two


def test_a_stream_ends_once_whatever_ends_it_first() -> None:
    for trigger in ("cancel", "subscribe failed", "subscribe timed out"):
        streams, one = Streams(), stream()
        streams.begin(one)
        streams.end(one, trigger)
        assert streams.get("test") is None
        assert streams.lose_node("N") == []
        with pytest.raises(LocalProtocolError, match="allowed: nothing"):
            streams.end(one, "cancel")


def test_streams_are_lost_with_their_node_and_their_owner_and_no_others() -> None:
    streams, mine, other = Streams(), stream("1"), stream("2", by="B")
    streams.begin(mine)
    streams.begin(other)
    assert streams.lose_session("A") == [mine]
    assert streams.get("2") is other
    assert streams.lose_node("M") == []
    assert streams.lose_node("N") == [other]


class Listening(RuleBasedStateMachine):
    """Any order of subscribing, updating, unsubscribing and losses: no ghost updates."""

    def __init__(self) -> None:
        super().__init__()
        self.every = Subscriptions()
        self.count = 0
        self.delivers: dict[str, Subscription] = {}
        self.asked: dict[str, Subscription] = {}

    @rule(by=st.sampled_from("AB"), node=st.sampled_from("MN"))
    def ask(self, by: str, node: str) -> None:
        self.count += 1
        one = asked(str(self.count), by, node)
        self.every.ask(one)
        self.asked[one.request_id] = one

    @precondition(lambda self: self.asked)
    @rule(data=st.data(), good=st.booleans())
    def settle(self, data: st.DataObject, good: bool) -> None:
        id = data.draw(st.sampled_from(sorted(self.asked)))
        one = self.asked.pop(id)
        if good:
            assert self.every.subscribed(id) is one
            self.delivers[id] = one
        else:
            self.every.not_subscribed(id, "error")

    @precondition(lambda self: self.delivers)
    @rule(data=st.data())
    def unsubscribe(self, data: st.DataObject) -> None:
        self.every.unsubscribe(data.draw(st.sampled_from(sorted(self.delivers))))

    @precondition(lambda self: any(one.asked_off for one in self.delivers.values()))
    @rule(data=st.data(), how=st.sampled_from(["result", "error", "budget ends"]))
    def finish(self, data: st.DataObject, how: str) -> None:
        under_way = sorted(id for id, one in self.delivers.items() if one.asked_off)
        id = data.draw(st.sampled_from(under_way))
        self.every.unsubscribed(id, how)
        if how != "error":
            del self.delivers[id]

    @rule(node=st.sampled_from("MN"))
    def lose_node(self, node: str) -> None:
        self.lose(self.every.lose_node(node), lambda one: one.node == node)

    @rule(by=st.sampled_from("AB"))
    def lose_session(self, by: str) -> None:
        self.lose(self.every.lose_session(by), lambda one: one.session == by)

    def lose(self, told: list[Subscription], hit: Callable[[Subscription], bool]) -> None:
        assert {one.request_id for one in told} == {
            id for id, one in self.delivers.items() if hit(one)
        }
        self.delivers = {id: one for id, one in self.delivers.items() if not hit(one)}
        self.asked = {id: one for id, one in self.asked.items() if not hit(one)}

    @invariant()
    def exactly_those_that_are_on_deliver(self) -> None:
        for number in range(self.count + 1):
            one = self.delivers.get(str(number))
            told = self.every.update(str(number), one.node if one is not None else "N")
            assert told == (one or "listener_not_found")


TestListening = Listening.TestCase
TestListening.settings = settings(max_examples=25, stateful_step_count=25)


def test_every_row_of_the_tables_of_listening_is_used() -> None:
    tables = (machine.SUBSCRIPTION, machine.STREAM)
    used: dict[str, dict[tuple[str, str], None]] = {}
    for table in tables:
        table.used = used[table.role] = {}
    try:
        for end in ("error", "budget ends", "cancel"):
            every = Subscriptions()
            every.ask(asked())
            every.not_subscribed("s", end)
        losses: tuple[Callable[[Subscriptions], object], ...] = (
            lambda every: every.lose_node("N"),
            lambda every: every.lose_session("A"),
            lambda every: every.cut(["s"]),
        )
        for lose in losses:
            for far in range(3):
                every, one = Subscriptions(), asked()
                every.ask(one)
                if far:
                    every.subscribed("s")
                    every.update("s", "N")
                if far > 1:
                    every.unsubscribe("s")
                    every.update("s", "N")
                lose(every)
                assert one.state == "ENDED"
        for how in ("result", "error", "budget ends"):
            every, _ = on("s")
            every.unsubscribe("s")
            every.unsubscribe("s")
            every.unsubscribed("s", "error")
            every.unsubscribed("s", how)
        for trigger in ("cancel", "subscribe failed", "subscribe timed out"):
            streams, one_stream = Streams(), stream()
            streams.begin(one_stream)
            streams.bind(asked())
            streams.end(one_stream, trigger)
        for loss in (Streams.lose_node, Streams.lose_session):
            streams = Streams()
            streams.begin(stream(by="N"))
            loss(streams, "N")
    finally:
        for table in tables:
            table.used = None
    for table in tables:
        assert [row for row in table.rows() if row not in used[table.role]] == []
