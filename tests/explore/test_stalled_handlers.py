"""A handler that takes its time between two ops acts on what holds when it goes on.

Each scenario lets a second thing happen while the handler of the first one stands still,
behind whichever of its first ops: what is stored or told last must be the second thing's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from sim.channel.api import EditMessage, PostMessage
from sim.core.event import CallApplied, Erased, Event, FrameSent, Noted, Saved
from sim.explore.explain import trace_of
from sim.explore.schedule import Case, Schedule
from sim.explore.trial import judged
from sim.play import vocabularies
from sim.scenario.parse import parse_scenario
from sim.world.fault import Budget
from sim.world.helm import Step

OPS = range(1, 9)

HEAD = """sequenceDiagram
    actor U as Alice
    participant IM as {channel}
    participant S as hook server
    participant D as desktop
"""


def run(channel: str, lines: str, stop: str, until: str) -> Sequence[Event]:
    """The events of the scenario with a stop at the place ``stop``; nothing may be broken."""
    text = HEAD.format(channel=channel) + "".join(
        f"    {line.strip()}\n" for line in lines.strip().splitlines()
    )
    case = Case.of(parse_scenario(text, "stalled", vocabularies()), faults=Budget())
    schedule = Schedule(seed=1, steps=(Step(stop, f"until {until}"),))
    assert not [f"{v.invariant}: {v.text}" for v in judged(case, schedule).violations]
    return trace_of(case, schedule).events


def saved(events: Sequence[Event], key: str) -> list[Any]:
    """What was stored under a key, None where it was erased."""
    rows = [e for e in events if isinstance(e, Saved | Erased) and e.key == key]
    return [e.value if isinstance(e, Saved) else None for e in rows]


def sent(events: Sequence[Event], kind: str) -> list[Any]:
    """The bodies of all frames of a type."""
    return [e.frame.body for e in events if isinstance(e, FrameSent) and e.frame.type == kind]


@pytest.mark.parametrize("op", OPS)
def test_what_is_said_after_new_goes_into_the_new_session(op: int) -> None:
    events = run(
        "Slack",
        """
        U->>IM: message "Write a poem"
        S->>D: task.dispatch (requestId=R1)
        D->>S: turn.end (ok, requestId=R1, finalText="Roses")
        %% @settle
        U->>IM: /new
        U->>IM: reply R1 "Write a song"
        """,
        f"apply S.said IM ~2 @S.on_call/{op}",
        "apply S.said IM ~3",
    )
    first, second = (frame.external_key for frame in sent(events, "task.dispatch"))
    assert second == f"{first}:g2"
    assert [frame.external_key for frame in sent(events, "session.archive")] == [first]


@pytest.mark.parametrize("op", OPS)
def test_the_last_login_counts(op: int) -> None:
    events = run(
        "Slack",
        """
        D->>S: hello
        S->>D: welcome
        %% @settle
        U->>D: login Bob
        U->>D: login Carol
        """,
        f"line 9 @D.on_act/{op}",
        "line 10",
    )
    assert saved(events, "account")[-1] == "Carol"


@pytest.mark.parametrize("op", OPS)
def test_the_last_list_of_folders_counts(op: int) -> None:
    events = run(
        "Slack",
        """
        D->>S: hello
        S->>D: welcome
        %% @settle
        U->>D: workspaces chat,web
        U->>D: workspaces chat
        """,
        f"line 9 @D.on_act/{op}",
        "line 10",
    )
    assert saved(events, "workspaces")[-1] == ("chat",)
    assert sent(events, "hello")[-1].workspaces == ("chat",)


@pytest.mark.parametrize("op", OPS)
def test_a_newer_attempt_outlives_the_end_of_an_older_one(op: int) -> None:
    events = run(
        "Telegram",
        """
        %% @puppet D handshake pong
        D->>S: provider.bind.start (requestId=Q1, provider="telegram", scopeId=null)
        S->>D: provider.bind.update (pending, attemptId=A1)
        U->>IM: authorize
        D->>S: provider.bind.start (requestId=Q2, provider="telegram", scopeId=null)
        """,
        f"apply S.said IM @S.on_call/{op}",
        "deliver D.telegram#1 D>S provider.bind.start ~2",
    )
    rows = saved(events, "provider-attempt/telegram/device-D")
    newest = [row for row in rows if row is not None][-1]
    told = [f for f in sent(events, "provider.bind.update") if f.state == "pending"]
    if told[-1].reply_to == sent(events, "provider.bind.start")[-1].request_id:
        assert rows[-1] is newest
        assert told[-1].attempt_id == newest.attempt


@pytest.mark.parametrize("op", OPS)
def test_what_an_agent_does_while_its_round_is_announced_is_played_in_order(op: int) -> None:
    events = run(
        "Slack",
        """
        U->>IM: message "Dig a hole"
        S->>D: task.dispatch (requestId=R1)
        D->>S: turn.end (error, requestId=R1, errorMessage="No spade")
        %% @settle
        U->>D: retry
        %% @settle
        D->>S: turn.progress (requestId=K1, text="first")
        D->>S: turn.progress (requestId=K1, text="second")
        %% @settle
        """,
        f"line 12 @D.on_act/{op}",
        "line 13",
    )
    assert [e.data for e in events if isinstance(e, Noted) and e.what == "agent"]
    texts = [frame.text for frame in sent(events, "turn.progress")]
    assert texts
    assert texts[-1].startswith("second")


@pytest.mark.parametrize("op", OPS)
def test_a_rejection_that_takes_its_time_does_not_cover_the_answer(op: int) -> None:
    events = run(
        "Slack",
        """
        %% @puppet D handshake pong
        U->>IM: message "Is it cold?"
        S->>D: task.dispatch (requestId=R1)
        D->>S: task.ack (rejected, requestId=R1, reason="invalid", sessionId=null)
        D->>S: turn.end (ok, requestId=R1, finalText="Yes.")
        %% @settle
        """,
        f"deliver D.slack#1 D>S task.ack @S.on_frame/{op}",
        "deliver D.slack#1 D>S turn.end",
    )
    shown = [
        e.request.text
        for e in events
        if isinstance(e, CallApplied) and isinstance(e.request, EditMessage | PostMessage)
    ]
    assert shown[-1] == "Yes."


@pytest.mark.parametrize("op", OPS)
def test_a_welcome_that_takes_its_time_takes_no_snapshot_back(op: int) -> None:
    events = run(
        "Telegram",
        """
        D->>S: hello
        S->>D: welcome
        D->>S: provider.bind.start (provider="telegram", requestId=Q1)
        S->>D: provider.bind.update (pending, replyTo=Q1, attemptId=A1)
        %% @settle
        %% @cut D rst
        U->>IM: authorize
        D->>S: hello
        S->>D: welcome
        %% @settle
        """,
        f"deliver D.telegram#2 S>D welcome @D.on_frame/{op}",
        "deliver D.telegram#2 S>D provider.bind.state",
    )
    states = [e.data["state"] for e in events if isinstance(e, Noted) and e.what == "binding"]
    assert states[-1] == "confirmed"
