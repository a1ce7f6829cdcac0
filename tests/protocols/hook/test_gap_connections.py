"""The server's connections and its entrance: what each guard is for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import attrs
import pytest

from sim.core.op import Close, Send, Sleep, StartTimer, StopTimer
from sim.protocols.hook import Hello, TaskAck, Welcome
from sim.protocols.hook.intake import made
from sim.protocols.hook.machine import CLOSED, OPEN, PROBING
from sim.protocols.hook.server import ServerPlan
from sim.protocols.hook.server.ending import terminal
from sim.protocols.hook.server.manners import Manners
from tests.protocols.hook.by_hand import ByHand
from tests.protocols.hook.delivery_play import LanePlay
from tests.protocols.hook.server_play import Play, failed_task

HELLO = Hello(
    protocol_version=1, device_id="D", device_name="D", workspaces=("chat",), agents=("a",)
)


class Stage(Play):
    """A server whose handlers can be moved by hand."""

    @property
    def server(self) -> Any:
        return self.world.hosts["S"].actor

    @property
    def shake(self) -> Any:
        return self.server._handshake

    @property
    def desk(self) -> Any:
        return self.server.memory.desks["slack", "D"]

    @property
    def newest(self) -> Any:
        """The socket that was opened last."""
        return list(self.server.memory.sockets.values())[-1]

    def hand(self, run: Any) -> ByHand:
        return ByHand(self.world, "S", run)

    def contended(self) -> tuple[Any, Any]:
        """Two sockets of D: the first holds the place and is silent, the second waits."""
        self.connect()
        self.lively = False
        first = self.desk.socket
        self.dial()
        self.hello(wait=0.1)
        assert self.desk.rival is self.newest
        return first, self.newest


def frames(run: ByHand) -> list[str]:
    return [op.frame.type for op in run.asked(Send)]


# -- hello ----------------------------------------------------------------------------------


def test_a_repeated_hello_tears_no_round() -> None:
    """HK-50"""
    play = Stage()
    failed = failed_task(play)
    play.reopen("K1", failed)
    play.hello()
    play.progress("K1", "still here")
    assert play.shows(failed) == ("WORKING", "still here")


def test_a_hello_on_a_socket_that_is_gone_contends_with_nobody() -> None:
    play = Stage()
    play.connect()
    gone = play.desk.socket
    play.cut()
    play.connect()
    assert gone.state == CLOSED
    assert play.hand(play.shake.hello(gone, HELLO)).finish().ops == []
    assert play.desk.rival is None


def test_who_waits_for_the_place_may_say_hello_again() -> None:
    """hook RC-75"""
    play = Stage()
    _, second = play.contended()
    play.hello(wait=0.1)
    assert play.desk.rival is second
    play.run(6)
    assert play.desk.socket is second
    assert len(play.got(Welcome, link=second.conn.name)) == 1


def test_who_waits_for_a_place_and_takes_another_leaves_the_first_to_its_holder() -> None:
    play = Stage()
    first, second = play.contended()
    play.hello(device_id="D9", wait=0.1)
    assert (play.desk.socket, play.desk.rival) == (first, None)
    assert play.server.memory.desks["slack", "D9"].socket is second


def test_a_socket_without_a_hello_may_go() -> None:
    play = Stage()
    play.dial()
    play.cut()
    assert play.server.memory.sockets == {}


# -- two sockets ----------------------------------------------------------------------------


def test_nobody_is_probed_for_a_rival_that_is_gone() -> None:
    play = Stage()
    play.connect()
    holder = play.desk.socket
    play.dial()
    play.newest.desk = play.desk
    run = play.hand(play.shake._contend(play.newest, holder)).behind(StartTimer)
    play.desk.rival = None
    assert frames(run.finish()) == []


def test_life_on_a_socket_without_a_rival_is_nothing_new() -> None:
    play = Stage()
    play.connect()
    assert play.hand(play.shake.alive(play.desk)).finish().ops == []


def test_a_place_that_is_free_is_taken_without_closing_anything() -> None:
    play = Stage()
    _, second = play.contended()
    play.desk.socket = None
    run = play.hand(play.shake.probed(second.conn.name)).finish()
    assert (run.asked(Close), frames(run)) == ([], ["welcome"])


def test_a_place_that_somebody_else_has_taken_meanwhile_is_theirs() -> None:
    play = Stage()
    _, second = play.contended()
    run = play.hand(play.shake.probed(second.conn.name)).behind(Close)
    play.desk.socket = SimpleNamespace(ready=True)
    assert frames(run.finish()) == []


def test_a_rival_that_left_is_not_welcomed() -> None:
    play = Stage()
    _, second = play.contended()
    run = play.hand(play.shake.probed(second.conn.name)).behind(Close)
    second.state = CLOSED
    assert frames(run.finish()) == []


@pytest.mark.parametrize(("off", "torn"), [((), 1), (("teardown_per_socket",), 0)])
def test_with_teardown_per_socket_off_a_waiting_rival_saves_the_rounds(
    off: tuple[str, ...], torn: int
) -> None:
    """hook RC-03"""
    play = Stage(off=off)
    failed = failed_task(play)
    play.reopen("K1", failed)
    first = play.desk.socket
    play.desk.rival = SimpleNamespace(state=PROBING)
    assert len(play.shake._forget(first)) == torn
    assert (play.server.memory.routes["K1"].state == OPEN) is not bool(torn)


def test_with_teardown_per_socket_off_rounds_end_where_nobody_waits() -> None:
    play = Stage(off=("teardown_per_socket",))
    failed = failed_task(play)
    play.reopen("K1", failed)
    assert len(play.shake._forget(play.desk.socket)) == 1


def test_a_desk_that_somebody_holds_is_not_left() -> None:
    play = Stage()
    play.connect()
    old = play.desk.socket
    play.cut()
    play.connect()
    play.say("go")
    assert play.hand(play.shake._farewell(old, [])).finish().asked(StartTimer) == []


# -- welcome --------------------------------------------------------------------------------


def test_a_socket_that_is_gone_is_not_welcomed() -> None:
    play = Stage()
    play.connect()
    gone = play.desk.socket
    play.cut()
    assert play.hand(play.shake._welcome(gone)).finish().ops == []


def test_of_two_welcomes_the_later_one_brings_the_tasks() -> None:
    """hook RC-33"""
    play = Stage()
    play.say("go")
    play.dial()
    socket = play.newest
    hello = attrs.evolve(HELLO, features=("turn-reopen-v1",))  # it is told about bindings, too
    run = play.hand(play.shake.hello(socket, hello)).behind(Send)
    newer = play.hand(play.shake.hello(socket, hello)).finish()
    assert frames(newer) == ["welcome", "bind.update", "task.dispatch"]
    assert frames(run.finish()) == ["welcome"]


def test_a_welcome_that_is_being_written_leaves_the_rest_to_a_newer_one() -> None:
    play = Stage()
    play.dial()
    hello = attrs.evolve(HELLO, features=("turn-reopen-v1",))
    run = play.hand(play.shake.hello(play.newest, hello)).behind(Send)
    newer = play.hand(play.shake.hello(play.newest, hello)).behind(Send)
    assert frames(run.finish()) == ["welcome"]
    assert frames(newer.finish()) == ["welcome", "bind.update"]


def test_who_takes_a_free_place_does_not_send_itself_away() -> None:
    play = Stage()
    _, second = play.contended()
    play.desk.socket = None
    run = play.hand(play.shake._welcome(second)).finish()
    assert (run.asked(Close), play.desk.rival) == ([], None)


def test_only_who_waits_for_a_place_has_its_holder_probed() -> None:
    play = Stage()
    play.connect()
    holder = play.desk.socket
    play.dial("D2")
    for name in (play.newest.conn.name, holder.conn.name, "gone"):
        assert play.hand(play.shake.probed(name)).finish().ops == []
    assert play.desk.socket is holder


def test_a_rival_that_was_welcomed_meanwhile_is_not_welcomed_again() -> None:
    play = Stage()
    _, second = play.contended()
    run = play.hand(play.shake.probed(second.conn.name)).behind(Close)
    play.hand(play.shake.hello(second, HELLO)).finish()
    assert frames(run.finish()) == []


def test_a_rival_that_is_gone_inherits_no_place() -> None:
    play = Stage()
    _, second = play.contended()
    play.say("go")
    second.state, play.desk.socket = CLOSED, None
    run = play.hand(play.shake._leave_desk(second, play.desk)).finish()
    assert [op.kind for op in run.asked(StartTimer)] == ["absent"]
    assert (frames(run), play.desk.socket) == ([], None)


def test_a_socket_that_goes_with_its_welcome_is_told_nothing_more() -> None:
    play = Stage()
    play.dial()
    run = play.hand(play.shake.hello(play.newest, HELLO)).behind(Send)
    play.cut()
    assert frames(run.finish()) == ["welcome"]


def test_a_welcome_that_cannot_be_written_frees_the_place() -> None:
    play = Stage()
    play.connect()
    socket = play.desk.socket
    socket.conn = SimpleNamespace(
        is_open=False, name=socket.conn.name, lane="slack", info=None
    )  # fmt: skip
    play.hand(play.shake._welcome(socket)).finish()
    assert (play.desk.socket, socket.state) == (None, CLOSED)


def test_the_features_of_a_welcome_are_made_once() -> None:
    play = LanePlay("slack", wants=())
    play.connect()
    play.connect("D2")
    server: Any = play.world.hosts["S"].actor
    desks = [server.memory.desks["slack", who] for who in ("D", "D2")]
    assert desks[0].socket.offered is desks[1].socket.offered


# -- heartbeat ------------------------------------------------------------------------------


def test_a_socket_that_is_gone_has_no_heartbeat_and_is_not_dropped_again() -> None:
    play = Stage()
    play.connect()
    gone = play.desk.socket
    play.cut()
    for run in (play.shake.idle("nobody"), play.shake.closed(gone.conn),
                play.shake.drop(gone, 1001, "silent")):  # fmt: skip
        assert play.hand(run).finish().ops == []


def test_only_a_silent_socket_is_pinged() -> None:
    """hook RC-77"""
    play = Stage()
    play.connect()
    socket = play.desk.socket
    socket.heard_us = play.world.now
    run = play.hand(play.shake.idle(socket.conn.name)).finish()
    assert ([type(op) for op in run.ops], frames(run)) == ([StartTimer], [])
    socket.heard_us = play.world.now - play.plan.limits.ping_after_us
    assert frames(play.hand(play.shake.idle(socket.conn.name)).finish()) == ["ping"]


def test_a_socket_that_goes_while_it_is_pinged_is_watched_no_more() -> None:
    play = Stage()
    play.connect()
    socket = play.desk.socket
    socket.heard_us = play.world.now - play.plan.limits.ping_after_us
    run = play.hand(play.shake.idle(socket.conn.name)).before(Send)
    play.cut()
    assert run.finish().asked(StartTimer) == []


# -- the entrance ---------------------------------------------------------------------------


def test_a_frame_of_a_connection_that_is_gone_is_dropped() -> None:
    play = Stage()
    play.connect()
    conn = play.desk.socket.conn
    play.cut()
    frame = made(play.server.port, HELLO)
    assert play.hand(play.server.on_frame(conn, frame)).finish().ops == []


def test_before_its_hello_nobody_owns_anything() -> None:
    """HK-04"""
    play = Stage(off=("owner_check",))
    play.connect()
    request = play.say("go")
    play.dial("D2")
    body = TaskAck(
        request_id=request, result="rejected", reason="invalid", session_id=None,
        queue_position=None,
    )  # fmt: skip
    play.send(body, "D2")
    assert play.shows(request)[0] == "WORKING"
    play.hello("D2")
    play.send(body, "D2")
    assert play.shows(request)[0] == "REJECTED"


def test_an_act_that_is_none_changes_nothing_on_the_server() -> None:
    play = Stage()
    assert play.hand(play.server.on_act("nonsense")).finish().ops == []


def test_timers_of_what_is_over_do_nothing() -> None:
    play = Stage()
    play.connect()
    request = play.say("go")
    for kind, key in (("cancel", request), ("cancel", "gone"), ("again", "gone")):
        assert play.hand(play.server.on_timer(kind, key)).finish().ops == []


def test_only_channels_have_events() -> None:
    play = Stage()
    with pytest.raises(LookupError):
        play.hand(play.server.on_call("D", "nonsense")).finish()


# -- small tables ---------------------------------------------------------------------------


def test_only_a_cancelled_task_without_words_is_said_to_be_cancelled() -> None:
    failed: Any = SimpleNamespace(
        final_text="why", status="error", error_message=None, attachments=()
    )
    assert terminal(None, failed, Manners(), "R1").text == "why"
    for status, text in (("ok", ""), ("cancelled", "The task was cancelled")):
        body: Any = SimpleNamespace(
            final_text="", status=status, error_message=None, attachments=()
        )
        shown = terminal(None, body, Manners(), "R1").text
        assert bool(shown) is bool(text)


@pytest.mark.parametrize(("chars", "fitted"), [(None, "x" * 40), (20, 20), (40, "x" * 40)])
def test_a_text_is_cut_where_the_channel_has_a_limit(chars: int | None, fitted: Any) -> None:
    text = Manners(chars=chars).fit("x" * 40)
    assert (len(text) if isinstance(fitted, int) else text) == fitted


def test_the_channel_of_a_team_is_the_one_that_is_it() -> None:
    plan = ServerPlan(
        channels={"TG": "telegram", "IM": "slack", "IM2": "slack"}, bindings={},
        teams={"TG": "T2", "IM2": "T2"},
    )  # fmt: skip
    assert [plan.channel_of_team(team) for team in ("T1", "T2", "T3")] == ["IM", "IM2", "IM"]
    assert ServerPlan(channels={"TG": "telegram"}, bindings={}).channel_of_team("T1") == "slack"


def test_a_press_on_a_card_that_never_gets_an_id_is_not_taken() -> None:
    play = Stage()
    play.server.memory.unposted_cards = 1
    press: Any = SimpleNamespace(message="m9")
    run = play.hand(play.server._inbox._settled_post("IM", press)).finish()
    assert (run.result, len(run.asked(Sleep))) == (False, 40)
    play.server.memory.unposted_cards = 0
    run = play.hand(play.server._inbox._settled_post("IM", press)).finish()
    assert (run.result, run.asked(StopTimer), run.ops) == (True, [], [])
