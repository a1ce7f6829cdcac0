"""Section 1: who stands in the diagram, who is bound to whom, who behaves."""

from __future__ import annotations

import pytest

from sim.core.errors import ScenarioError
from sim.core.event import HostStarted
from tests.scenario.played import CONNECTED, PEOPLE, frames, passes, payloads, run


def started(result):
    return [event.host for event in result.trace.events if isinstance(event, HostStarted)]


def test_what_a_diagram_leaves_out_exists_all_the_same():
    result = passes("participant D as desktop", "participant S as server", "D->>S: hello")
    assert started(result) == ["slack", "person", "S", "D"]
    assert dict(result.trace.header.hosts) == {
        "D": "desktop", "S": "server", "slack": "slack", "person": "person",
    }  # fmt: skip


def test_a_host_directive_wins_over_label_and_id():
    result = passes(
        "participant S as desktop", "%% @host S server", "participant D", "D->>S: hello"
    )
    assert dict(result.trace.header.hosts)["S"] == "server"


def test_the_label_wins_over_the_id():
    result = passes("participant S as 桌面", "participant D as hook server", "S->>D: hello")
    assert dict(result.trace.header.hosts)["D"] == "server"


def test_the_channel_can_direct_a_person_who_is_not_drawn():
    passes(
        "participant IM",
        "participant S",
        "participant D",
        "D->>S: hello",
        "S->>D: welcome",
        'IM->>S: message "hi"',
        'S->>D: task.dispatch (prompt="hi")',
    )


def test_the_nth_person_is_bound_to_the_nth_desktop_and_the_last_one_serves_the_rest():
    people = [f"actor P{n} as person {n}" for n in (1, 2, 3)]
    desktops = ["participant D1 as desktop", "participant D2", "%% @host D2 desktop"]
    result = passes(
        *people, *desktops, "participant S", "participant IM", "%% @settle",
        'P1->>IM: message "one"', "S->>D1: task.dispatch (prompt=one)",
        'P2->>IM: message "two"', "S->>D2: task.dispatch (prompt=two)",
        'P3->>IM: message "three"', "S->>D2: task.dispatch (prompt=three)",
    )  # fmt: skip
    assert len(frames(result, "task.dispatch")) == 3


def test_a_twin_acks_by_itself_and_a_puppet_does_nothing():
    asked = ('U->>IM: message "hi"', "S->>D: task.dispatch", "%% @after 3s")
    assert frames(passes(*asked, after=CONNECTED), "task.ack") == ["D>S task.ack"]
    puppet = passes(*asked, after=(*PEOPLE, "%% @puppet D handshake"))
    assert frames(puppet, "task.ack") == []


def test_a_puppet_without_manners_does_not_even_connect():
    result = passes("%% @after 10s", after=(*PEOPLE, "%% @puppet D"))
    assert frames(result) == []


def test_pong_is_a_manner_of_its_own():
    waits = ("%% @after 30s",)
    mute = passes(*waits, after=(*PEOPLE, "%% @puppet D handshake"))
    polite = passes(*waits, after=(*PEOPLE, "%% @puppet D handshake pong"))
    assert frames(mute, "ping", "pong") == ["S>D ping"]
    assert frames(polite, "ping", "pong") == ["S>D ping", "D>S pong"]


def test_a_mannered_puppet_desktop_says_hello_with_all_features():
    result = passes("%% @settle", "%% @open D", after=(*PEOPLE, "%% @puppet D handshake"))
    assert frames(result) == ["D>S hello", "S>D welcome", "S>D bind.state"]
    assert payloads(result, "hello")[0]["features"] == ["multi-team", "session-picker-v1"]


def test_a_mannered_puppet_leaves_hello_to_its_next_arrow():
    lines = (
        'D->>S: hello (deviceName="Mine")',
        "S->>D: welcome",
        "%% @cut D rst",
        "%% @after 1s",
        "%% @reconnect D",
        "D->>S: hello",
        "S->>D: welcome",
    )
    result = passes(*lines, after=(*PEOPLE, "%% @puppet D handshake"))
    first, second = payloads(result, "hello")
    assert first["deviceName"] == "Mine"
    assert second == first, "a later hello repeats the last one"


def test_a_puppet_server_welcomes_and_knows_nothing_else():
    result = passes(
        "D->>S: hello",
        'U->>IM: message "hi"',
        "%% @after 20s",
        after=(*PEOPLE, "%% @puppet S handshake pong"),
    )
    assert frames(result, "welcome", "task.dispatch") == ["S>D welcome"]
    assert "turn-reopen-v1" in payloads(result, "welcome")[0]["features"]


@pytest.mark.parametrize(
    ("lines", "place", "words"),
    [
        (["participant X as second server", "%% @host X server"], (6, 13), "one run has one"),
        (["D->>S: hello", "%% @reconnect D"], (7, 4), "reconnects by itself"),
        (['%% @act D {"is":"say","text":"x"}'], (6, 4), "@act for a desktop"),
        (["%% @lose next", "U->>IM: hi"], (6, 4), "no frame follows"),
        (["%% @delay next 1s", "D-xS: hello"], (6, 4), "drawn as lost already"),
    ],
)
def test_what_cannot_be_played_is_refused_with_its_place(lines, place, words):
    with pytest.raises(ScenarioError, match=words) as caught:
        run(*PEOPLE, *lines)
    assert caught.value.line == place[0]
    assert caught.value.path == "test.mmd"


def test_a_puppet_server_cannot_write_to_a_channel():
    with pytest.raises(ScenarioError, match="puppets send frames only"):
        run(*PEOPLE, "%% @puppet S", "S->>IM: post")
