import linecache
import re

import pytest
from rich.cells import cell_len

from sim.core import event as events
from sim.protocols.register import protocol
from sim.view.diagram import Row
from tests.tui.stage import recorded, shared
from tui.drawing import channels, frames, hosts, inspector, lanes, steps
from tui.feeds.moment import moment_of
from tui.plain import sentence, sentences

HOSTS = (("U", "person"), ("IM", "slack"), ("S", "server"), ("D", "desktop"))


@pytest.fixture(scope="module")
def late_edit():
    return recorded("late-edit")


def text(lines):
    return "\n".join(one.text for one in lines)


# -- the diagram -------------------------------------------------------------------------


def drawn(row, width=80, signs=None, **rest):
    layout = lanes.lay_out(HOSTS, width)
    signs = signs or dict.fromkeys(layout.at, lanes.ALIVE)
    options = {"cursor": False, "late": False} | rest
    return layout, lanes.line_of(row, layout, signs, **options)


def test_an_arrow_runs_from_its_source_to_its_target():
    layout, one = drawn(Row(5, 0, "frame", "S", "D", "task.dispatch"))
    left, right = layout.at["S"], layout.at["D"]
    assert one.text[left] == "│"
    assert one.text[right - 1 : right + 1] == "▶│"
    assert "task.dispatch" in one.text[left:right]


def test_an_arrow_to_the_left_has_its_head_at_the_left():
    layout, one = drawn(Row(5, 0, "call", "S", "IM", "edit m2"))
    assert one.text[layout.at["IM"] : layout.at["IM"] + 2] == "│◀"
    assert "╌" in one.text


def test_an_arrow_over_a_lane_covers_it():
    layout, one = drawn(Row(5, 0, "frame", "IM", "D", "x"))
    assert one.text[layout.at["S"]] in "─x "


def test_lost_frames_and_second_arrivals_look_different():
    assert "╳" in drawn(Row(5, 0, "lost", "S", "D", "x"))[1].text
    assert "═" in drawn(Row(5, 0, "again", "S", "D", "x"))[1].text


def test_a_mark_near_the_right_edge_has_its_words_before_it():
    layout, one = drawn(Row(5, 0, "mark", "D", "D", "closed", "D.slack#1 1006"))
    assert one.text.index("closed") < layout.at["D"]
    assert one.text[layout.at["D"]] == "●"


@pytest.mark.parametrize("width", [24, 40, 78, 119, 200])
def test_no_line_is_wider_than_its_pane(width, late_edit):
    layout = lanes.lay_out(HOSTS, width)
    for n in range(late_edit.count):
        row = late_edit.diagram.row(n)
        signs = lanes.signs_of(layout, late_edit.scene(n))
        one = lanes.line_of(row, layout, signs, cursor=n == 3, late=n > 50)
        assert one.width <= width
        assert one.row == n
    assert lanes.head_of(layout, {"S": "服务器的名字很长"}).width <= width


def test_a_chinese_label_keeps_the_lanes_in_their_columns():
    layout, one = drawn(Row(5, 0, "frame", "S", "D", "用户提问"))
    assert cell_len(one.text[: one.text.rindex("│")]) == layout.at["D"]


def test_a_host_that_waits_and_a_host_that_is_down_look_so(late_edit):
    layout = lanes.lay_out(HOSTS, 80)
    waiting = lanes.signs_of(layout, late_edit.scene(80))
    assert waiting["S"] == lanes.WAITS
    scene = late_edit.seeker.at(80)
    scene.hosts["D"] = (False, 1)
    assert lanes.signs_of(layout, scene)["D"] == lanes.DOWN
    scene.hosts["D"] = (True, 1)


def test_hidden_lanes_have_no_column_and_arrows_say_where_they_come_from():
    layout = lanes.lay_out(HOSTS, 80, hidden=["U"])
    assert "U" not in layout.at
    one = lanes.line_of(
        Row(1, 0, "call", "U", "IM", "message"), layout, {}, cursor=False, late=False
    )
    assert "← U  message" in one.text


# -- frames and the inspector --------------------------------------------------------------


def sent(session, type_name):
    for n in range(session.count):
        event = session.event(n)
        if isinstance(event, events.FrameSent) and event.frame["type"] == type_name:
            return event
    raise LookupError(type_name)


def test_the_list_says_what_became_of_a_frame(late_edit):
    event = sent(late_edit, "task.dispatch")
    one = frames.line_of(late_edit, event, 100, cursor=False, late=False)
    assert re.search(r"←\s+task\.dispatch\s+\d+\s+ok \d+ ms", one.text)
    assert one.width <= 100


def test_frames_of_one_request_are_found_around_a_step(late_edit):
    event = sent(late_edit, "turn.end")
    request = frames.request_of(event.frame)
    found = frames.same_request(late_edit, request, event.n)
    kinds = [late_edit.event(n).frame["type"] for n in found]
    assert kinds == ["task.dispatch", "task.ack", "turn.end"]


def test_every_field_of_a_good_frame_is_ok(late_edit):
    event = sent(late_edit, "turn.end")
    told = text(inspector.tree(event.frame, 60))
    assert "!" not in told
    assert told.count(" ok") >= len(event.frame["payload"]) + 4


def test_all_faults_of_a_frame_are_shown_not_only_the_first(late_edit):
    frame = dict(sent(late_edit, "turn.end").frame)
    payload = dict(frame["payload"])
    payload["status"] = "perhaps"
    payload["finalText"] = 7
    del payload["requestId"]
    payload["colour"] = "red"
    frame["payload"] = payload
    verdict = inspector.judge(frame)
    assert {"status", "finalText", "requestId"} <= set(verdict.faults)
    told = text(inspector.tree(frame, 60))
    assert re.search(r"requestId: ! missing", told)
    assert re.search(r"colour: red\s+unknown", told)
    assert re.search(r"status: perhaps\s+!", told)


def test_what_is_no_frame_at_all_is_shown_with_the_parsers_words():
    told = text(inspector.tree({"type": "(bad)", "text": "{"}, 60))
    assert "not valid JSON" in told
    assert inspector.judge({"v": 2}).faults
    assert inspector.judge("text").faults == {"": "is no object"}


def test_an_unknown_type_is_said_to_be_unknown():
    frame = {"v": 1, "type": "turn.ned", "id": "x", "ts": 1, "payload": {}}
    assert not inspector.judge(frame).known
    assert "not known" in text(inspector.tree(frame, 60))
    assert "unknown message type" in text(inspector.explain(frame, 60))


def test_a_type_is_explained_with_its_section_and_its_rules(late_edit):
    told = text(inspector.explain(sent(late_edit, "turn.end").frame, 60))
    assert "§" in told
    assert "desktop>server" in told
    fields = text(inspector.table(sent(late_edit, "turn.end").frame, 60))
    assert "requestId" in fields
    assert "required" in fields


def test_frames_of_another_protocol_are_inspected_by_its_own_declarations():
    body = protocol("relay").declared["lock_acquired"]
    frame = body.enclose("r-1", 1, dict(body.EXAMPLE))
    good = text(inspector.tree(frame, 60))
    assert "!" not in good
    assert re.search(r"messageType: event\s+ok", good)
    assert re.search(r"lockExpiresAt: 1760000030000\s+ok", good)
    assert "relay protocol" in text(inspector.legal([], frame, 60))
    frame["payload"] |= {"lockLeaseMs": "long", "colour": "red"}
    del frame["senderRole"], frame["payload"]["tabSessionId"]
    verdict = inspector.judge(frame)
    assert list(verdict.faults) == ["senderRole", "tabSessionId", "lockLeaseMs"]
    told = text(inspector.tree(frame, 60))
    assert re.search(r"senderRole: ! missing", told)
    assert re.search(r"tabSessionId: ! missing", told)
    assert re.search(r"lockLeaseMs: long\s+!", told)
    assert re.search(r"colour: red\s+unknown", told)
    unknown = frame | {"messageType": "teleport"}
    assert not inspector.judge(unknown).known
    assert "unknown message type" in text(inspector.explain(unknown, 60))


# -- steps, channels, hosts -------------------------------------------------------------------


def test_a_change_of_a_message_is_told_with_before_after_and_owner(late_edit):
    told = text(steps.inspect(late_edit, 81, 60))
    assert re.search(r"before\s+WORKING Trying again", told)
    assert re.search(r"after\s+WORKING Copying tables", told)
    assert "D.slack#2" in told


def test_causes_lead_back_to_what_a_person_did(late_edit):
    chain = steps.causes(late_edit, 40)
    assert chain == sorted(chain, reverse=True)
    assert late_edit.event(chain[-1]).cause == -1
    assert 40 in steps.consequences(late_edit, chain[-1])


def test_a_message_written_for_one_that_is_not_the_owner_is_marked(late_edit):
    told = text(channels.draw(channels.Look(late_edit, 81, 80), "IM", "slack"))
    assert re.search(r"owner gen 2 \(D\.slack#2\) open\s+wrote gen 1\s+!", told)
    assert "[in progress]" in told


def test_edits_under_way_are_shown_as_such(late_edit):
    told = text(channels.draw(channels.Look(late_edit, 62, 80), "IM", "slack"))
    assert re.search(r"Copying tables\s+in flight", told)


def test_buttons_can_be_clicked_as_long_as_they_stand():
    session = recorded("question")
    open_card = channels.draw(channels.Look(session, 45, 80), "IM", "slack")
    acts = [span.act for one in open_card for span in one.spans if span.act]
    assert acts
    assert all(act[0] == "press" for act in acts)
    closed = channels.draw(channels.Look(session, session.last, 80), "IM", "slack")
    assert not [span for one in closed for span in one.spans if span.act]


def test_own_messages_stand_at_the_right_in_telegram():
    session = recorded("telegram")
    one = channels.draw(channels.Look(session, 20, 60), "IM", "telegram")[1]
    assert one.text.startswith(" " * 20)
    assert one.width == 60


def test_a_post_on_x_shows_its_weight():
    session = recorded("x")
    told = text(channels.draw(channels.Look(session, session.last, 60), "IM", "x"))
    assert re.search(r"\d+ of 280", told)
    assert "no edits" in told


def test_what_changed_in_a_host_is_marked(late_edit):
    view = hosts.View(late_edit, 81, 40, 70)
    told = text(hosts.draw(view, "S"))
    assert re.search(r"^\+ .*round", told, re.MULTILINE)
    assert re.search(r"waits for\s+IM\.edit", told)
    durable = text(hosts.draw(hosts.View(late_edit, 81, -1, 70, "durable"), "S"))
    assert "waits for" not in durable
    assert "request R1" in durable
    volatile = text(hosts.draw(hosts.View(late_edit, 81, -1, 70, "volatile"), "S"))
    assert "request R1" not in volatile


def test_the_line_of_code_on_which_a_handler_waits_is_known():
    session = shared("reopen-teardown")
    moment = moment_of(session, 61)
    waiting = [one for one in moment.waiting if one.host == "S"]
    assert len(waiting) == 1
    around = range(waiting[0].line - 3, waiting[0].line + 4)
    assert any("await" in linecache.getline(waiting[0].path, number) for number in around)
    assert moment.step == 61
    assert "apply IM.edit S/6" in moment.enabled


# -- the linear form -----------------------------------------------------------------------------


def test_the_linear_form_says_who_tells_whom_what_and_what_broke(late_edit):
    told = sentence(late_edit, 81)
    assert told.startswith("step 81, 3.365 s: IM tells S: m2 changed")
    assert "asked at step 61" in told
    whole = list(sentences(late_edit))
    assert any("breaks close-out-respects-owner" in one for one in whole)
    assert whole[-1] == f"{late_edit.count} steps, 1 finding"
    assert all(one.isprintable() for one in whole)


@pytest.mark.parametrize("width", range(1, 40, 3))
def test_a_diagram_can_be_drawn_in_any_width(width, late_edit):
    layout = lanes.lay_out(late_edit.lanes(), width, timed=width % 2 == 0)
    assert len(set(layout.at.values())) == len(layout.at)
    for n in late_edit.diagram.forwards(0):
        row = late_edit.diagram.row(n)
        one = lanes.line_of(row, layout, {}, cursor=True, late=False)
        assert one.width <= layout.width
    assert lanes.head_of(layout, late_edit.titles()).width <= layout.width
