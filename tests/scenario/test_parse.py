"""What a diagram means once it is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim.scenario.acts import resolve_free_text
from sim.scenario.directive_nodes import Cut, FeatureChange
from sim.scenario.load import load_scenario
from sim.scenario.syntax import (
    Act,
    Alt,
    Arrow,
    Break,
    ChannelCall,
    Create,
    Critical,
    Destroy,
    FrameText,
    FreeText,
    Item,
    Local,
    Loop,
    Name,
    Opt,
    Par,
    Scenario,
)
from tests.scenario.accepted import ACCEPTED
from tests.scenario.words import HOOK, between, read

RUN_OF_R1 = "D->>S: turn.end (requestId=R1)"
DATA = Path(__file__).parent.parent / "data" / "scenario"


def frame(text: str) -> FrameText:
    """The content of one arrow from desktop to server."""
    content = arrow(f"D->>S: {text}").content
    assert isinstance(content, FrameText)
    return content


def arrow(line: str) -> Arrow:
    """The arrow of this line."""
    (only,) = read(between(line)).body
    assert isinstance(only, Arrow)
    return only


def item(text: str) -> Item:
    """The only item of a turn.end."""
    (only,) = frame(f"turn.end ({text})").items
    return only


def kinds(*lines: str) -> dict[str, str]:
    """Kind of each lifeline of a diagram."""
    scenario = read("\n".join(("sequenceDiagram", *lines)), None)
    return {one.id: one.kind for one in scenario.participants}


@pytest.mark.parametrize("name", ACCEPTED)
def test_an_accepted_diagram_parses_with_and_without_a_vocabulary(name: str) -> None:
    assert read(ACCEPTED[name], None).participants == read(ACCEPTED[name]).participants


def test_the_acceptance_diagram_parses_unmodified() -> None:
    scenario = load_scenario(DATA / "acceptance.mmd", HOOK)
    assert [one.kind for one in scenario.participants] == ["desktop", "server", "slack"]
    assert scenario.protocol == "hook"
    assert [type(one) for one in scenario.body] == [Arrow] * 12
    contents = [one.content for one in scenario.body if isinstance(one, Arrow)]
    assert [one.type for one in contents if isinstance(one, FrameText)] == [
        "hello", "welcome", "task.dispatch", "task.ack", "turn.progress",
        "interaction.request", "interaction.decision", "turn.end",
    ]  # fmt: skip


def test_free_text_of_the_acceptance_diagram_becomes_a_message_and_a_press() -> None:
    body = load_scenario(DATA / "acceptance.mmd", HOOK).body
    acts = [
        resolve_free_text(one, body[at + 1 :]).content
        for at, one in enumerate(body)
        if isinstance(one, Arrow) and isinstance(one.content, FreeText)
    ]
    assert [one.verb for one in acts if isinstance(one, Act)] == ["message", "press"]
    assert isinstance(acts[0], Act)
    assert acts[0].text == "用户 @bot 提问"
    assert isinstance(acts[1], Act)
    assert (acts[1].name, acts[1].word, acts[1].remark) == (None, None, "用户按下按钮")


@pytest.mark.parametrize(
    ("following", "verb"),
    [
        ("S->>D: interaction.decision", "press"),
        ("S->>D: task.cancel", "stop"),
        ("S->>D: session.archive", "new"),
        ("D->>S: turn.reopen", "retry"),
        ("S->>D: task.dispatch", "message"),
        ("S->>IM: post", "message"),
    ],
)
def test_the_next_frame_decides_what_free_text_of_a_person_is(following: str, verb: str) -> None:
    lines = ["U->>IM: 用户说", "%% @after 1s", "opt maybe", following, "end"]
    if following != "S->>IM: post":
        lines.append("S->>D: task.cancel")
    body = read(between(*lines)).body
    assert isinstance(body[0], Arrow)
    act = resolve_free_text(body[0], body[1:]).content
    assert isinstance(act, Act)
    assert act.verb == verb


@pytest.mark.parametrize(
    "block",
    [
        ["par a", "and b", "S->>D: task.cancel", "end"],
        ["alt a", "S->>IM: post", "else b", "S->>D: task.cancel", "end"],
        ["loop a", "S->>D: task.cancel", "end"],
        ["critical a", "S->>D: task.cancel", "option b", "S->>D: session.archive", "end"],
        ["critical a", "option b", "S->>D: task.cancel", "end"],
        ["rect rgb(1, 2, 3)", "break a", "S->>D: task.cancel", "end", "end"],
    ],
)
def test_the_next_frame_is_found_inside_blocks_in_document_order(block: list[str]) -> None:
    body = read(between("IM->>S: 停下", *block, "S->>D: session.archive")).body
    assert isinstance(body[0], Arrow)
    act = resolve_free_text(body[0], body[1:]).content
    assert isinstance(act, Act)
    assert (act.verb, act.text, act.remark) == ("stop", None, "停下")


def test_an_act_is_not_changed_by_the_next_frame() -> None:
    body = read(between('U->>IM: message "a"', "S->>D: task.cancel")).body
    assert isinstance(body[0], Arrow)
    assert resolve_free_text(body[0], body[1:]) is body[0]


def test_kind_comes_from_host_then_label_then_id() -> None:
    assert kinds("participant D as server", "%% @host D relay")["D"] == "relay"
    assert kinds("participant D as server")["D"] == "server"
    assert kinds("participant D as My machine")["D"] == "desktop"


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("participant A as 桌面", "desktop"),
        ("participant A as Desktop 2", "desktop"),
        ("participant D12", "desktop"),
        ("participant A as Hook<br/>Server", "server"),
        ("participant A as Hook", "server"),
        ("participant A as TG", "telegram"),
        ("participant T", "telegram"),
        ("participant A as Twitter", "x"),
        ("participant IM", "slack"),
        ("participant IM as 渠道", "slack"),
        ("participant IM as Telegram", "telegram"),
        ("actor A as server", "person"),
        ("participant 用户", "person"),
        ("participant A as listener", "listener"),
        ("participant A as Controller", "controller"),
    ],
)
def test_a_word_selects_its_kind(line: str, kind: str) -> None:
    first = next(iter(kinds(line, "%% @protocol hook").values())) if _needs(kind) else None
    found = first or next(iter(kinds(line).values()))
    assert found == kind


def _needs(kind: str) -> bool:
    """Whether a diagram with only this kind does not tell its protocol."""
    return kind in ("telegram", "x", "slack", "person")


def test_the_word_hook_is_the_server_except_in_the_question_protocol() -> None:
    assert kinds("participant D", "participant H as hook")["H"] == "server"
    assert kinds("participant B as bot", "participant H as hook")["H"] == "hook"
    assert kinds("participant H as hook", "%% @protocol question")["H"] == "hook"


def test_a_puppet_has_its_manners_and_a_twin_has_none() -> None:
    scenario = read(between("D->>S: hello", "%% @puppet D pong"))
    assert scenario.participant("D").puppet == frozenset({"pong"})
    assert scenario.participant("S").puppet is None
    assert read(between("%% @puppet D")).participant("D").puppet == frozenset()


@pytest.mark.parametrize("sign", ["-x", "--x"])
def test_a_cross_means_lost(sign: str) -> None:
    assert arrow(f"D{sign}S: hello").lost
    assert not arrow("D->>S: hello").lost


def test_a_known_field_alone_must_be_present_and_a_bare_value_belongs_to_its_enum_fields() -> None:
    assert item("finalText").op == "present"
    assert (item("ok").op, item("ok").value, item("ok").fields) == ("enum", "ok", ("status",))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('finalText="a, \\"b\\""', 'a, "b"'),
        ("finalText=一", "一"),
        ("finalText = 1.5", 1.5),
        ("finalText=null", None),
        ('finalText=["a",{"b":[1]}]', ["a", {"b": [1]}]),
        ("requestId=R12", Name("R12")),
        ("requestId=r12", "r12"),
        ("externalKey=slack:T1:C-1", "slack:T1:C-1"),
    ],
)
def test_a_value_is_json_a_name_or_a_bare_word(text: str, value: object) -> None:
    assert item(text).value == value


def test_words_that_are_no_ascii_identifier_are_remarks() -> None:
    assert frame("turn.end (ok, 渲染（快照，二）, a plain remark)").remarks == (
        "渲染（快照，二）",
        "a plain remark",
    )


def test_acts_carry_their_arguments() -> None:
    def act(line: str) -> Act:
        content = arrow(line).content
        assert isinstance(content, Act)
        return content

    assert act('U->>IM: message "a"').text == "a"
    assert act("U->>IM: /model opus 4").word == "opus 4"
    assert act("U->>IM: /stop").word is None
    assert act("U->>IM: press Allow once").word == "Allow once"
    assert act("U->>D: workspaces a, b").words == ("a", "b")
    assert act('U->>S: message "a"').verb == "message"


def test_calls_local_acts_and_prose_are_told_apart() -> None:
    assert arrow("S->>IM: edit").content == ChannelCall(6, 9, "edit", "edit")
    assert arrow("S->>IM: 回帖").content == ChannelCall(6, 9, None, "回帖")
    assert arrow("D->>D: think 20ms").content == Local(6, 8, "think", 20_000)
    assert arrow("D->>D: retry").content == Local(6, 8, "retry")
    assert isinstance(arrow("S->>S: retry later").content, FreeText)
    assert isinstance(arrow("IM->>U: a card").content, FreeText)


def test_blocks_nest_and_rect_and_box_vanish() -> None:
    body = read(ACCEPTED["all blocks"]).body
    assert [type(one) for one in body] == [Par, Alt, Opt, Loop, Loop, Critical, Arrow, Break]
    par, alt, _, three, some, critical = body[:6]
    assert isinstance(par, Par)
    assert [(one.label, len(one.body)) for one in par.branches] == [("one", 1), ("two", 1), ("", 0)]
    assert isinstance(alt, Alt)
    assert [one.line for one in alt.branches] == [12, 14]
    assert isinstance(three, Loop)
    assert isinstance(some, Loop)
    assert (three.times, some.times, some.label) == (3, None, "until done")
    assert isinstance(critical, Critical)
    assert [one.label for one in critical.options] == ["disk full"]


def test_create_and_destroy_are_statements_and_mark_the_lifeline() -> None:
    scenario = read(ACCEPTED["create and destroy"])
    assert Create(3, 1, "D") in scenario.body
    assert Destroy(6, 1, "D") in scenario.body
    assert scenario.participant("D").created
    assert not scenario.participant("S").created


def test_settings_of_the_head_are_not_statements() -> None:
    scenario = read(ACCEPTED["directives in comments"])
    settings = scenario.settings
    assert settings.seed == 7
    assert [(x.source, x.target, x.low_us, x.high_us) for x in settings.latencies] == [
        ("D", "S", 20_000, 80_000),
        ("*", "telegram", 3_000_000, 3_000_000),
    ]
    assert [(x.rule, x.on) for x in settings.rules] == [("ownership-at-write", False)]
    (feature,) = settings.features
    assert (feature.host, feature.feature, feature.on) == ("S", "turn-reopen-v1", False)
    assert (scenario.strict, scenario.live) == (True, True)
    assert scenario.violates == ("one-final-message",)


def test_assertions_about_the_whole_run_do_not_end_the_head() -> None:
    scenario = read(between('%% @never "evil"', "%% @final R1 OK", "%% @seed 7", RUN_OF_R1))
    assert scenario.settings.seed == 7
    assert len(scenario.body) == 3


def test_a_feature_after_the_head_is_a_statement() -> None:
    body = read(between("D->>S: hello", "%% @feature S +turn-reopen-v1")).body
    assert body[1] == FeatureChange(7, 4, "S", "turn-reopen-v1", True)


def test_a_note_over_lifelines_can_be_a_directive_and_other_notes_are_nothing() -> None:
    assert read(between("Note over D,S: @cut D fin", "Note over D: cut")).body == (
        Cut(6, 16, "D", None, False, "fin"),
    )


@pytest.mark.parametrize("name", ACCEPTED)
def test_crlf_and_a_bom_change_nothing(name: str) -> None:
    plain, windows = read(ACCEPTED[name]), read("\ufeff" + ACCEPTED[name].replace("\n", "\r\n"))
    assert _told(plain) == _told(windows)


def _told(scenario: Scenario) -> tuple[object, ...]:
    return scenario.participants, scenario.settings, scenario.body, scenario.title
