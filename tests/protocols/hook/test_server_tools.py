"""Slack tools that agents call through the server."""

import pytest

from sim.channel.api import Say
from sim.protocols.hook import ABSENT, BindRevoke, ToolRequest, ToolResponse
from sim.world.fault import crash
from tests.protocols.hook.accounts_play import AccountsPlay

POST = "slack_post_message"


def slack(*teams, **more):
    play = AccountsPlay(**more)
    play.join()
    for team in teams:
        play.sign_in(team=team)
    return play


def call(play, tool="callTool", request="t1", team=ABSENT, **args):
    body = ToolRequest(request_id=request, tool=tool, args=args or ABSENT, team_id=team)
    play.send(body, wait=2)
    return play.last(ToolResponse)


def post(play, text="hi", **more):
    return call(play, name=POST, arguments={"channel": "C1", "text": text}, **more)


def test_status_and_list_tools_are_answered_by_their_request_id():
    """HK-153"""
    play = slack("T1", "T2")
    response = call(play, "status", "t7")
    assert (response.reply_to, response.ok, response.error) == ("t7", True, ABSENT)
    assert response.result["teams"] == [
        {"teamId": "T1", "slackUserId": "U1"},
        {"teamId": "T2", "slackUserId": "U1T2"},
    ]
    assert POST in [tool["name"] for tool in call(play, "listTools").result["tools"]]


@pytest.mark.parametrize(("off", "code"), [((), "UNKNOWN_TOOL"), (("unknown_tool_answered",), "")])
def test_an_unknown_tool_is_answered_and_not_dropped(off, code):
    """HK-152"""
    play = slack("T1", off=off)
    play.send(ToolRequest(request_id="t1", tool="fly"))
    found = play.got(ToolResponse)
    assert [r.error.code for r in found] == [code] * bool(code)


@pytest.mark.parametrize(("off", "author"), [((), "Alice"), (("tools_as_user",), "bot")])
def test_a_tool_acts_as_the_bound_user(off, author):
    """HK-155"""
    play = slack("T1", off=off)
    response = post(play)
    assert response.ok
    assert [(s.person, s.text, s.chat) for s in play.calls(Say)] == [(author, "hi", "C1")]
    message = play.view.history.messages["IM", response.result["messageId"]]
    assert message.author == author
    assert not message.by_bot


def test_what_a_tool_posts_is_no_task():
    play = slack("T1")
    post(play)
    assert not play.dispatched()


@pytest.mark.parametrize(
    ("team", "off", "outcome"),
    [
        ("T2", (), "T2.C1"),
        ("T1", (), "C1"),
        (ABSENT, (), "TEAM_REQUIRED"),
        (None, (), "TEAM_REQUIRED"),
        ("T9", (), "NOT_BOUND"),
        (ABSENT, ("team_not_guessed",), "C1"),
    ],
)
def test_the_addressed_team_decides_and_nobody_guesses(team, off, outcome):
    """HK-101, HK-155"""
    play = slack("T1", "T2", off=off)
    response = post(play, team=team)
    said = [s.chat for s in play.calls(Say)]
    assert said == ([outcome] if response.ok else [])
    if not response.ok:
        assert response.error.code == outcome
        assert response.error.message


def test_an_unbound_desktop_has_no_hands():
    play = slack("T1")
    play.send(BindRevoke())
    assert post(play).error.code == "NOT_BOUND"
    assert call(play, "status").result == {"bound": False, "teams": []}


@pytest.mark.parametrize(
    ("args", "code"),
    [
        ({"name": POST}, "INVALID_ARGS"),
        ({"name": POST, "arguments": {"text": 7}}, "INVALID_ARGS"),
        ({"name": POST, "arguments": {"text": "x", "channel": 7}}, "INVALID_ARGS"),
        ({"name": "fly"}, "UNKNOWN_TOOL"),
        ({}, "UNKNOWN_TOOL"),
    ],
)
def test_a_call_that_cannot_be_made_says_why_by_code(args, code):
    """HK-154"""
    play = slack("T1")
    assert call(play, **args).error.code == code


@pytest.mark.parametrize(("thread", "said"), [("m1", "m1"), (None, None), (5, None)])
def test_a_tool_writes_into_the_thread_that_it_names(thread, said):
    """HK-155"""
    play = slack("T1")
    call(play, name=POST, arguments={"channel": "C1", "text": "hi", "thread": thread})
    assert [one.thread for one in play.calls(Say)] == [said]


def test_a_channel_that_does_not_answer_is_an_error_of_the_tool():
    """HK-154"""
    play = slack("T1")
    crash(play.world, "IM")
    body = ToolRequest(
        request_id="t1", tool="callTool", args={"name": POST, "arguments": {"text": "hi"}}
    )
    play.send(body, wait=90)
    error = play.last(ToolResponse).error
    assert (error.code, error.message) == ("CHANNEL_ERROR", "Slack did not answer")


def test_answers_pair_with_requests_whatever_their_order():
    """HK-153"""
    play = slack("T1")
    for name in ("a", "b", "c"):
        body = ToolRequest(
            request_id=name, tool="callTool", args={"name": POST, "arguments": {"text": name}}
        )
        play.send(body, wait=0)
    play.run(3)
    answers = {r.reply_to: r.result["messageId"] for r in play.got(ToolResponse)}
    texts = {n: play.view.history.messages["IM", m].text for n, m in answers.items()}
    assert texts == {"a": "a", "b": "b", "c": "c"}


def test_without_the_feature_requests_are_dropped():
    """HK-151"""
    play = AccountsPlay(bound=True)
    play.feature("slack-tools", False)
    play.join()
    play.send(ToolRequest(request_id="t1", tool="status"))
    assert not play.got(ToolResponse)
