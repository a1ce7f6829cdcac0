"""The server's book of tasks: what each guard is for, above all behind an await."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from sim.core.event import Saved
from sim.core.op import Erase, Save, Send, StopTimer
from sim.protocols.hook import Pong, SessionArchive, TaskCancel, TaskDispatch
from sim.protocols.hook.server import Limits
from sim.wire.absent import ABSENT
from tests.protocols.hook.by_hand import ByHand
from tests.protocols.hook.delivery_play import LanePlay
from tests.protocols.hook.server_play import SECOND_US, Play

HOUR = 3_600


def server(play: Play) -> Any:
    return play.world.hosts["S"].actor


def by_hand(play: Play, run: Any, *answers: Any) -> ByHand:
    return ByHand(play.world, "S", run, *answers)


def task_of(play: Play, request: str) -> Any:
    return server(play).memory.routes[request]


def taken(play: Play, text: str = "fix it", **more: Any) -> str:
    """D runs a task of Alice's; gives its requestId."""
    if not play.puppet().conns:
        play.connect()
    request = play.say(text, **more)
    play.ack(request)
    return request


def socket_of(play: Play) -> Any:
    return server(play).memory.desks["slack", "D"].socket


def saves(play: Play, key: str, since: int = 0) -> list[Any]:
    return [e for e in play.events(Saved) if e.n >= since and e.key.startswith(key)]


def dispatching(play: Play, request: str) -> ByHand:
    """A dispatch that has to store a new folder first, stopped behind the last row."""
    task = task_of(play, request)
    task.sent, task.workspace = 0, "gone"
    run = by_hand(play, server(play)._requests.dispatch(socket_of(play), task))
    return run.behind(Save, "request/")


# -- dispatches ---------------------------------------------------------------------------


def test_a_task_goes_out_once_per_welcome() -> None:
    play = Play()
    request = taken(play)
    run = by_hand(play, server(play)._requests.dispatch(socket_of(play), task_of(play, request)))
    assert run.finish().ops == []


def test_what_is_over_is_not_dispatched_under_a_new_welcome() -> None:
    play = Play()
    request = taken(play)
    play.end(request, "ok", "done")
    play.cut()
    play.connect()
    run = by_hand(play, server(play)._requests.dispatch(socket_of(play), task_of(play, request)))
    assert run.finish().ops == []


def test_a_task_that_ended_while_its_folder_was_stored_is_not_dispatched() -> None:
    play = Play()
    request = taken(play)
    run = dispatching(play, request)
    play.end(request, "ok", "done")
    assert run.finish().asked(Send) == []


def test_a_connection_that_broke_while_the_folder_was_stored_gets_no_dispatch() -> None:
    play = Play()
    request = taken(play)
    before = task_of(play, request).dispatches
    run = dispatching(play, request)
    play.cut()
    assert run.finish().asked(Send) == []
    assert task_of(play, request).dispatches == before


def test_a_newer_hello_dispatches_what_an_older_one_was_about_to() -> None:
    play = Play()
    request = taken(play)
    run = dispatching(play, request)
    play.hello()
    sent = len(play.got(TaskDispatch))
    assert run.finish().asked(Send) == []
    assert len(play.got(TaskDispatch)) == sent == 2


@pytest.mark.parametrize("account", ["", "A"])
def test_a_task_whose_place_is_known_is_not_stored_again(account: str) -> None:
    play = LanePlay("slack")
    play.account = account
    request = play.task()
    play.cut()
    n = len(play.world.events)
    play.connect()
    assert [t.request_id for t in play.got(TaskDispatch)] == [request, request]
    assert saves(play, "request/", n) == saves(play, "lane/", n) == []


def test_a_new_account_is_stored_with_its_task_and_not_with_the_conversation() -> None:
    play = LanePlay("slack")
    first = play.task(thread="t1")
    play.end(first, "ok", "done")
    play.cut()
    request = play.say("more", thread="t1")
    n = len(play.world.events)
    play.account = "A"
    play.connect()
    assert [e.value.account for e in saves(play, f"request/{request}", n)] == ["A"]
    assert saves(play, "lane/", n) == []


def test_a_task_stays_its_first_accounts_even_where_others_may_have_it() -> None:
    play = LanePlay("slack", off=("account_boundary",))
    play.account = "A"
    request = play.task()
    play.cut()
    play.account = "B"
    play.connect(workspaces=("web",))
    assert play.got(TaskDispatch)[-1].workspace == "web"
    assert task_of(play, request).account == "A"


@pytest.mark.parametrize(
    ("off", "fixed", "listed", "default", "expected"),
    [
        ((), "web", ("chat", "web"), "docs", "web"),
        ((), "", ("chat", "web"), "web", "web"),
        ((), "gone", ("chat", "web"), ABSENT, "chat"),
        ((), "gone", ("chat", "web"), None, "chat"),
        ((), "", ("docs", "web"), ABSENT, "docs"),
        ((), "", (), ABSENT, None),
        ((), "", (), "web", "web"),
        (("lane_before_default",), "web", ("chat", "web"), "docs", "docs"),
        (("lane_before_default",), "web", ("chat", "web"), ABSENT, "web"),
        (("lane_before_default",), "web", ("chat", "web"), None, "web"),
        (("listed_folders_only",), "gone", ("chat", "web"), ABSENT, "gone"),
        (("listed_folders_only",), "", ("chat", "web"), "web", "web"),
    ],
)
def test_where_a_task_runs(
    off: tuple[str, ...], fixed: str, listed: tuple[str, ...], default: Any, expected: str | None
) -> None:
    """HK-10, HK-53"""
    hello = SimpleNamespace(workspaces=listed, default_workspace=default)
    assert server(Play(off=off))._requests.workspace(fixed, hello) == expected


# -- redelivery ---------------------------------------------------------------------------


def test_a_socket_that_never_said_hello_gets_nothing() -> None:
    play = Play()
    taken(play)
    play.dial("D2")
    silent = list(server(play).memory.sockets.values())[-1]
    assert by_hand(play, server(play)._requests.redeliver(silent)).finish().ops == []


def redelivering(play: Play) -> ByHand:
    """Two tasks go out again; the first is on its way."""
    for number in (1, 2):
        taken(play, f"task {number}", thread=f"t{number}")
    socket = socket_of(play)
    for task in server(play).memory.desks["slack", "D"].unended.values():
        task.sent = 0
    return by_hand(play, server(play)._requests.redeliver(socket)).behind(Send)


def test_a_redelivery_ends_with_its_connection() -> None:
    play = Play()
    run = redelivering(play)
    play.cut()
    assert len(run.finish().asked(Send)) == 1


def test_a_redelivery_ends_with_its_welcome() -> None:
    """hook RC-33: what follows belongs behind the welcome that is still being written"""
    play = Play()
    run = redelivering(play)
    hello = socket_of(play).hello
    newer = by_hand(play, server(play)._handshake.hello(socket_of(play), hello)).before(Send)
    assert len(run.finish().asked(Send)) == 1
    newer.finish()
    assert len(play.got(TaskDispatch)) == 2
    play.run(1)
    assert len(play.got(TaskDispatch)) == 5


def test_the_day_of_what_was_interrupted_begins_with_its_interruption() -> None:
    """hook RC-55"""
    play = Play(limits=Limits(absent_us=20 * HOUR * SECOND_US))
    request = taken(play)
    play.cut()
    play.run(21 * HOUR)
    assert play.shows(request)[0] == "INTERRUPTED"
    play.run(10 * HOUR)
    play.connect()
    assert [t.request_id for t in play.got(TaskDispatch)] == [request, request]


def test_the_tasks_of_another_account_on_the_same_device_become_interrupted() -> None:
    """hook RC-44: the first desktop was replaced, so nobody ever missed it"""
    play = LanePlay("slack")
    play.account = "A"
    request = play.task()
    play.lively = False
    play.account = "B"
    play.connect()
    play.run(10)
    play.lively = True
    assert socket_of(play).account == "B"
    play.run(20 * 60)
    assert play.shows(request)[0] == "INTERRUPTED"


def test_a_desktop_that_is_back_with_its_tasks_is_not_counted_as_absent() -> None:
    play = Play()
    taken(play)
    play.cut()
    by_hand(play, server(play).perform(StopTimer("absent", "slack/D"))).finish()
    play.connect()
    assert ("absent", "slack/D") not in play.world.hosts["S"].timers


def test_a_stop_is_passed_on_after_a_while_even_if_nothing_is_acked_again() -> None:
    play = Play()
    request = taken(play)
    play.cut()
    play.say("/stop", thread=play.view.requests[request].thread)
    play.connect()
    assert play.got(TaskCancel) == []
    play.run(6)
    assert [c.request_id for c in play.got(TaskCancel)] == [request]


def test_what_nobody_stopped_is_not_cancelled_however_quick_its_ack_is() -> None:
    play = Play()
    run = redelivering(play)
    for request in list(play.view.requests):
        play.ack(request)
    run.finish()
    play.run(6)
    assert play.got(TaskCancel) == []


# -- archives -----------------------------------------------------------------------------


def archived(play: Play) -> None:
    """Two sessions are to be archived, on a desktop that does not answer pings."""
    play.lively = False
    play.connect()
    for thread in ("t1", "t2"):
        play.say("go", thread=thread)
        play.say("/new", thread=thread)


def test_an_archive_that_was_sent_is_neither_sent_again_nor_asked_about() -> None:
    play = Play()
    archived(play)
    assert len(play.got(SessionArchive)) == 2
    assert by_hand(play, server(play)._requests.send_archives(socket_of(play))).finish().ops == []


def sending_archives(play: Play) -> ByHand:
    """Both go out under a new welcome, the first is on its way."""
    archived(play)
    desk = server(play).memory.desks["slack", "D"]
    desk.archives = dict.fromkeys(desk.archives, (0, 0))
    return by_hand(play, server(play)._requests.send_archives(desk.socket)).behind(Send)


def sent_archives(run: ByHand) -> int:
    return sum(op.frame.type == "session.archive" for op in run.finish().asked(Send))


def test_archives_end_with_their_connection() -> None:
    play = Play()
    run = sending_archives(play)
    play.cut()
    assert sent_archives(run) == 1


def test_an_archive_that_another_handler_sent_meanwhile_is_not_repeated() -> None:
    play = Play()
    run = sending_archives(play)
    by_hand(play, server(play)._requests.send_archives(socket_of(play))).finish()
    assert sent_archives(run) == 1


def test_an_archive_that_arrived_meanwhile_is_not_repeated() -> None:
    play = Play()
    run = sending_archives(play)
    server(play).memory.desks["slack", "D"].archives.clear()
    assert sent_archives(run) == 1


def test_a_pong_before_any_hello_proves_nothing() -> None:
    play = Play()
    archived(play)
    play.dial("D2")
    play.send(Pong(), "D2")
    assert len(server(play).memory.desks["slack", "D"].archives) == 2


def test_two_pongs_at_once_erase_an_archive_once() -> None:
    play = Play()
    archived(play)
    socket = socket_of(play)
    socket.pongs = socket.pings
    first = by_hand(play, server(play)._requests.archives_arrived(socket)).behind(Erase)
    second = by_hand(play, server(play)._requests.archives_arrived(socket)).finish()
    assert len(first.finish().asked(Erase)) == len(second.asked(Erase)) == 1


def test_an_archive_that_was_not_sent_under_this_welcome_has_not_arrived() -> None:
    play = Play()
    archived(play)
    desk = server(play).memory.desks["slack", "D"]
    desk.archives = dict.fromkeys(desk.archives, (0, 0))
    desk.socket.pongs = 99
    serial, desk.socket.serial = desk.socket.serial, 0
    assert by_hand(play, server(play)._requests.archives_arrived(desk.socket)).finish().ops == []
    desk.socket.serial = serial
    assert by_hand(play, server(play)._requests.archives_arrived(desk.socket)).finish().ops == []


@pytest.mark.parametrize(("welcomes", "pongs"), [(1, 99), (-1, 99), (0, 0)])
def test_only_a_pong_of_this_welcome_and_behind_the_archive_proves_it(
    welcomes: int, pongs: int
) -> None:
    play = Play()
    archived(play)
    desk = server(play).memory.desks["slack", "D"]
    desk.archives = {key: (serial - welcomes, nth) for key, (serial, nth) in desk.archives.items()}
    desk.socket.pongs = pongs
    assert by_hand(play, server(play)._requests.archives_arrived(desk.socket)).finish().ops == []


def test_where_nothing_is_to_be_archived_nothing_is_sent() -> None:
    play = Play()
    play.connect()
    assert by_hand(play, server(play)._requests.send_archives(socket_of(play))).finish().ops == []


def test_with_redelivery_off_a_task_that_nobody_has_taken_still_goes_out() -> None:
    play = Play(off=("redelivery",))
    request = play.say("go")
    play.connect()
    assert [t.request_id for t in play.got(TaskDispatch)] == [request]
