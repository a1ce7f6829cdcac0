"""Questions that are too old: the edge, the reject, its failures (§5, DQ-09, DQ-10, DQ-12)."""

from __future__ import annotations

import pytest

from sim.core.event import Noted
from sim.protocols.question import acts
from sim.protocols.question.store.operations import RenameFile
from sim.protocols.question.telegram.plan import Standing
from tests.protocols.question.listener_play import BridgePlay
from tests.protocols.question.question_play import question

TTL = 30 * 60 * 1000
EXPIRED = "该问题已过期或已回答"


def old(play: BridgePlay, age_ms: int, name: str = "aaaa0001", **fields: object) -> None:
    """An entry of that age, with a message that it belongs to."""
    usual = {"chat_id": "-4200000001", "message_id": 101}
    entry = question(**{**usual, **fields}).to_wire()
    del entry["timestamp"]
    play.act("store", acts.PutEntry(name, entry, age_ms), 1)


def asked(play: BridgePlay, call: str = "call_A") -> None:
    """OpenCode's side of an entry, without its hook."""
    play.act("opencode", acts.Ask("ses_1", call=call), 50)
    play.put()


def test_what_has_expired_is_removed_rejected_and_loses_its_buttons():
    play = BridgePlay()
    asked(play)
    old(play, TTL + 1)
    play.run_ms(31_000)
    assert play.asked() == ["GET list", "POST /que_1/reject"]
    assert play.tool("que_1") == "error"
    assert play.kept() == {}
    assert [b["message_id"] for b in play.shown("editMessageReplyMarkup")] == [101]
    assert play.messages() == play.toasts() == []


def test_what_was_removed_is_rejected_though_the_disk_has_not_said_that_it_is_gone():
    play = BridgePlay()
    asked(play)
    old(play, TTL + 1)
    play.slow_disk(RenameFile, "listener", 3_000)
    play.run_ms(34_000)
    assert play.kept() == {}
    assert play.asked() == ["GET list", "POST /que_1/reject"]


def test_cleaning_runs_at_the_start_too():
    play = BridgePlay()
    play.crash("listener")
    old(play, TTL + 1)
    play.restart("listener")
    play.run_ms(300)
    assert play.kept() == {}


@pytest.mark.parametrize(("age_ms", "answered"), [(TTL - 2_000, True), (TTL + 1, False)])
@pytest.mark.parametrize("way", ["press", "text"])
def test_age_is_judged_when_handling_starts_for_presses_and_texts_alike(way, age_ms, answered):
    play = BridgePlay()
    asked(play)
    wait = {"awaiting_text": True, "expected_user_id": 7001, "custom_prompt_message_id": 101}
    old(play, age_ms, **(wait if way == "text" else {}))
    if way == "press":
        play.press("qopt:aaaa0001:0", message=101, ms=300)
    else:
        play.say("late", ms=300)
    told = play.toasts() if way == "press" else play.messages()
    assert (told == [EXPIRED]) is not answered
    assert play.asked() == ["GET list", "POST /que_1/" + ("reply" if answered else "reject")]
    assert play.kept() == {}


def pressed_at_age(age_ms: int | None, *off: str) -> tuple[BridgePlay, int]:
    """A press whose handling begins when its entry has this age; None: a new one."""
    play = BridgePlay(*off)
    asked(play)
    entry = question(timestamp=play.now_ms).to_wire()
    if age_ms is not None:
        _, handled_ms = pressed_at_age(None)
        entry["timestamp"] = handled_ms - age_ms
    play.act("store", acts.PutEntry("aaaa0001", entry), 1)
    play.press("qopt:aaaa0001:0", message=101, ms=300)
    line = next(e for e in play.events(Noted) if "callback_query" in str(e.data))
    return play, play.now_ms - (play.world.now - line.at) // 1000


@pytest.mark.parametrize(("late_ms", "end"), [(0, "reply"), (1, "reject")])
def test_exactly_thirty_minutes_still_count(late_ms, end):
    play, _ = pressed_at_age(TTL + late_ms)
    assert play.asked() == ["GET list", f"POST /que_1/{end}"]


def test_without_the_rule_of_the_edge_exactly_thirty_minutes_are_too_old():
    play, _ = pressed_at_age(TTL, "edge-of-ttl")
    assert play.toasts() == [EXPIRED]


def test_three_expired_entries_one_warning_each_for_two_failures_and_the_third_is_rejected():
    play = BridgePlay()
    for n in (1, 2, 3):
        play.act("opencode", acts.Ask(f"ses_{n}", call=f"call_{n}"), 30)
    play.put()
    for n in (1, 2, 3):
        old(play, TTL + 1, f"aaaa000{n}", sid=f"ses_{n}", call_id=f"call_{n}", message_id=100 + n)
    play.fail("listener>opencode", "POST:/question/*/reject", "500")
    play.fail("listener>opencode", "GET:/question", "10us")
    play.fail("listener>opencode", "GET:/question", "reset")
    play.run_ms(60_000)
    warned = [line for line in play.logs() if "reject at expiry" in line]
    assert len(warned) == 2
    assert play.tool("que_3") == "error"
    assert play.tool("que_1") == play.tool("que_2") == "running"
    assert play.kept() == {}
    assert [b["message_id"] for b in play.shown("editMessageReplyMarkup")] == [101, 102, 103]
    assert sum("reject" in call for call in play.asked()) == 2


def test_what_is_not_listed_is_looked_for_twice_200_ms_apart_and_not_rejected():
    play = BridgePlay()
    old(play, TTL + 1)
    play.run_ms(31_000)
    assert play.asked() == ["GET list", "GET list"]
    assert play.times()[1] - play.times()[0] == 202


def test_what_began_in_time_goes_on_to_its_end_and_is_not_rejected_meanwhile():
    keys = (("A", "qopt:aaaa0001:0"),)
    play = BridgePlay(telegram={"standing": (Standing("Deploy now?", keys),)})
    old(play, TTL - 1_000)
    play.press("qopt:aaaa0001:0", message=101, ms=3_000)
    play.say("a batch, so that cleaning runs", person="Bob", ms=1_000)
    assert "POST /que_1/reject" not in play.asked()
    assert "aaaa0001" in play.kept()
    asked_at = len(play.asked())
    play.act("opencode", acts.Ask("ses_1", call="call_A"), 500)
    assert play.asked()[asked_at:][-1] == "POST /que_1/reply"


def test_entries_of_other_kinds_and_young_ones_stay():
    play = BridgePlay()
    old(play, TTL - 60_000)
    play.act("store", acts.PutEntry("pppp0001", {"type": "permission", "timestamp": 0}))
    before = play.kept()
    play.run_ms(59_000)
    assert play.kept() == before
    assert play.asked() == []


def test_a_clock_that_was_set_back_makes_no_entry_old():
    play = BridgePlay()
    old(play, -TTL * 2)
    play.run_ms(61_000)
    assert "aaaa0001" in play.kept()


def test_cleaning_is_not_held_up_by_a_question_that_takes_long():
    play = BridgePlay()
    u = play.ask(ms=30, listed_after_ms=60_000)
    play.press(f"qopt:{u}:0", ms=100)
    old(play, TTL + 1, call_id="call_9")
    play.say("a batch", person="Bob", ms=600)
    assert "aaaa0001" not in play.kept()
    assert play.toasts() == []


def test_an_old_entry_rejects_no_newer_question_that_has_other_options():
    play = BridgePlay()
    play.act("opencode", acts.Ask("ses_1", options=("X", "Y"), shows_tool=False), 50)
    play.put()
    old(play, TTL + 1)
    play.run_ms(31_000)
    assert play.asked() == ["GET list", "GET list"]
    assert play.tool("que_1") == "running"


def test_two_old_entries_that_could_be_about_one_question_reject_it_once():
    play = BridgePlay()
    play.act("opencode", acts.Ask("ses_1", shows_tool=False), 50)
    play.put()
    play.fail("listener>opencode", "POST:/question/*/reject", "500")
    old(play, TTL + 1)
    old(play, TTL + 1, "aaaa0002", call_id="call_B")
    play.run_ms(31_000)
    assert play.asked() == ["GET list", "POST /que_1/reject", "GET list"]
    assert play.tool("que_1") == "running"


def test_what_was_not_rejected_because_its_answer_was_on_the_way_is_rejected_once_that_has_failed():
    play = BridgePlay()
    play.act("opencode", acts.Ask("ses_1", shows_tool=False), 50)
    play.put()
    old(play, TTL - 20_000)
    old(play, TTL - 500, "aaaa0002", call_id="call_B")
    play.world.route("listener", "opencode").latency = (1_000_000, 1_000_000)
    play.fail("listener>opencode", "POST:/question/*/reply", "500")
    play.press("qopt:aaaa0001:0", message=101, ms=600)
    play.say("a batch, so that cleaning runs", person="Bob", ms=4_000)
    assert list(play.kept()) == ["aaaa0001"]
    assert play.asked() == ["GET list", "GET list", "POST /que_1/reply"]
    play.run_ms(60_000)
    assert play.asked()[3:] == ["GET list", "POST /que_1/reject"]
    assert play.tool("que_1") == "error"
