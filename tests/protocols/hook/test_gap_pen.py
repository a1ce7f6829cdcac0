"""The server's pen, one decision at a time: posts, doubts, parts, and what is left over."""

from __future__ import annotations

from typing import Any

import pytest

from sim.channel.api import DeleteMessage, Done, EditMessage, FindMessage, PostMessage, Refused
from sim.core.op import NO_ANSWER, Call, Save, Sleep, Spawn, StartTimer
from sim.protocols.hook.server.line import Line, Picture
from sim.protocols.hook.server.posting import Posting
from sim.protocols.hook.server.tasks import Round
from tests.protocols.hook.by_hand import ByHand
from tests.protocols.hook.delivery_play import LanePlay

MINUTE_US = 60_000_000


class Pen:
    """A task that runs on a lane, and the pen that writes its message."""

    def __init__(self, lane: str = "slack", **more: Any) -> None:
        self.play = LanePlay(lane, **more)
        self.request = self.play.task()
        actor: Any = self.play.world.hosts["S"].actor
        self.writing = actor._writing
        self.posting = self.writing.posting
        self.task = actor.memory.routes[self.request]
        self.line = self.task.line
        self.round = Round("K1", self.request, self.task, 1, None)

    def picture(self, text: str = "p", state: str = "WORKING", **more: Any) -> Picture:
        claim = more.pop("claim", self.task)
        return Picture(claim, text, state, final=state != "WORKING", **more)

    def end(self, text: str = "done", **more: Any) -> Picture:
        picture = self.picture(text, "OK", **more)
        if picture.claim is self.task:
            self.task.final = picture
        return picture

    def run(self, run: Any, *answers: Any) -> ByHand:
        return ByHand(self.play.world, "S", run, *answers)

    def fresh(self) -> Line:
        """Its message was never posted."""
        line = self.task.line = Line(
            self.task, "IM", self.line.chat, self.line.thread, self.request, "request"
        )
        self.line = line
        return line


def requests(run: ByHand) -> list[type[Any]]:
    return [type(op.request) for op in run.asked(Call)]


# -- whether to post ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("posts", "final", "role", "lost", "by_round", "may"),
    [
        (0, False, "request", False, False, True),
        (0, True, "card", False, False, True),
        (1, False, "request", False, False, False),
        (1, True, "request", False, False, True),
        (1, True, "request", True, False, True),
        (1, True, "request", True, True, False),
        (1, True, "request", False, True, True),
        (1, True, "card", False, False, False),
        (2, True, "request", False, False, False),
    ],
)
def test_how_often_a_message_is_posted(
    posts: int, final: bool, role: str, lost: bool, by_round: bool, may: bool
) -> None:
    """hook RC-28, RC-98, RC-100"""
    pen = Pen()
    line = pen.fresh()
    line.posts, line.role = posts, role
    line.gone, line.message = lost, "m9" if lost else ""
    claim = pen.round if by_round else pen.task
    picture = pen.picture("p", "OK" if final else "WORKING", claim=claim)
    assert pen.posting.may_post(line, picture) is may


@pytest.mark.parametrize(
    ("lane", "state", "answered", "by_round", "anew"),
    [
        ("telegram", "OK", False, False, True),
        ("telegram", "OK", True, False, False),
        ("telegram", "OK", False, True, False),
        ("telegram", "INTERRUPTED", False, False, False),
        ("slack", "OK", False, False, False),
    ],
)
def test_which_end_is_a_new_message(
    lane: str, state: str, answered: bool, by_round: bool, anew: bool
) -> None:
    """hook RC-102"""
    pen = Pen(lane)
    pen.line.answered = answered
    claim = pen.round if by_round else pen.task
    picture = pen.picture("p", state, claim=claim)
    assert pen.posting.answers_anew(pen.line, picture) is anew


# -- posting ------------------------------------------------------------------------------


def test_an_answer_is_stored_before_it_is_posted_and_its_key_says_that_it_is_one() -> None:
    """hook RC-101"""
    pen = Pen("x")
    run = pen.run(pen.posting.post(pen.fresh(), pen.end()), Done("m9")).finish()
    assert [type(op) for op in run.ops[:2]] == [Save, Call]
    assert len(run.asked(Save)) == 2
    assert run.asked(Call)[0].request.key == f"{pen.request}/answer/1"


def test_a_placeholder_is_posted_first_and_stored_with_its_id() -> None:
    pen = Pen()
    run = pen.run(pen.posting.post(pen.fresh(), pen.picture()), Done("m9")).finish()
    assert [type(op) for op in run.ops] == [Call, Save]
    assert run.asked(Call)[0].request.key == f"{pen.request}/1"


def test_an_answer_whose_message_was_taken_over_while_it_was_stored_is_not_posted() -> None:
    pen = Pen("telegram")
    line, before = pen.line, pen.line.posts
    run = pen.run(pen.posting.post(line, pen.end())).behind(Save)
    line.claim = pen.round
    assert run.finish().asked(Call) == []
    assert (line.posts, line.doubt) == (before, "")


def test_an_answer_that_would_not_keep_a_pause_is_wanted_again_and_not_posted() -> None:
    """hook RC-99"""
    pen = Pen("telegram")
    picture = pen.end()
    run = pen.run(pen.posting.post(pen.line, picture)).behind(Save)
    pen.writing.calling.pace.hold("IM", pen.line.chat, pen.play.world.now + MINUTE_US)
    assert run.finish().asked(Call) == []
    assert pen.line.wanted is picture


@pytest.mark.parametrize(
    ("message", "new", "gone", "left"),
    [("m1", "m2", False, ("m1",)), ("m1", "m1", False, ()), ("m1", "m2", True, ()),
     ("", "m2", False, ())],
)  # fmt: skip
def test_what_an_answer_replaces_is_left_over(
    message: str, new: str, gone: bool, left: tuple[str, ...]
) -> None:
    pen = Pen("telegram")
    line = pen.fresh()
    line.message, line.gone = message, gone
    Posting(pen.writing)._adopt(line, pen.end(), new, anew=True)
    assert (line.leftovers, line.message, line.answered) == (left, new, True)


# -- doubt --------------------------------------------------------------------------------


def in_doubt(pen: Pen, doubted: Picture) -> Line:
    line = pen.fresh()
    line.posts, line.doubt, line.doubted = 1, f"{pen.request}/1", doubted
    line.doubt_us = pen.play.world.now - 10 * MINUTE_US
    return line


def test_only_a_channel_that_has_no_such_post_ends_a_doubt() -> None:
    """hook RC-100"""
    for code, doubt in (("not_found", False), ("server_error", True)):
        pen = Pen("slack")
        line = in_doubt(pen, pen.picture())
        run = pen.run(pen.posting.resolve(line, pen.end()), Refused(code)).finish()
        assert bool(line.doubt) is doubt
        assert run.result is not doubt


@pytest.mark.parametrize("role", ["request", "card"])
def test_a_card_that_was_never_posted_may_be_posted_again(role: str) -> None:
    pen = Pen("slack")
    line = in_doubt(pen, pen.picture())
    line.role = role
    assert pen.run(pen.posting.resolve(line, pen.picture()), Refused("not_found")).finish().result
    assert line.posts == (0 if role == "card" else 1)


def test_an_answer_that_nobody_can_ask_about_is_given_up_where_nothing_can_be_edited() -> None:
    pen = Pen("x")
    picture = pen.end()
    line = in_doubt(pen, picture)
    run = pen.run(pen.posting.resolve(line, picture), Refused("unsupported"))
    assert run.finish().result is False
    assert pen.task.written


@pytest.mark.parametrize("final", [False, True])
def test_a_placeholder_that_nobody_can_ask_about_is_no_answer(final: bool) -> None:
    pen = Pen("telegram")
    doubted = pen.end() if final else pen.picture()
    line = in_doubt(pen, doubted)
    line.message = "m1"
    assert pen.run(pen.posting.resolve(line, pen.end()), Refused("unsupported")).finish().result
    assert line.answered is final


# -- parts --------------------------------------------------------------------------------

LONG = "a" * 4_096 + "b" * 4_096 + "c"


def test_the_parts_of_an_answer_follow_it_and_are_asked_for_only_after_trouble() -> None:
    pen = Pen("telegram")
    done = [Done(f"m{n}") for n in range(9)]
    run = pen.run(pen.posting.complete(pen.line, pen.end(LONG)), *done).finish()
    assert requests(run) == [PostMessage, PostMessage]
    assert pen.line.parts == ("m0", "m1")
    pen.line.parts, pen.line.unsure = (), True
    again = pen.run(pen.posting.complete(pen.line, pen.end(LONG)), *done).finish()
    assert requests(again) == [FindMessage, FindMessage]


def test_a_continuation_has_no_parts() -> None:
    pen = Pen("telegram")
    run = pen.run(pen.posting.complete(pen.line, pen.end(LONG, claim=pen.round))).finish()
    assert (run.result, run.ops) == (True, [])


def test_the_parts_of_an_answer_end_where_somebody_continues_the_task() -> None:
    pen = Pen("telegram")
    run = pen.run(pen.posting.complete(pen.line, pen.end(LONG)), Done("m0")).behind(Save)
    pen.line.claim = pen.round
    assert run.finish().result is False
    assert len(run.asked(Call)) == 1


def test_a_part_that_is_refused_is_not_taken_as_posted() -> None:
    pen = Pen("telegram")
    run = pen.run(pen.posting.complete(pen.line, pen.end(LONG)), Refused("server_error")).finish()
    assert run.result is False
    assert pen.line.parts == ()
    assert pen.line.failures == 1


@pytest.mark.parametrize(
    ("parts", "by_round", "left"), [(("m1", ""), True, ("m1",)), (("m1",), False, ()),
                                    ((), True, ())]
)  # fmt: skip
def test_a_continuation_leaves_the_parts_of_the_old_answer_over(
    parts: tuple[str, ...], by_round: bool, left: tuple[str, ...]
) -> None:
    pen = Pen("telegram")
    pen.line.parts = parts
    claim = pen.round if by_round else pen.task
    pen.posting.withdraw_parts(pen.line, pen.picture(claim=claim))
    assert pen.line.leftovers == left
    assert pen.line.parts == (() if by_round else parts)


def test_where_nothing_is_left_over_nobody_tidies() -> None:
    pen = Pen("telegram")
    assert pen.run(pen.posting.tidy(pen.line)).finish().ops == []
    pen.line.leftovers = ("m1",)
    assert len(pen.run(pen.posting.tidy(pen.line)).finish().asked(Spawn)) == 1
    pen.play.run(1)
    assert pen.line.leftovers == ()


def test_what_is_deleted_is_left_over_no_more() -> None:
    pen = Pen("telegram")
    pen.line.leftovers = ("m8", "m9")
    run = pen.run(pen.posting._tidy(pen.line), Done(), Done()).behind(Call)
    run.before(Call)
    assert pen.line.leftovers == ("m9",)
    run.finish()
    assert requests(run) == [DeleteMessage, DeleteMessage]
    assert pen.line.leftovers == ()


# -- writing ------------------------------------------------------------------------------


def test_after_a_pause_the_newest_picture_goes_and_no_other() -> None:
    """hook RC-99"""
    pen = Pen("slack")
    pen.writing.calling.pace.hold("IM", "", pen.play.world.now + 1_000)
    old, new = pen.picture("old"), pen.picture("new")
    run = pen.run(pen.writing.show(pen.line, old), Done(pen.line.message)).behind(Sleep)
    pen.run(pen.writing.show(pen.line, new)).finish()
    pen.play.run(1)
    run.finish()
    assert [op.request.text for op in run.asked(Call)] == ["new"]


def test_what_may_not_be_written_any_more() -> None:
    pen = Pen("slack")
    assert not pen.writing.is_held_up(pen.line, pen.picture())
    assert pen.writing.is_held_up(pen.line, pen.picture(claim=pen.round))
    pen.writing.calling.pace.hold("IM", "", pen.play.world.now + 1_000)
    assert pen.writing.is_held_up(pen.line, pen.picture())


def test_what_is_wanted_already_is_newer() -> None:
    pen = Pen("slack")
    newer = pen.line.wanted = pen.picture("newer")
    pen.writing.want(pen.line, pen.picture("older"))
    assert pen.line.wanted is newer


@pytest.mark.parametrize(("code", "unsure"), [("server_error", False), ("", True)])
def test_only_an_edit_without_an_answer_is_doubtful(code: str, unsure: bool) -> None:
    pen = Pen("slack")
    answer = Refused(code) if code else NO_ANSWER
    run = pen.run(pen.writing._edit(pen.line, pen.picture("next")), answer).finish()
    assert requests(run) == [EditMessage]
    assert pen.line.unsure is unsure


@pytest.mark.parametrize(
    ("lane", "unsure", "timers"), [("slack", False, 0), ("slack", True, 1), ("x", True, 0)]
)
def test_an_answer_is_said_once_more_where_an_older_write_may_come_late(
    lane: str, unsure: bool, timers: int
) -> None:
    pen = Pen(lane)
    pen.line.unsure = unsure
    run = pen.run(pen.writing.shown(pen.line, pen.end())).finish()
    assert [op.kind for op in run.asked(StartTimer)] == ["again"] * timers


def test_progress_whose_message_is_gone_is_not_posted_anew() -> None:
    """hook RC-98"""
    pen = Pen("slack")
    pen.run(pen.writing._missing(pen.line, pen.picture())).finish()
    assert pen.line.wanted is None
    assert pen.line.message


def test_an_end_whose_message_is_gone_is_posted_anew_once() -> None:
    """hook RC-98"""
    pen = Pen("slack")
    message, end = pen.line.message, pen.end()
    pen.line.posts = 2
    pen.run(pen.writing._missing(pen.line, end)).finish()
    assert (pen.line.wanted, pen.line.message) == (None, message)
    assert pen.task.written


def test_close_outs_that_wait_for_a_writer_are_all_written() -> None:
    pen = Pen("slack", off=("ownership_at_write",))
    pen.line.draining = True
    pictures = [pen.picture(text, "INTERRUPTED", claim=pen.round) for text in "ab"]
    for picture in pictures:
        assert pen.run(pen.writing.write_blindly(pen.line, picture)).finish().ops == []
    assert list(pen.line.late or ()) == pictures


def test_only_an_end_that_stands_there_is_said_once_more() -> None:
    pen = Pen("slack")
    for shown in (None, pen.picture()):
        pen.line.shown = shown
        assert pen.run(pen.writing.assert_again(pen.line)).finish().ops == []
        assert pen.line.shown is shown
    pen.line.shown, pen.line.draining = pen.end(), True
    assert pen.run(pen.writing.assert_again(pen.line)).finish().ops == []
    assert pen.line.shown is not None
