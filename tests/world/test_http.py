"""HTTP between hosts: what becomes of a request, and of its answer."""

import pytest

from sim.core import op
from sim.core.event import CallAnswered, CallApplied, CallLost, FaultInjected
from sim.core.http import HttpRequest, HttpResponse, Unreached, untold
from sim.core.trace import digest_of
from sim.world import fault, fault_choice, http_fault
from sim.world.fault import Budget
from tests.world.play import SECOND, Play

LIST = HttpRequest("GET", "/question", (("directory", "/p"),))
REPLY = HttpRequest("POST", "/question/que_7/reply", (), {"answers": [["A"]]})


async def serve(actor, caller, request):
    return HttpResponse(200, [request.asked("directory")])


def asking(request=LIST, *, before="", on_call=serve, timeout=10 * SECOND):
    """B asks O, which applies after 100 ms and whose answers take 10 ms."""
    play = Play()
    play.steady(10, "B>O")
    del play.world.latencies["B", "O"]
    play.host("O", latency=(100_000, 100_000), on_call=on_call)
    play.host("B")
    if before:
        assert fault_choice.strike(play.world, before)
    return play, play.perform("B", op.Call("O", request, timeout_us=timeout))


def test_a_request_is_answered_by_the_handler_of_the_callee():
    play, answer = asking()
    play.run()
    assert answer == [HttpResponse(200, ["/p"])]
    assert answer[0].is_ok


def test_requests_are_named_by_method_and_path_without_ids():
    play, _ = asking(REPLY)
    assert play.names() == ["apply O.POST:/question/*/reply B/1"]
    assert http_fault.is_request("apply O.POST:/question/*/reply B ~2")
    assert not http_fault.is_request("apply IM.edit S")


def test_nobody_listens_where_the_host_is_down():
    play, answer = asking()
    play.crash("O")
    play.run()
    assert answer == [Unreached("refused")]
    assert answer[0].is_unapplied
    assert play.world.now == 110_000


def test_a_host_that_crashes_in_the_middle_resets_the_connection():
    async def slowly(actor, caller, request):
        await actor.perform(op.Sleep(5 * SECOND))
        return HttpResponse(204)

    play, answer = asking(on_call=slowly)
    play.run(1_000)
    play.crash("O")
    play.run()
    assert answer == [Unreached("reset")]
    assert not answer[0].is_unapplied
    assert play.events(CallApplied) == []


@pytest.mark.parametrize(
    ("outcome", "reply", "applied", "at_us"),
    [
        ("refused", Unreached("refused"), 0, 110_000),
        ("reset", Unreached("reset"), 0, 110_000),
        ("lost", op.NO_ANSWER, 0, 10 * SECOND),
        ("503", HttpResponse(503), 0, 110_000),
        ("404", HttpResponse(404), 0, 110_000),
        ("2000000us", HttpResponse(200, ["/p"]), 1, 2_110_000),
        ("60000000us", op.NO_ANSWER, 1, 10 * SECOND),
        ("broken", Unreached("reset"), 1, 110_000),
        ("unanswered", op.NO_ANSWER, 1, 10 * SECOND),
    ],
)
@pytest.mark.parametrize("way", ["next", "on its way"])
def test_a_fault_decides_what_the_caller_gets_and_whether_it_was_applied(
    way, outcome, reply, applied, at_us
):
    before = f"http B>O GET:/question {outcome}"
    play, answer = asking(before=before if way == "next" else "")
    if way != "next":
        assert fault_choice.strike(play.world, f"http apply O.GET:/question B/1 {outcome}")
    play.run()
    assert answer == [reply]
    assert len(play.events(CallApplied)) == applied
    assert [e.at for e in play.events(CallAnswered)] == [at_us]
    assert len(play.events(FaultInjected)) == 1


def test_faults_of_the_next_requests_are_used_up_in_order_by_their_kind_and_route():
    play = Play()
    play.host("O", on_call=serve)
    play.host("P", on_call=serve)
    play.host("B")
    assert fault_choice.strike(play.world, "http B>O POST:/question/*/reply 500 2x")
    assert fault_choice.strike(play.world, "http B>O * 404")
    got = [
        play.perform("B", op.Call(to, request))
        for to, request in [("P", REPLY), ("O", LIST), ("O", REPLY), ("O", REPLY), ("O", REPLY)]
    ]
    play.run()
    assert [answer[0].status for answer in got] == [200, 404, 500, 500, 200]


@pytest.mark.parametrize(
    "name",
    [
        "http B>O GET:/question 200",
        "http B>O GET:/question 600",
        "http B>O GET:/question 503 0x",
        "http B>O GET:/question 503 1000x",
        "http B>nobody GET:/question 503",
        "http B>O GET:/question",
        "http apply O.GET:/question B/2 503",
        "http apply O.GET:/question B/1 gone",
        "http",
    ],
)
def test_a_fault_that_means_nothing_here_does_not_strike(name):
    play, _ = asking()
    before = len(play.world.events)
    assert not fault_choice.strike(play.world, name)
    assert len(play.world.events) == before


def test_a_search_may_choose_each_outcome_for_each_request_on_its_way():
    play, _ = asking()
    names = [c.name for c in fault_choice.fault_choices(play.world, Budget(http=1))]
    assert names == [f"http apply O.GET:/question B/1 {word}" for word in http_fault.MENU]
    assert fault_choice.strike(play.world, names[0])
    assert fault_choice.fault_choices(play.world, Budget(http=1)) == []
    assert Budget.parse("http:2").http == 2


def test_an_outcome_of_a_request_does_not_change_other_calls():
    play, answer = asking()
    other = play.perform("B", op.Call("O", REPLY))
    assert fault_choice.strike(play.world, "http apply O.GET:/question B/1 lost")
    play.run()
    assert other[0].status == 200
    assert answer == [op.NO_ANSWER]
    assert [e.why for e in play.events(CallLost)] == ["request lost"]


def test_what_a_fault_did_is_written_so_that_it_can_strike_again():
    def told(names):
        play, _ = asking(before=names[0])
        assert fault_choice.strike(play.world, names[1])
        play.run()
        return [e.fault for e in play.events(FaultInjected)], digest_of(play.world.events)

    first = told(["http B>O POST:/x 500 3x", "http apply O.GET:/question B/1 reset"])
    assert first == told(first[0])


def test_a_crash_of_the_caller_forgets_its_request():
    play, answer = asking()
    fault.crash(play.world, "B")
    play.run()
    assert answer == []
    assert len(play.events(CallApplied)) == 1


@pytest.mark.parametrize(
    ("timeout", "background", "settled"),
    [(30 * SECOND, False, False), (30 * SECOND, True, True), (90 * SECOND, False, True)],
)
def test_a_call_that_only_waits_keeps_a_run_unsettled_unless_it_is_a_long_poll(
    timeout, background, settled
):
    async def never(actor, caller, request):
        await actor.perform(op.Wait("news", 3_600 * SECOND))

    play = Play()
    play.host("O", on_call=never)
    play.host("B")
    play.perform("B", op.Call("O", LIST, timeout, background))
    play.run(1_000)
    assert play.world.settled() is settled


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("apply TG.GET:/bottoken-A/getUpdates L/2", "apply TG.GET:/bot…/getUpdates L/2"),
        ("H>TG POST:/bot123456:AAbb_c/getMe 500", "H>TG POST:/bot…/getMe 500"),
        ("see /botany/roses", "see /botany/roses"),
    ],
)
def test_what_people_read_has_no_credential_of_a_path(text, shown):
    assert untold(text) == shown
