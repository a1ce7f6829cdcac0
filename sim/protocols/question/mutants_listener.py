"""Listeners that are wrong in one way each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from sim.core.op import Note, Op, Sleep
from sim.protocols.mutant import Mutant
from sim.protocols.question.constants import LISTENER
from sim.protocols.question.mutant_calls import (
    asks,
    changed,
    drops,
    slower,
    twice,
    with_body,
    with_query,
)
from sim.protocols.question.texts import FAILED

LIST: Final = asks("/question", "GET")
REPLY: Final = asks("/reply")
TOAST: Final = asks("/answerCallbackQuery")
SAY: Final = asks("/sendMessage")
POLL: Final = asks("/getUpdates")
HOUR_US: Final = 3_600_000_000


def _edits(op: Any) -> bool:
    return asks("/editMessageText")(op) or asks("/editMessageReplyMarkup")(op)


def _is_prompt(op: Any) -> bool:
    return SAY(op) and "force_reply" in str(op.request.body.get("reply_markup", ""))


def _fails(op: Any) -> bool:
    return TOAST(op) and str(op.request.body.get("text", "")).startswith(FAILED)


def _settles(op: Any) -> bool:
    return TOAST(op) and not _fails(op)


def _naps(ms: int) -> Any:
    """A pause of 300 ms takes another time."""

    def ops(actor: Any, op: Any) -> Iterator[Op[Any]]:
        yield Sleep(ms * 1_000) if type(op) is Sleep and op.for_us == 300_000 else op

    return ops


def _expiry_naps(actor: Any, op: Any) -> Iterator[Op[Any]]:
    yield Sleep(20_000) if type(op) is Sleep and op.for_us == 200_000 else op


def _polls_at_once(actor: Any, op: Any) -> Iterator[Op[Any]]:
    """The pause after a failed poll is too short."""
    yield Sleep(200_000) if type(op) is Sleep and op.for_us == 5_000_000 else op


def _raises(actor: Any, op: Any) -> Iterator[Op[Any]]:
    """Toasts cannot be written."""
    if TOAST(op):
        raise ValueError("a press that nobody can handle")
    yield op


def _mute_log(actor: Any, op: Any) -> Iterator[Op[Any]]:
    """No warnings."""
    if not (type(op) is Note and op.what == "log" and op.data["level"] != "info"):
        yield op


def _answers_by_prompt(actor: Any, op: Any) -> Iterator[Op[Any]]:
    """Answers are put into the session as prompts, too."""
    yield op
    if REPLY(op):
        path = "/session/ses_1/message"
        request = msgspec.structs.replace(op.request, path=path)
        yield msgspec.structs.replace(op, request=request)


def _other_value(actor: Any, op: Any) -> Iterator[Op[Any]]:
    request = op.request if REPLY(op) else None
    if request is None:
        yield op
    else:
        body = {"answers": [[str(request.body["answers"][0][0]) + "!"]]}
        yield msgspec.structs.replace(op, request=msgspec.structs.replace(request, body=body))


def _rejects_too(actor: Any, op: Any) -> Iterator[Op[Any]]:
    """What it replies to it rejects, to be sure."""
    yield op
    if REPLY(op):
        path = op.request.path.removesuffix("/reply") + "/reject"
        yield msgspec.structs.replace(
            op, request=msgspec.structs.replace(op.request, path=path, body=None)
        )


def _skips_updates(actor: Any, op: Any) -> Iterator[Op[Any]]:
    """The offset is one too far after something has come."""
    if POLL(op) and op.request.asked("offset") not in ("0", None):
        offset = str(int(op.request.asked("offset")) + 3)
        yield msgspec.structs.replace(op, request=with_query(offset=offset)(op.request))
    else:
        yield op


RAISING: Final = Mutant("listener-raises", LISTENER, "", "Toasts cannot be written.", ops=_raises)
"""A listener whose handlers raise: what becomes of its loop?"""

MUTANTS: tuple[Mutant, ...] = (
    Mutant("listener-flat-answers", LISTENER, "replies-hold-one-value",
           "answers is one row of texts.", 6,
           ops=changed(REPLY, with_body(answers=["A"]))),
    Mutant("listener-other-value", LISTENER, "replies-say-what-was-chosen",
           "Values are changed on their way.", 6, ops=_other_value),
    Mutant("listener-other-project", LISTENER, "requests-name-the-project",
           "It asks for another project.", 6,
           ops=changed(LIST, with_query(directory="/elsewhere"))),
    Mutant("listener-hurries", LISTENER, "tries-are-paced", "It lists every 50 ms.", 6,
           ops=_naps(50)),
    Mutant("listener-dawdles", LISTENER, "tries-are-paced", "It lists every second.", 6,
           ops=_naps(1_000)),
    Mutant("listener-lists-twice", LISTENER, "tries-are-paced", "Each list is asked for twice.", 6,
           ops=twice(LIST)),
    Mutant("listener-replies-twice", LISTENER, "one-post-per-attempt",
           "Each reply is sent twice.", 6, ops=twice(REPLY)),
    Mutant("listener-prompts-the-agent", LISTENER, "calls-have-a-reason",
           "Answers become prompts.", 6, ops=_answers_by_prompt),
    Mutant("listener-rejects-too", LISTENER, "reply-or-reject",
           "What is answered is rejected.", 6, ops=_rejects_too),
    Mutant("listener-never-edits", LISTENER, "settled-is-shown", "No message is edited.", 6,
           ops=drops(_edits)),
    Mutant("listener-never-prompts", LISTENER, "prompts-are-forced", "No prompt is sent.", 12,
           ops=drops(_is_prompt)),
    Mutant("listener-prompts-softly", LISTENER, "prompts-are-forced",
           "Prompts force no reply.", 12, ops=changed(_is_prompt, with_body(reply_markup=None))),
    Mutant("listener-prompts-tersely", LISTENER, "prompts-recommend-replies",
           "Prompts say: type.", 12, ops=changed(_is_prompt, with_body(text="type"))),
    Mutant("listener-never-toasts", LISTENER, "presses-are-answered-once",
           "No press is answered.", 6, ops=drops(TOAST)),
    Mutant("listener-toasts-twice", LISTENER, "presses-are-answered-once",
           "Each press is answered twice.", 6, ops=twice(TOAST)),
    Mutant("listener-says-sorry", LISTENER, "failed-is-never-settled",
           "Failures are told in other words.", 12,
           ops=changed(_fails, with_body(text="sorry"))),
    Mutant("listener-sees-failures", LISTENER, "settled-is-never-failed",
           "Everything is told as a failure.", 6,
           ops=changed(_settles, with_body(text=FAILED))),
    Mutant("listener-long-toasts", LISTENER, "presses-are-answered-once",
           "Toasts have no limit.", 6, ops=changed(TOAST, with_body(text="x" * 300))),
    Mutant("listener-waits-for-opencode", LISTENER, "calls-end",
           "Calls of OpenCode have no limit.", 30, "slow", ops=slower(LIST, HOUR_US)),
    Mutant("listener-waits-for-telegram", LISTENER, "polls-end",
           "getUpdates has no limit.", 30, "slow", ops=slower(POLL, HOUR_US)),
    Mutant("listener-skips-updates", LISTENER, "offsets-follow-handling",
           "The offset runs ahead.", 12, ops=_skips_updates),
    Mutant("listener-polls-at-once", LISTENER, "polling-goes-on",
           "After a failure it polls again at once.", 12, ops=_polls_at_once),
    Mutant("listener-mute-log", LISTENER, "failing-links-are-named",
           "Warnings are not logged.", 12, ops=_mute_log),
    Mutant("listener-hurries-at-expiry", LISTENER, "expired-are-looked-for-twice",
           "At expiry it lists twice in 20 ms.", 30, ops=_expiry_naps),
)  # fmt: skip
