"""The server twin: Retry-After is kept by everything that calls a channel, through a crash too."""

import pytest

from sim.channel.api import DeleteMessage, EditMessage, PostMessage, Say
from sim.core.event import CallIssued
from sim.protocols.hook import BindRevoke, ToolRequest, ToolResponse
from tests.protocols.hook.accounts_play import AccountsPlay
from tests.protocols.hook.delivery_play import LanePlay
from tests.protocols.hook.server_play import SECOND_US, Play


def times(play, kind, role=""):
    """When such calls were issued by the server, in seconds."""
    return [
        e.at / SECOND_US
        for e in play.events(CallIssued)
        if e.caller == "S" and type(e.request) is kind and getattr(e.request, "role", "") == role
    ]


def held(seconds=40, **facts):
    """Slack has just answered an edit with 429 and this Retry-After; gives when."""
    play = Play(**facts)
    play.connect()
    request = play.say("a")
    play.channel("edit", "rate_limited", seconds)
    play.ack(request)
    play.progress(request, "half", wait=0.6)
    [at] = times(play, EditMessage)
    return play, request, at


def test_a_pause_is_kept_through_a_crash():
    """hook RC-99"""
    play, request, at = held()
    assert [key for key, _ in play.world.hosts["S"].store.items("pause/")] == ["pause/IM/"]
    play.crash()
    play.restart()
    play.connect()
    play.end(request, "ok", "done")
    play.run(30)
    assert len(times(play, EditMessage)) == 1
    play.run(30)
    assert times(play, EditMessage)[1] >= at + 40
    assert play.shows(request) == ("OK", "done")


def test_a_pause_that_is_over_does_not_outlive_a_crash():
    play, request, _ = held(5)
    play.run(10)
    play.crash()
    play.restart()
    assert not play.world.hosts["S"].actor._writing.calling.pace.is_asked_for
    play.connect()
    play.end(request, "ok", "done", wait=1)
    assert play.shows(request) == ("OK", "done")


def test_a_shorter_pause_does_not_cut_a_longer_one_short():
    play, request, at = held(40)
    calling = play.world.hosts["S"].actor._writing.calling
    assert calling.pace.hold("IM", "", play.world.now + SECOND_US) is False
    play.end(request, "ok", "done")
    play.run(60)
    assert times(play, EditMessage)[1] >= at + 40


def test_a_notice_waits_for_the_pause_that_somebody_else_was_told():
    play, _, at = held(bindings={("slack", "Alice"): "D"})
    play.say("hello?", "Bob")
    play.run(30)
    assert times(play, PostMessage, "notice") == []
    play.run(30)
    [notice] = times(play, PostMessage, "notice")
    assert notice >= at + 40


@pytest.mark.parametrize(
    ("outcome", "always", "tries"),
    [
        ("rate_limited", False, 2), ("server_error", False, 2), ("server_error", True, 4),
        ("unknown", False, 1), ("quota_exceeded", False, 1),
    ],
)  # fmt: skip
def test_a_notice_that_was_refused_for_the_moment_is_tried_again(outcome, always, tries):
    play = Play(bindings={})
    play.connect()
    play.channel("post", outcome, 20, always=always)
    play.say("hello?")
    play.run(120)
    at = times(play, PostMessage, "notice")
    assert len(at) == tries
    if outcome == "rate_limited":
        assert at[1] - at[0] >= 20


def test_a_deletion_waits_for_the_pause_that_another_message_was_told():
    play = LanePlay("telegram")
    first, second = play.task(), play.task()
    play.channel("post", "latency", 3)
    play.end(first, "ok", "done", wait=0.5)
    play.channel("edit", "rate_limited", 20)
    play.progress(second, "half", wait=1)
    [told] = times(play, EditMessage)
    play.run(15)
    assert play.shows(first) == ("OK", "done")
    assert times(play, DeleteMessage) == []
    play.run(15)
    [at] = times(play, DeleteMessage)
    assert at >= told + 20


def tools(seconds):
    """An agent's tool is called while Slack wants a pause that another call was told of."""
    play = AccountsPlay()
    play.join()
    play.sign_in(team="T1")
    play.channel("post", "rate_limited", seconds)
    play.say("hello?", "Bob", wait=1)
    [told] = times(play, PostMessage, "notice")
    args = {"name": "slack_post_message", "arguments": {"channel": "C1", "text": "hi"}}
    play.send(ToolRequest(request_id="t1", tool="callTool", args=args), wait=1)
    return play, told


def said(play):
    return [e.at / SECOND_US for e in play.events(CallIssued) if e.caller == "S" and _is_say(e)]


def _is_say(event):
    return type(event.request) is Say and event.request.text == "hi"


def test_a_tool_waits_for_a_pause_that_is_short():
    play, told = tools(20)
    assert play.got(ToolResponse) == []
    play.run(30)
    assert play.last(ToolResponse).ok
    [at] = said(play)
    assert at >= told + 20


@pytest.mark.parametrize(("who", "author", "code"), [("", "", "NOT_BOUND"), ("Bob", "Bob", "")])
def test_a_tool_that_had_to_wait_looks_again_whose_hands_it_has(who, author, code):
    """HK-155, hook RC-99"""
    play, _ = tools(20)
    if who:
        play.sign_in(who, team="T1")
    else:
        play.send(BindRevoke(team_id="T1"), wait=1)
    play.run(30)
    answer = play.last(ToolResponse)
    assert ("" if answer.ok else answer.error.code) == code
    assert [one.person for one in play.calls(Say) if one.text == "hi"] == [author] * bool(author)


def test_a_tool_whose_agent_has_gone_while_it_waited_does_nothing():
    """HK-155, hook RC-99"""
    play, _ = tools(20)
    play.cut(wait=1)
    play.run(40)
    assert said(play) == []


def presence_told_late():
    """Slack wants a pause when somebody is about to be told that a desktop went."""
    play = AccountsPlay(bound=True, announces=True)
    play.join(lifecycle_announcement=True)
    play.run(5)
    play.channel("post", "rate_limited", 20)
    play.cut(wait=3)
    assert play.notices() == ["Your desktop is online", "Your desktop is offline"]
    return play


def test_a_notice_that_had_to_wait_is_posted_when_it_is_still_so():
    """HK-30, hook RC-99"""
    play = presence_told_late()
    play.run(30)
    assert play.notices()[2:] == ["Your desktop is offline"]


def test_a_notice_that_had_to_wait_is_not_posted_when_it_is_not_so_any_more():
    """HK-30, hook RC-84, RC-99"""
    play = presence_told_late()
    play.join(lifecycle_announcement=True)
    play.run(30)
    assert play.notices()[2:] == ["Your desktop is online"]


def test_a_tool_does_not_wait_for_a_pause_that_is_long():
    play, _ = tools(100)
    response = play.last(ToolResponse)
    assert (response.ok, response.error.code) == (False, "CHANNEL_ERROR")
    assert "rate_limited" in response.error.message
    play.run(120)
    assert said(play) == []
