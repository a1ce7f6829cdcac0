"""Stages 2, 4, 7, 8 and 9: a task from dispatch to its end (spec §5)."""

from __future__ import annotations

from typing import Any

from sim.protocols.hook.constants import (
    MAX_ATTACHMENTS,
    TASK_ACK_RESULTS,
    TASK_REJECT_REASONS,
    TURN_END_STATUSES,
)
from sim.protocols.hook.frames.envelope import DESKTOP_TO_SERVER, SERVER_TO_DESKTOP, HookBody
from sim.wire.absent import ABSENT, Absent
from sim.wire.declare import Record, message, record, wire
from sim.wire.linkage import Fault, Wire, is_filled, linkage, set_exactly_when
from sim.wire.spec import (
    ANY_TEXT,
    SOME_TEXT,
    Anything,
    Choice,
    ListOf,
    Nested,
    Number,
)


@record()
class TaskAttachment(Record):
    """A file within the frame, in base64; the same shape in both directions (spec §7)."""

    name: str | None = wire(ANY_TEXT, nullable=True)
    mime_type: str = wire(SOME_TEXT)
    data_base64: str = wire(SOME_TEXT)


@record()
class TaskOptions(Record):
    """What to run the task with; null or absent leaves it to the desktop."""

    model: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)
    permission_mode: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)
    agent_kind: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)
    effort: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)


@record()
class ThreadLine(Record):
    """One earlier message of the thread that the task came from."""

    author: str = wire(ANY_TEXT)
    text: str = wire(ANY_TEXT)
    is_bot: Any = wire(Anything(), default=ABSENT)


@record()
class TaskSource(Record):
    """Where in the channel the task was asked for."""

    im: str = wire(SOME_TEXT)
    channel_name: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)
    team_id: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)
    team_name: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)
    user_text: str | Absent = wire(ANY_TEXT, default=ABSENT)
    trigger_message_id: str | Absent | None = wire(SOME_TEXT, nullable=True, default=ABSENT)
    thread_context: tuple[ThreadLine, ...] | Absent = wire(
        ListOf(Nested(ThreadLine)), default=ABSENT
    )


@linkage(
    {"if": {"properties": {"sessionId": {"type": "null"}}}, "then": is_filled("workspace")},
    typed=lambda task: task.session_id is not None or bool(task.workspace),
)
def workspace_is_named_unless_taken_over(payload: Wire) -> Fault | None:
    """workspace is a non-empty string when sessionId is null."""
    if payload["sessionId"] is None and not payload["workspace"]:
        return ".workspace", "must be a non-empty string when sessionId is null"
    return None


@linkage({"properties": {"sessionId": {"minLength": 1}}}, typed=lambda task: task.session_id != "")
def session_id_is_not_empty(payload: Wire) -> Fault | None:
    """sessionId, unless null, is not empty; said after the rule about workspace."""
    if payload["sessionId"] == "":
        return ".sessionId", "must be null or a non-empty string"
    return None


@message(
    "task.dispatch",
    direction=SERVER_TO_DESKTOP,
    section="§5.2",
    example={
        "requestId": "r-1",
        "externalKey": "slack:T1:C1:1700000000.0001",
        "workspace": "web",
        "sessionId": None,
        "prompt": "fix the build",
        "options": {"model": None, "effort": "high"},
        "attachments": [{"name": "a.png", "mimeType": "image/png", "dataBase64": "iVBORw0="}],
        "source": {
            "im": "slack",
            "channelName": "dev",
            "threadContext": [{"author": "alice", "text": "it is red", "isBot": False}],
        },
    },
)
class TaskDispatch(HookBody):
    """Hands a task to the desktop.

    ``session_id`` is null except where an existing desktop session is taken over.
    """

    request_id: str = wire(SOME_TEXT)
    external_key: str = wire(SOME_TEXT)
    workspace: str | None = wire(ANY_TEXT, nullable=True)
    session_id: str | None = wire(
        ANY_TEXT,
        nullable=True,
        after=(workspace_is_named_unless_taken_over, session_id_is_not_empty),
    )
    prompt: str = wire(SOME_TEXT)
    options: TaskOptions | Absent = wire(Nested(TaskOptions), default=ABSENT)
    attachments: tuple[TaskAttachment, ...] | Absent = wire(
        ListOf(Nested(TaskAttachment), max=MAX_ATTACHMENTS), default=ABSENT
    )
    source: TaskSource | Absent = wire(Nested(TaskSource), default=ABSENT)


@message(
    "task.ack",
    direction=DESKTOP_TO_SERVER,
    section="§5.2",
    example={
        "requestId": "r-1",
        "result": "queued",
        "reason": None,
        "sessionId": "s-1",
        "queuePosition": 1,
    },
)
class TaskAck(HookBody):
    """Immediate answer to a dispatch: accepted, queued or rejected."""

    request_id: str = wire(SOME_TEXT)
    result: str = wire(Choice(TASK_ACK_RESULTS))
    reason: str | None = wire(
        Choice(TASK_REJECT_REASONS),
        nullable=True,
        after=(set_exactly_when("reason", "result", ("rejected",)),),
    )
    session_id: str | None = wire(
        SOME_TEXT,
        nullable=True,
        after=(set_exactly_when("sessionId", "result", ("accepted", "queued")),),
    )
    queue_position: float | None = wire(
        Number(min=0, integer=True),
        nullable=True,
        after=(set_exactly_when("queuePosition", "result", ("queued",)),),
    )


@message(
    "turn.progress",
    direction=DESKTOP_TO_SERVER,
    section="§5.9",
    example={"requestId": "r-1", "text": "Reading files …"},
)
class TurnProgress(HookBody):
    """Snapshot of the work so far; it replaces the earlier one."""

    request_id: str = wire(SOME_TEXT)
    text: str = wire(ANY_TEXT)


@message("task.cancel", direction=SERVER_TO_DESKTOP, section="§5.7", example={"requestId": "r-1"})
class TaskCancel(HookBody):
    """Asks the desktop to stop a task; unknown ids are ignored."""

    request_id: str = wire(SOME_TEXT)


@record()
class TurnUsage(Record):
    """What a turn took. ``duration_ms`` is null where it is not known."""

    duration_ms: float | None = wire(Number(min=0, finite=True), nullable=True)


@message(
    "turn.end",
    direction=DESKTOP_TO_SERVER,
    section="§5.4",
    example={
        "requestId": "r-1",
        "externalKey": "slack:T1:C1:1700000000.0001",
        "sessionId": "s-1",
        "status": "ok",
        "finalText": "done",
        "errorMessage": None,
        "usage": {"durationMs": 5200},
    },
)
class TurnEnd(HookBody):
    """Closes a task with its result. Repeated until the server has taken it over."""

    request_id: str = wire(SOME_TEXT)
    external_key: str = wire(SOME_TEXT)
    session_id: str | None = wire(ANY_TEXT, nullable=True)
    status: str = wire(Choice(TURN_END_STATUSES))
    final_text: str = wire(ANY_TEXT)
    error_message: str | None = wire(
        SOME_TEXT, nullable=True, after=(set_exactly_when("errorMessage", "status", ("error",)),)
    )
    usage: TurnUsage = wire(Nested(TurnUsage))
    attachments: tuple[TaskAttachment, ...] | Absent = wire(
        ListOf(Nested(TaskAttachment), max=MAX_ATTACHMENTS), default=ABSENT
    )


@message(
    "session.archive",
    direction=SERVER_TO_DESKTOP,
    section="§5.8",
    example={"externalKey": "telegram:1:42"},
)
class SessionArchive(HookBody):
    """Archives the session of a conversation; ignored where there is none."""

    external_key: str = wire(SOME_TEXT)
