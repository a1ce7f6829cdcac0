"""What each channel gets to see: one post on X, a new answer on Telegram, edits on Slack."""

import pytest

from sim.channel.api import DeleteMessage, EditMessage, FindMessage, PostMessage, Press, Say
from sim.channel.weight import LIMIT, weight
from sim.core.event import CallIssued, Saved
from sim.protocols.hook import InteractionRequest, TurnEnd
from sim.protocols.hook.frames import Button, TaskAttachment, TurnUsage
from sim.protocols.hook.server import Limits
from sim.protocols.hook.server.ending import MIB, raw_bytes, shown_files
from sim.protocols.hook.server.manners import SLACK, TELEGRAM, X, cut_utf16, utf16
from tests.protocols.hook.delivery_play import LanePlay

DOWN_AND_UP = ("server_error", "rate_limited")


# -- X ------------------------------------------------------------------------------------


def test_x_gets_one_post_and_nothing_else():
    """hook RC-101, HK-54"""
    play = LanePlay()
    request = play.task()
    play.progress(request, "half")
    play.ask(request)
    play.end(request, "ok", "done", wait=5)
    assert [(p.text, p.state) for p in play.calls(PostMessage)] == [("done", "OK")]
    assert not play.calls(EditMessage)
    assert [note["card"] for note in play.notes("card-not-shown")] == ["A1"]


@pytest.mark.parametrize(
    "text", ["a" * 281, "漢" * 141, "see https://example.org/" + "p" * 400 + " x"]
)
def test_an_answer_on_x_weighs_at_most_280(text):
    play = LanePlay()
    request = play.task()
    play.end(request, "ok", text, wait=5)
    shown = play.shows(request)[1]
    assert weight(shown) <= LIMIT
    assert shown == text or shown.endswith("…")


def test_a_rejection_is_the_one_post_and_an_end_behind_it_has_failed():
    play = LanePlay()
    play.connect()
    request = play.say("fix it")
    play.ack(request, "rejected", reason="disabled")
    play.run(5)
    assert play.shows(request)[0] == "REJECTED"
    play.ack(request)
    play.end(request, "ok", "done", wait=5)
    assert play.states(request)[-1] == "failed"
    assert len(play.calls(PostMessage)) == 1


def test_an_interruption_leaves_the_one_post_to_a_late_end():
    """hook RC-55"""
    play = LanePlay()
    request = play.task()
    play.cut(wait=20 * 60)
    assert not play.calls(PostMessage)
    play.connect()
    play.end(request, "ok", "late", wait=5)
    assert play.shows(request) == ("OK", "late")
    assert len(play.calls(PostMessage)) == 1


def test_a_reopen_on_x_is_ignored():
    """hook RC-101"""
    play = LanePlay()
    request = play.task()
    play.end(request, "error", "e1", wait=3)
    play.reopen("K1", request)
    play.progress("K1", "p")
    play.end("K1", "ok", "done", wait=5)
    assert play.shows(request) == ("FAILED", "e1")
    assert len(play.calls(PostMessage)) == 1
    assert not play.calls(EditMessage)


def test_a_post_of_unknown_outcome_is_looked_for_and_not_repeated():
    """hook RC-101, RC-100"""
    play = LanePlay()
    request = play.task()
    play.channel("post", "unknown")
    play.end(request, "ok", "done", wait=60)
    assert len(play.posted()) == 1
    assert play.calls(FindMessage)
    assert play.states(request) == ["accepted", "retrying", "delivered"]


def test_without_looking_the_same_answer_is_posted_twice():
    play = LanePlay(off=("look_before_posting",))
    request = play.task()
    play.channel("post", "unknown")
    play.end(request, "ok", "done", wait=60)
    assert len(play.posted()) > 1
    assert not play.calls(FindMessage)


def test_a_post_that_lands_after_its_time_out_is_still_the_only_one():
    """hook RC-101"""
    play = LanePlay()
    request = play.task()
    play.channel("post", "latency", 100)
    play.end(request, "ok", "done", wait=600)
    assert len(play.posted()) == 1
    assert play.states(request)[-1] == "delivered"


def test_what_the_channel_never_got_is_posted_when_the_doubt_is_over():
    play = LanePlay()
    request = play.task()
    play.crash_behind(CallIssued, 1)
    play.channel("post", "server_error")
    play.end(request, "ok", "done", wait=100)
    assert play.answers(request) == []
    play.run(400)
    assert [m.text for m in play.answers(request)] == ["done"]


# -- Telegram -----------------------------------------------------------------------------


def test_telegram_gets_the_answer_as_a_new_message_then_loses_the_progress():
    """hook RC-102"""
    play = LanePlay("telegram")
    request = play.task()
    play.progress(request, "half")
    play.end(request, "ok", "done", wait=3)
    order = [type(e.request) for e in play.events(CallIssued) if e.caller == "S"]
    assert order == [PostMessage, EditMessage, PostMessage, DeleteMessage]
    standing = [m for m in play.view.history.by_about[request] if not m.deleted]
    assert [(m.state, m.text) for m in standing] == [("OK", "done")]


def test_a_failed_delete_leaves_both_and_the_answer_stays():
    """hook RC-102"""
    play = LanePlay("telegram")
    request = play.task()
    play.channel("delete", "server_error", always=True)
    play.end(request, "ok", "done", wait=200)
    play.end(request, "ok", "done", wait=200)
    states = [m.state for m in play.view.history.by_about[request] if not m.deleted]
    assert states == ["WORKING", "OK"]
    assert play.states(request) == ["accepted", "delivered", "delivered"]


@pytest.mark.parametrize("nth", range(1, 7))
def test_the_progress_message_goes_wherever_the_server_crashes(nth):
    """hook RC-102"""
    play = LanePlay("telegram")
    request = play.task()
    play.crash_behind(Saved, nth)
    play.end(request, "ok", "done", wait=100)
    if not play.puppet().conns[-1].is_open:
        play.connect()
        play.end(request, "ok", "done", wait=200)
    standing = [(m.state, m.text) for m in play.view.history.by_about[request] if not m.deleted]
    assert set(standing) == {("OK", "done")}


def test_a_telegram_reopen_edits_the_answer_in_place():
    """hook RC-102"""
    play = LanePlay("telegram")
    request = play.task()
    play.end(request, "error", "e1", wait=3)
    posts = len(play.calls(PostMessage))
    play.reopen("K1", request)
    assert play.shows(request)[0] == "WORKING"
    play.end("K1", "ok", "done", wait=3)
    assert play.shows(request) == ("OK", "done")
    assert len(play.calls(PostMessage)) == posts


def test_a_late_end_on_telegram_takes_the_place_of_the_interruption():
    """hook RC-55"""
    play = LanePlay("telegram")
    request = play.task()
    play.cut(wait=20 * 60)
    assert play.shows(request)[0] == "INTERRUPTED"
    play.connect()
    play.end(request, "ok", "late", wait=3)
    assert play.shows(request) == ("OK", "late")
    assert len(play.calls(PostMessage)) == 1


def test_an_answer_in_doubt_on_telegram_takes_the_progress_message():
    play = LanePlay("telegram")
    request = play.task()
    play.channel("post", "unknown")
    play.end(request, "ok", "done", wait=60)
    assert len(play.posted()) == 2
    assert play.states(request)[-1] == "delivered"
    assert {m.text for m in play.view.history.by_about[request] if not m.deleted} == {"done"}


@pytest.mark.parametrize("lane", ["telegram", "slack"])
def test_a_placeholder_in_doubt_through_a_crash_costs_no_answer(lane):
    """hook RC-104"""
    play = LanePlay(lane)
    play.connect()
    play.channel("post", "latency", 3)
    request = play.say("fix it", wait=0.3)
    play.ack(request)
    play.crash()
    play.channel("*", "ok")
    play.restart(wait=0.1)
    play.connect()
    play.end(request, "ok", "done", wait=100)
    assert [m.text for m in play.answers(request)] == ["done"]
    assert play.states(request)[-1] == "delivered"


def test_a_long_answer_goes_out_in_pieces_and_a_reopen_takes_them_back():
    play = LanePlay("telegram")
    request = play.task()
    text = "a" * 5_000 + "b" * 5_000
    play.end(request, "error", text, wait=5)
    pieces = [m.text for m in play.view.history.messages.values() if m.by_bot and not m.deleted]
    assert "".join(p.removesuffix("…") for p in pieces) == text
    assert [p.endswith("…") for p in pieces] == [True, True, False]
    play.progress(request, "ignored")
    play.reopen("K1", request, wait=5)
    left = [m for m in play.view.history.messages.values() if m.by_bot and not m.deleted]
    assert [m.state for m in left] == ["WORKING"]


def test_progress_on_telegram_is_cut_and_not_split():
    play = LanePlay("telegram")
    request = play.task()
    play.progress(request, "a" * 5_000)
    assert utf16(play.shows(request)[1]) == 4_096
    assert len(play.calls(PostMessage)) == 1


def test_an_identical_edit_is_no_failure():
    play = LanePlay("telegram")
    request = play.task()
    play.end(request, "error", "e1", wait=3)
    play.reopen("K1", request)
    play.channel("edit", "unknown")
    play.end("K1", "ok", "done", wait=60)
    edits = [e for e in play.calls(EditMessage) if e.state == "OK"]
    assert 2 <= len(edits) <= 3
    assert play.shows(request) == ("OK", "done")


@pytest.mark.parametrize(("chat", "quotes"), [("", False), ("-1001", True)])
def test_answers_quote_in_groups_and_not_in_direct_chats(chat, quotes):
    play = LanePlay("telegram")
    play.connect()
    play.world.act("Alice", Say("", "fix it", None, True, chat))
    play.run(1)
    request = next(reversed(play.view.requests))
    play.ack(request)
    play.end(request, "ok", "done", wait=3)
    assert {bool(post.reply_to) for post in play.posted()} == {quotes}


def test_a_server_may_bring_its_own_settings_for_quotes():
    play = LanePlay("telegram")
    play.world.hosts["S"].actor._writing.quotes = lambda task: "all"
    request = play.task()
    play.end(request, "ok", "a" * 5_000, wait=3)
    assert {post.reply_to for post in play.calls(PostMessage)} == {"t1"}


# -- Slack --------------------------------------------------------------------------------


def test_a_placeholder_of_unknown_outcome_is_found_and_used():
    """hook RC-100"""
    play = LanePlay("slack")
    play.connect()
    play.channel("post", "unknown")
    request = play.say("fix it", wait=40)
    play.ack(request)
    play.progress(request, "half")
    assert play.shows(request) == ("WORKING", "half")
    play.end(request, "ok", "done", wait=3)
    assert [m.state for m in play.view.history.by_about[request]] == ["OK"]


def test_a_crash_with_a_post_in_flight_leaves_no_orphan():
    """hook RC-104, RC-100"""
    play = LanePlay("slack")
    play.connect()
    play.channel("post", "latency", 1)
    request = play.say("fix it", wait=0.5)
    play.crash()
    play.restart(wait=3)
    play.connect()
    play.ack(request)
    play.progress(request, "half")
    assert play.shows(request) == ("WORKING", "half")
    play.end(request, "ok", "done", wait=60)
    assert [m.state for m in play.view.history.by_about[request]] == ["OK"]


def test_a_card_of_unknown_outcome_can_be_pressed():
    play = LanePlay("slack")
    request = play.task()
    play.channel("post", "unknown")
    play.ask(request, wait=40)
    play.press("A1", "yes")
    assert [type(b).__name__ for _, _, b in play.received][-1] == "InteractionDecision"


def test_a_pause_holds_for_the_whole_channel_and_answers_go_first():
    """hook RC-99"""
    play = LanePlay("slack")
    one, two, three = play.task("a"), play.task("b"), play.task("c")
    play.channel("edit", "rate_limited", 10)
    play.progress(one, "p1", wait=1)
    before = len(play.calls(EditMessage))
    play.progress(two, "p2", wait=1)
    play.end(three, "ok", "done", wait=1)
    play.end(one, "ok", "done", wait=1)
    assert len(play.calls(EditMessage)) == before
    play.run(12)
    later = play.calls(EditMessage)[before:]
    assert [e.state for e in later] == ["OK", "OK", "WORKING"]
    assert all(e.text != "p1" for e in later)


def test_a_pause_in_one_telegram_chat_does_not_stop_another():
    play = LanePlay("telegram")
    play.connect("D2")
    mine = play.task("a")
    theirs = play.say("b", who="Bob")
    play.ack(theirs, who="D2")
    play.channel("edit", "rate_limited", 30)
    play.progress(mine, "p", wait=1)
    play.end(theirs, "ok", "done", who="D2", wait=2)
    assert play.shows(theirs) == ("OK", "done")
    play.end(mine, "ok", "done", wait=2)
    assert not play.answers(mine)
    play.run(40)
    assert play.shows(mine) == ("OK", "done")


def test_many_answers_at_once_all_arrive_in_spite_of_limits():
    """hook RC-54"""
    play = LanePlay("slack")
    play.connect()
    requests = [play.say(f"q{i}", wait=0.2) for i in range(40)]
    play.channel("edit", "rate_limited", 2)
    for request in requests:
        play.end(request, "ok", "done", wait=0)
    play.run(120)
    assert {play.shows(request) for request in requests} == {("OK", "done")}


def test_a_written_interruption_does_not_settle_the_end_behind_it():
    """hook RC-55"""
    play = LanePlay("slack", limits=Limits(absent_us=60_000_000))
    request = play.task()
    play.cut(wait=50)
    play.channel("edit", "latency", 20)
    play.run(20)
    play.connect()
    play.end(request, "ok", "late", wait=0.2)
    play.channel("edit", "down", 20)
    play.run(10)
    play.crash()
    play.restart(wait=60)
    assert play.shows(request) == ("OK", "late")


# -- attachments --------------------------------------------------------------------------


def files(*facts: tuple[str, str, int]) -> tuple[TaskAttachment, ...]:
    return tuple(
        TaskAttachment(name=name, mime_type=mime, data_base64="A" * (size * 4 // 3))
        for name, mime, size in facts
    )


def test_files_are_named_and_limits_kept():
    """HK-201, HK-202"""
    given = files(
        ("a.png", "image/png", 10),
        ("", " IMAGE/JPG ", 10),
        ("b.bmp", "image/bmp", 10),
        ("big.png", "image/png", 6 * MIB),
        ("c.zip", "application/zip", 6 * MIB),
        ("d.zip", "application/zip", 11 * MIB),
    )
    assert shown_files(given, SLACK) == (
        "a.png", " IMAGE/JPG ", "b.bmp", "big.png (too large)", "c.zip", "d.zip (too large)",
    )  # fmt: skip
    assert shown_files(given, X) == ("a.png", " IMAGE/JPG ")


def test_no_more_files_than_a_channel_takes():
    many = files(*[(f"{i}.png", "image/png", 1) for i in range(13)])
    assert shown_files(many, TELEGRAM)[-1] == "3 more"
    assert len(shown_files(many, X)) == 4
    heavy = files(*[(f"{i}.zip", "application/zip", 9 * MIB) for i in range(4)])
    assert shown_files(heavy, SLACK)[-1] == "3.zip (too large)"
    assert raw_bytes("aGk=") == 2


def test_an_answer_shows_the_names_of_its_files():
    """HK-201"""
    play = LanePlay("telegram")
    request = play.task()
    body = TurnEnd(
        request_id=request, external_key="k", session_id="s-1", status="ok", final_text="done",
        error_message=None, usage=TurnUsage(duration_ms=None),
        attachments=files(("a.png", "image/png", 3)),
    )  # fmt: skip
    play.send(body, wait=3)
    assert play.answers(request)[0].files == ("a.png",)


# -- texts --------------------------------------------------------------------------------


def test_texts_are_cut_and_split_by_utf16_units():
    text = "😀" * 3_000
    head = cut_utf16(text, 4_096)
    assert utf16(head) <= 4_096
    assert head.endswith("…")
    pieces = TELEGRAM.pieces(text)
    assert "".join(p.removesuffix("…") for p in pieces) == text
    assert len(TELEGRAM.pieces("x" * 100_000)) == 8
    assert TELEGRAM.pieces("x" * 100_000)[-1].endswith("…")


def test_cards_are_shown_where_they_can_be_pressed():
    play = LanePlay("telegram")
    request = play.task()
    body = InteractionRequest(
        request_id=request, interaction_id="A9", kind="permission", title="Allow?", body="",
        buttons=(Button(id="yes", label="Yes", style="default"),),
    )  # fmt: skip
    play.send(body, wait=2)
    card = play.view.card_of("A9")
    assert card is not None
    play.world.act("Alice", Press("", card.id, "yes"))
    play.run(2)
    assert [type(b).__name__ for _, _, b in play.received][-1] == "InteractionDecision"
