"""Diagrams with several channels: who is where, which one an arrow or a directive means."""

from __future__ import annotations

from typing import Any

import pytest

from sim.channel.api import (
    Authorize,
    ChannelFault,
    PersonSaid,
    Say,
    SignedIn,
)
from sim.core.errors import ScenarioError
from sim.core.event import CallIssued, HostStarted
from sim.scenario.playing.result import Result
from sim.scenario.stages.hook_cast import Cast
from sim.scenario.stages.hook_people import secret_of
from tests.scenario.played import acts, passes, read, run

ALL = (
    "actor U as Alice",
    "actor V as Bob",
    "participant IM as Slack",
    "participant T as Telegram",
    "participant X as X",
    "participant S as hook server",
    "participant D as desktop",
)
SLACK_URL = "https://slack.com/openid/connect/authorize?state=one&team=T1"
TELEGRAM_URL = "https://t.me/hooktwinbot?start=two"
X_URL = "https://x.com/i/oauth2/authorize?client_id=c&state=three"
PUPPET = (
    "actor U as Alice", "participant IM as Slack", "participant T as Telegram",
    "participant X as X", "participant S as hook server", "participant D as desktop",
    "%% @puppet S handshake pong", "D->>S: hello",
)  # fmt: skip


def goes(*lines: str) -> Result:
    """Its arrows hold; what the server makes of them is judged elsewhere. → the result"""
    result = run(*lines, after=ALL)
    assert [failure for failure in result.failures if failure.line] == []
    return result


def told(result: Result) -> list[tuple[str, Any]]:
    """(channel, event) of everything that people made the channels tell the server."""
    return [
        (event.caller, event.request)
        for event in result.trace.events
        if isinstance(event, CallIssued) and isinstance(event.request, PersonSaid | SignedIn)
    ]


def places(result: Result) -> list[tuple[str, str, str | None, str]]:
    """(channel, chat, thread, text) of everything that was said, first deliveries only."""
    found = {said.event: (at, said.chat, said.thread, said.text) for at, said in told(result)}
    return list(found.values())


def bindings(*lines: str) -> list[tuple[str, str]]:
    """(lane, person) of all that are bound from the start."""
    return list(Cast(read(lines), None, None).plan.bindings)  # type: ignore[arg-type]


# -- who stands there --------------------------------------------------------------------


def test_every_drawn_channel_is_a_host_and_a_lane():
    result = passes(after=ALL)
    started = [e.host for e in result.trace.events if isinstance(e, HostStarted)]
    assert started == ["IM", "T", "X", "U", "V", "S", "D"]
    assert dict(result.trace.header.hosts)["T"] == "telegram"
    cast = Cast(read(ALL), None, None)  # type: ignore[arg-type]
    assert cast.lanes() == ("slack", "telegram", "x")


def test_where_no_channel_is_drawn_there_is_slack():
    assert bindings("participant D", "participant S") == [("slack", "person")]
    assert bindings("participant D", "participant S", "participant T") == [("telegram", "person")]


def test_one_run_has_one_channel_of_a_kind():
    with pytest.raises(ScenarioError, match="IM and I2 are both a slack; one run has one"):
        run("participant IM as Slack", "participant I2 as slack", "participant S")


def test_everybody_is_bound_on_every_channel():
    assert bindings(*ALL) == [
        (lane, person) for person in ("U", "V") for lane in ("slack", "telegram", "x")
    ]


def test_whoever_signs_in_by_an_arrow_is_unbound_there_at_first():
    bound = bindings(*ALL, "V->>T: authorize", "U->>IM: authorize T2", "U->>X: decline")
    assert bound == [("telegram", "U"), ("x", "U"), ("slack", "V"), ("x", "V")]


def test_a_channel_signs_the_first_person_in():
    assert ("telegram", "U") not in bindings(*ALL, "T->>S: authorize")


# -- where a message goes ------------------------------------------------------------------


def test_a_message_starts_a_thread_a_chat_or_a_conversation():
    result = goes(
        'U->>IM: message "a"', 'U->>T: message "b"', 'U->>X: message "c"', 'V->>T: message "d"',
        "%% @after 2s",
    )  # fmt: skip
    assert sorted(places(result)) == [
        ("IM", "C1", "m1", "a"),
        ("T", "10001", None, "b"),
        ("T", "10002", None, "d"),
        ("X", "public", "x1", "c"),
    ]


def test_the_channel_can_say_what_a_person_does():
    result = goes('T->>S: message "a"', 'X->>S: message "b"', "%% @after 2s")
    assert [(at, text) for at, _, _, text in places(result)] == [("T", "a"), ("X", "b")]


def test_a_channel_passes_on_only_what_was_said_there():
    result = goes(
        'U->>IM: message "a"', 'T->>S: message "b"', 'IM->>S: message "a"', "%% @after 2s"
    )
    assert sorted(text for _, _, _, text in places(result)) == ["a", "b"]


def test_free_text_is_a_message_on_its_channel():
    result = goes("V->>T: 帮我看看", "%% @after 2s")
    assert places(result) == [("T", "10002", None, "帮我看看")]


def test_a_group_is_a_channel_or_a_chat_and_the_bot_is_not_addressed():
    result = goes('U->>IM: group "a"', 'U->>T: group "b"', "%% @after 2s")
    assert sorted(places(result)) == [("IM", "C1", "m1", "a"), ("T", "-1001", None, "b")]
    assert [said.to_bot for _, said in told(result)] == [False, False]


def test_x_has_no_groups():
    with pytest.raises(ScenarioError, match="X has no groups"):
        run('U->>X: group "a"', after=ALL)


def test_a_reply_stays_where_the_last_message_of_that_channel_is():
    result = goes(
        'U->>IM: message "a"', 'U->>X: message "b"', 'U->>T: message "c"', "%% @after 1s",
        'U->>IM: reply "d"', 'V->>X: reply "e"', 'U->>T: reply "f"', "%% @after 2s",
    )  # fmt: skip
    assert sorted(places(result))[:2] == [("IM", "C1", "m1", "a"), ("IM", "C1", "m1", "d")]
    assert ("X", "public", "x1", "e") in places(result)
    assert ("T", "10001", None, "f") in places(result)


def test_nobody_replies_in_the_direct_chat_of_somebody_else():
    result = run('U->>T: message "a"', "%% @after 1s", 'V->>T: reply "b"', after=ALL)
    [failure] = result.failures
    assert "nobody has written to the bot" in failure.happened


def test_a_command_goes_to_the_place_of_the_last_message():
    result = passes('U->>T: message "a"', "%% @after 1s", "U->>T: /stop", after=PUPPET)
    assert acts(result)[-1] == ("U", Say("U", "/stop", chat="10001", channel="T"))


def test_acts_name_their_channel_only_where_there_are_several():
    one = passes('U->>IM: message "a"', after=(ALL[0], ALL[2], *ALL[5:]))
    assert acts(one) == [("U", Say("U", "a"))]
    several = passes('U->>T: message "a"', after=ALL)
    assert acts(several) == [("U", Say("U", "a", channel="T"))]


# -- signing in ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "channel", "link"),
    [
        (f'bind.update (pending, authorizeUrl="{SLACK_URL}")', "IM", "one"),
        (f'provider.bind.update (pending, provider=x, connectUrl="{X_URL}")', "X", "three"),
        (
            f'provider.bind.update (pending, provider=telegram, connectUrl="{TELEGRAM_URL}")',
            "T",
            "two",
        ),
    ],
)
def test_authorize_opens_the_link_that_the_desktop_shows(frame, channel, link):
    result = passes(f"S->>D: {frame}", f"U->>{channel}: authorize", "%% @settle", after=PUPPET)
    assert acts(result)[-1] == ("U", Authorize("U", link, channel=channel))


def test_authorize_waits_for_the_link_of_its_channel():
    result = run(
        f'S->>D: bind.update (pending, authorizeUrl="{SLACK_URL}")', "U->>T: authorize",
        after=PUPPET,
    )  # fmt: skip
    [failure] = result.failures
    assert failure.happened.endswith("no link for T shows on D")


def test_the_newest_link_counts_and_the_person_may_choose_a_team_or_decline():
    newer = SLACK_URL.replace("one", "four")
    result = passes(
        f'S->>D: bind.update (pending, authorizeUrl="{SLACK_URL}")',
        f'S->>D: bind.update (pending, authorizeUrl="{newer}")',
        "U->>IM: authorize T2", "U->>IM: decline", "%% @settle", after=PUPPET,
    )  # fmt: skip
    answers = [act for _, act in acts(result) if isinstance(act, Authorize)]
    assert answers == [
        Authorize("U", "four", "T2", channel="IM"),
        Authorize("U", "four", "", True, channel="IM"),
    ]


def test_a_desktop_that_is_nobodys_is_within_reach():
    lines = ("actor U", "actor V", "participant IM", "participant S", "participant D")
    more = [f"%% @host D{n} desktop" for n in (2, 3)]
    scenario = read([*lines, "participant D2", "participant D3", *more])
    cast = Cast(scenario, None, None)  # type: ignore[arg-type]
    assert cast.within_reach("U") == ("D", "D3")
    assert cast.within_reach("V") == ("D2", "D3")


@pytest.mark.parametrize(
    ("url", "secret"),
    [(SLACK_URL, "one"), (TELEGRAM_URL, "two"), (X_URL, "three"), ("plain", "plain"), ("", "")],
)
def test_a_link_is_known_by_its_secret(url, secret):
    assert secret_of(url) == secret


# -- directives ----------------------------------------------------------------------------


def faults(result: Result) -> list[tuple[str, str]]:
    return [(host, act.op) for host, act in acts(result) if isinstance(act, ChannelFault)]


def test_a_fault_is_for_the_channel_of_the_next_arrow():
    result = passes(
        "%% @channel post 429", 'U->>T: message "a"', "%% @channel edit unknown", "D->>S: hello",
        'X->>S: message "b"', "%% @channel * down 1s", after=ALL,
    )  # fmt: skip
    assert faults(result) == [
        ("T", "post"), ("X", "edit"), ("IM", "*"), ("T", "*"), ("X", "*"),
    ]  # fmt: skip


def test_a_recorded_act_can_say_what_the_language_cannot():
    result = passes(
        '%% @act T {"is":"channel-fault","op":"event","outcome":"repeated"}',
        '%% @act U {"is":"say","person":"","text":"a","channel":"T"}',
        "%% @settle",
        after=ALL,
    )
    assert [event.event for at, event in told(result) if at == "T"] == ["T-e1", "T-e1"]
    act = '{"is":"authorize","person":"","link":"l","channel":"X"}'
    result = passes(f"%% @act U {act}", "%% @after 1s", after=PUPPET)
    assert {event.link for at, event in told(result) if at == "X"} == {"l"}
