"""The loop: offsets, handlers side by side, failures, two listeners, claims, the lock."""

from __future__ import annotations

import itertools
import json

import pytest

from sim.channel.api import ChannelFault
from sim.core.op import Save
from sim.protocols.question import acts
from sim.protocols.question.listener.expiry import Expiry
from sim.protocols.question.machine_updates import UPDATE
from sim.protocols.question.telegram.plan import FIRST_UPDATE
from tests.protocols.question.listener_play import FAILED, BridgePlay
from tests.protocols.question.question_play import LEASE, question


def unlisted(play: BridgePlay, session: str = "ses_1", **ask: object) -> str:
    """A question that its tool registers a minute later only."""
    return play.ask(session=session, ms=30, listed_after_ms=60_000, **ask)


def test_a_slow_question_blocks_nobody_and_the_offset_waits_for_it():
    play = BridgePlay()
    slow, quick = unlisted(play), play.ask(session="ses_2")
    play.press(f"qopt:{slow}:0", ms=50)
    play.press(f"qopt:{quick}:0", person="Bob", ms=500)
    assert play.replies() == [("que_1", "A")]
    play.run_ms(8_000)
    polls = play.polls()
    busy = [at for at, offset in polls if offset == str(FIRST_UPDATE)]
    gaps = [b - a for a, b in itertools.pairwise(busy)]
    assert len(busy) > 15
    assert min(gaps) >= 300
    assert polls[-1][1] == str(FIRST_UPDATE + 2)
    assert len(play.times()) == 21
    assert play.toasts("listener")[-1] == FAILED


def test_one_question_is_handled_strictly_in_order():
    play = BridgePlay()
    u = unlisted(play)
    play.press(f"qopt:{u}:0", ms=20)
    play.press(f"qopt:{u}:1", ms=13_000)
    assert len(play.times()) == 40
    assert play.toasts() == [FAILED, FAILED]
    begun, ended = play.notes("handles"), play.notes("handled")
    assert begun == ended == [FIRST_UPDATE, FIRST_UPDATE + 1]


def test_the_second_of_two_taps_is_told_that_it_is_answered():
    play = BridgePlay()
    u = play.ask()
    play.press(f"qopt:{u}:0", ms=1)
    play.press(f"qopt:{u}:1", ms=500)
    assert play.replies() == [("que_1", "A")]
    assert play.toasts() == ["✅ 已选择：A", "该问题已过期或已回答"]


def test_updates_that_come_again_are_handled_once():
    play = BridgePlay()
    u = unlisted(play)
    play.act("telegram", ChannelFault("event", "repeated"))
    play.press(f"qopt:{u}:0", ms=7_000)
    assert play.toasts() == [FAILED]


def test_after_a_crash_in_the_middle_the_press_comes_again_and_is_served():
    play = BridgePlay()
    u = unlisted(play)
    play.press(f"qopt:{u}:0", ms=100)
    play.crash("listener")
    play.restart("listener")
    play.run_ms(200)
    assert len(play.times()) > 1
    play.run_ms(8_000)
    assert play.toasts() == [FAILED]
    assert "claimedBy" not in play.kept()[u]


def test_a_crash_between_reply_and_removal_ends_in_a_harmless_toast():
    play = BridgePlay()
    u = play.ask()
    play.fail("listener>opencode", "POST:/question/*/reply", "unanswered")
    play.press(f"qopt:{u}:0", ms=700)
    assert play.tool("que_1") == "completed"
    play.crash("listener")
    play.restart("listener")
    play.run_ms(500)
    assert play.toasts() == ["该问题已被回答或已关闭"]
    assert play.kept() == {}
    assert len(play.replies()) == 1


@pytest.mark.parametrize("outcome", ["reset", "refused", "500", "409", "429"])
def test_a_poll_that_fails_is_repeated_after_five_seconds_from_the_same_offset(outcome):
    play = BridgePlay()
    play.crash("listener")
    u = play.ask()
    play.fail("listener>telegram", "GET:/bottoken-A/getUpdates", outcome, "2x")
    play.press(f"qopt:{u}:0")
    play.restart("listener")
    play.run_ms(11_000)
    last = play.polls()[-4:]
    assert [offset for _, offset in last] == ["0", "0", "0", str(FIRST_UPDATE + 1)]
    gaps = [b[0] - a[0] for a, b in itertools.pairwise(last[:3])]
    assert [gap // 1000 for gap in gaps] == [5, 5]
    assert play.replies() == [("que_1", "A")]
    assert sum("Telegram getUpdates" in line for line in play.logs()) == 2


def test_polls_that_fail_for_ever_go_on_for_ever_but_let_a_run_settle():
    play = BridgePlay()
    play.crash("telegram")
    play.driver.run(play.world.settled, limit_us=600_000_000)
    assert play.world.settled()
    failed = len(play.polls())
    play.run_ms(60_000)
    assert len(play.polls()) >= failed + 11


def test_getme_is_asked_until_it_is_answered():
    play = BridgePlay()
    play.crash("listener")
    play.fail("listener>telegram", "GET:/bottoken-A/getMe", "reset", "2x")
    play.restart("listener")
    u = play.ask()
    play.press(f"qopt:{u}:0", ms=11_000)
    assert play.replies() == [("que_1", "A")]


def test_a_second_listener_waits_for_the_lease_and_takes_it_when_the_first_is_gone():
    play = BridgePlay()
    play.listener("listener2")
    u = play.ask()
    assert play.polls("listener2") == []
    assert any("listener#1" in line for line in play.logs())
    play.run_ms(20_000)
    assert play.polls("listener2") == []
    play.crash("listener")
    play.run_ms(5_100)
    play.press(f"qopt:{u}:0", ms=300)
    assert play.asked("listener2") == ["GET list", "POST /que_1/reply"]


def test_a_listener_that_slept_too_long_finds_another_at_its_place_and_stops_polling():
    play = BridgePlay()
    play.listener("listener2")
    play.sleep("listener", 60_000)
    play.run_ms(70_000)
    assert any("taken over" in line for line in play.logs())
    ended = play.polls()[-1][0]
    play.run_ms(60_000)
    assert play.polls()[-1][0] == ended
    assert play.polls("listener2")


def test_a_disk_that_refuses_the_lease_for_longer_than_it_holds_ends_no_polling():
    play = BridgePlay()
    play.act("store", acts.DenyStore(), 100_000)
    assert any("lease" in line for line in play.logs())
    assert len([at for at, _ in play.polls() if at > 40_000]) >= 2
    play.act("store", acts.DenyStore(on=False), 40_000)
    assert play.polls()[-1][0] > 100_000


def test_without_a_lease_the_claim_lets_only_one_of_two_listeners_act():
    play = BridgePlay("one-listener-at-a-time", telegram={"conflicts": False})
    play.listener("listener2")
    u = play.ask()
    play.fail("listener>opencode", "GET:/question", "200000us")
    play.fail("listener2>opencode", "GET:/question", "200000us")
    play.press(f"qopt:{u}:0", ms=500)
    assert len(play.replies()) == 1
    told = play.toasts() + play.toasts("listener2")
    assert sorted(told) == ["✅ 已选择：A", "正在处理中，请稍候"]


def test_with_409_each_of_two_listeners_pauses_and_each_update_is_handled_once():
    play = BridgePlay("one-listener-at-a-time")
    play.listener("listener2")
    u = play.ask()
    play.press(f"qopt:{u}:0", ms=12_000)
    assert len(play.replies()) == 1
    assert any("409" in line for line in play.logs())


def test_a_claim_of_a_living_process_is_respected_and_that_of_a_dead_one_is_void():
    play = BridgePlay()
    u = play.ask()
    entry = play.kept()[u]
    for owner, told in [("hook#1", "正在处理中，请稍候"), ("killed#1", "✅ 已选择：A")]:
        claim = {"claimedBy": f"{owner}/x", "claimedAt": play.now_ms}
        play.act("store", acts.PutEntry(u, {**entry, **claim}))
        play.press(f"qopt:{u}:0", ms=300)
        assert play.toasts()[-1] == told
    assert len(play.replies()) == 1


def test_a_claim_is_refreshed_while_the_work_takes_long_and_old_ones_are_void():
    play = BridgePlay()
    u = unlisted(play)
    play.fail("listener>opencode", "GET:/question", "4500000us", "9x")
    play.press(f"qopt:{u}:0", ms=17_000)
    assert play.now_ms - play.kept()[u]["claimedAt"] <= 5_100
    stale = {"claimedBy": "hook#1/x", "claimedAt": play.now_ms - 15_001}
    entry = question(timestamp=play.now_ms).to_wire()
    play.act("store", acts.PutEntry("aaaa0001", {**entry, **stale}))
    play.press("qopt:aaaa0001:0", message=101, ms=10)
    assert "正在处理中，请稍候" not in play.toasts()


def test_a_lock_that_is_held_too_long_is_told_in_the_documents_words_and_polling_goes_on():
    play = BridgePlay()
    u = play.ask()
    play.act("store", acts.LeaveLock(owner="hook#1"))
    play.press(f"qopt:{u}:0", ms=2_500)
    assert play.toasts() == [FAILED]
    assert play.asked() == []
    play.act("store", acts.RemoveLock())
    play.press(f"qopt:{u}:0", ms=300)
    assert play.replies() == [("que_1", "A")]


def test_a_lock_of_a_killed_process_is_taken_over_and_nobody_notices():
    play = BridgePlay()
    u = play.ask()
    play.act("store", acts.LeaveLock())
    play.press(f"qopt:{u}:0", ms=300)
    assert play.replies() == [("que_1", "A")]


def test_a_broken_store_is_moved_aside_and_told_once_and_work_goes_on():
    play = BridgePlay()
    u = play.ask()
    play.act("store", acts.BreakStore())
    play.press(f"qopt:{u}:0", ms=500)
    play.press(f"qopt:{u}:1", ms=500)
    assert play.toasts() == ["该问题已过期或已回答"] * 2
    assert len(play.messages()) == 1
    assert "电脑" in play.messages()[0]
    assert any(".broken-" in path for path in play.files())
    again = play.ask(session="ses_2")
    play.press(f"qopt:{again}:0", ms=300)
    assert play.replies() == [("que_2", "A")]


def test_an_update_whose_handler_raises_has_ended_and_the_loop_goes_on():
    play = BridgePlay("items-may-lack-tool")
    u = play.ask(shows_tool=False)
    play.press(f"qopt:{u}:0", ms=300)
    assert any("KeyError" in line for line in play.logs())
    assert "claimedBy" not in play.kept()[u]
    other = play.ask(session="ses_2", directory="/else")
    play.press(f"qopt:{other}:0", ms=300)
    assert play.replies() == [("que_2", "A")]


def test_presses_from_another_chat_are_ignored():
    play = BridgePlay(chat="-77")
    u = play.ask()
    play.press(f"qopt:{u}:0", ms=300)
    assert play.asked() == []
    assert play.toasts() == []
    assert play.polls()[-1][1] == str(FIRST_UPDATE + 1)


def test_every_row_of_the_table_of_updates_is_used(monkeypatch):
    used: dict[tuple[str, str], None] = {}
    monkeypatch.setattr(UPDATE, "used", used)
    play = BridgePlay("cached-id-checked")
    first, second = play.ask(call="call_A"), play.ask(call="call_B")
    play.fail("listener>opencode", "POST:/question/*/reply", "500")
    play.press(f"qopt:{first}:0", ms=300)
    play.press(f"qopt:{first}:9")
    play.press(f"qopt:{first}:0", ms=300)
    play.press(f"qcustom:{second}")
    # A text waits behind its writer's press on one question, and is for another.
    play.crash("listener")
    play.press("qcustom:gone0000", message=102)
    play.say("for the second")
    play.restart("listener")
    play.run_ms(300)
    play.say("nobody's")
    play.press(f"qopt:{unlisted(play, 'ses_3')}:0", ms=7_000)
    # The entry goes between the match and its being remembered.
    third = play.ask(session="ses_4")
    play.fail("listener>opencode", "GET:/question", "50000us")
    play.press(f"qopt:{third}:0", ms=40)
    play.put()
    play.run_ms(300)
    assert play.replies() == [("que_1", "A"), ("que_2", "for the second")]
    assert set(UPDATE.rows()) == set(used)


def test_an_entry_that_could_not_be_removed_is_removed_as_soon_as_the_store_obeys():
    play = BridgePlay()
    u = play.ask()
    play.fail("listener>opencode", "POST:/question/*/reply", "100000us")
    play.press(f"qopt:{u}:0", ms=50)
    play.act("store", acts.LeaveLock(owner="hook#1"))
    play.run_ms(3_000)
    assert play.toasts() == ["✅ 已选择：A"]
    assert FAILED not in "".join(play.messages())
    assert u in play.kept()
    play.act("store", acts.RemoveLock())
    play.run_ms(4_000)
    assert play.kept() == {}


def test_a_press_on_what_was_settled_here_is_no_failure_though_the_store_refuses():
    play = BridgePlay()
    u = play.ask()
    play.press(f"qopt:{u}:0", ms=300)
    play.act("store", acts.DenyStore())
    play.press(f"qopt:{u}:1", ms=300)
    assert play.toasts() == ["✅ 已选择：A", "该问题已过期或已回答"]
    assert play.messages() == []


def test_a_cleaning_turn_that_raised_is_followed_by_others(monkeypatch):
    play = BridgePlay()
    listener = play.world.hosts["listener"].actor
    real = listener._expiry._collect

    async def raises() -> None:
        monkeypatch.setattr(Expiry, "_collect", real.__func__)
        raise RuntimeError("nobody foresaw this")

    monkeypatch.setattr(Expiry, "_collect", lambda self: raises())
    play.run_ms(31_000)
    assert any("nobody foresaw this" in line for line in play.logs())
    entry = question(timestamp=play.now_ms - 31 * 60_000).to_wire()
    play.act("store", acts.PutEntry("aaaa0001", entry))
    play.run_ms(31_000)
    assert play.kept() == {}


def test_a_lease_that_was_lost_and_had_again_makes_no_hurry_of_the_polls():
    play = BridgePlay()
    u = unlisted(play)
    play.world.route("telegram", "listener", reply=True).latency = (250_000, 250_000)
    play.press(f"qopt:{u}:0", ms=4_000)
    signed = json.dumps({"owner": "hook#1", "at": 0, "id": "an old one"})
    play.perform("store", Save(LEASE, signed))
    play.run_ms(8_000)
    assert any("taken over" in line for line in play.logs())
    busy = [at for at, offset in play.polls() if offset == str(FIRST_UPDATE)]
    assert min(b - a for a, b in itertools.pairwise(busy)) >= 300
    assert play.toasts() == [FAILED]


def test_who_has_lost_the_lease_leaves_what_a_poll_still_brings_to_the_other():
    play = BridgePlay()
    u = play.ask()
    signed = json.dumps({"owner": "hook#1", "at": play.now_ms + 60_000, "id": "another's"})
    play.perform("store", Save(LEASE, signed))
    play.run_ms(6_000)
    assert any("taken over" in line for line in play.logs())
    play.press(f"qopt:{u}:0", ms=1_000)
    assert play.asked() == play.toasts() == []


def test_an_entry_that_is_done_goes_when_the_disk_is_back_even_after_a_while():
    play = BridgePlay()
    u = play.ask()
    play.fail("listener>opencode", "POST:/question/*/reply", "100000us")
    play.press(f"qopt:{u}:0", ms=50)
    play.act("store", acts.DenyStore(), 20_000)
    assert play.toasts() == ["✅ 已选择：A"]
    play.act("store", acts.DenyStore(on=False), 4_000)
    assert play.kept() == {}
