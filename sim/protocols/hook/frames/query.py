"""Stage 6: the server asks the desktop for lists (spec §5)."""

from __future__ import annotations

from typing import Any

from sim.protocols.hook.constants import MAX_SESSIONS, QUERY_KINDS
from sim.protocols.hook.frames.envelope import DESKTOP_TO_SERVER, SERVER_TO_DESKTOP, HookBody
from sim.protocols.hook.predicates import ALIAS
from sim.wire.absent import ABSENT, Absent
from sim.wire.declare import Record, message, record, wire
from sim.wire.linkage import filled_when
from sim.wire.spec import (
    ANY_TEXT,
    SOME_TEXT,
    SOME_TEXTS,
    TIMESTAMP_MS,
    Choice,
    Flag,
    ListOf,
    Nested,
    Text,
)


@message(
    "query.request",
    direction=SERVER_TO_DESKTOP,
    section="§5.6",
    example={"queryId": "q-1", "kind": "models"},
)
class QueryRequest(HookBody):
    """Asks for a list. Kind ``sessions`` needs session-picker-v1 on both sides."""

    query_id: str = wire(SOME_TEXT)
    kind: str = wire(Choice(QUERY_KINDS))


@record()
class Model(Record):
    """A model that an agent can run, and how hard it can think."""

    id: str = wire(SOME_TEXT)
    label: str = wire(SOME_TEXT)
    efforts: tuple[str, ...] = wire(SOME_TEXTS)
    default_effort: str | None = wire(ANY_TEXT, nullable=True)
    group: str | Absent | None = wire(ANY_TEXT, nullable=True, default=ABSENT)


@record()
class PermissionMode(Record):
    """How much an agent may do without asking."""

    id: str = wire(SOME_TEXT)
    label: str = wire(SOME_TEXT)


@record()
class Agent(Record):
    """A kind of agent on the desktop with its models and permission modes."""

    agent_kind: str = wire(SOME_TEXT)
    models: tuple[Model, ...] = wire(ListOf(Nested(Model)))
    permission_modes: tuple[PermissionMode, ...] | Absent = wire(
        ListOf(Nested(PermissionMode)), default=ABSENT
    )


@record(unknown="refused first")
class Session(Record):
    """A recent session, stripped of everything private."""

    id: str = wire(SOME_TEXT)
    title: str = wire(SOME_TEXT)
    workspace: str = wire(Text(min=1, where=ALIAS))
    last_active_at: int = wire(TIMESTAMP_MS)


def _in_answers(kind: str) -> dict[str, str | bool]:
    """Lists are looked at in good answers of their own kind only."""
    return {"ok": True, "kind": kind}


@message(
    "query.response",
    direction=DESKTOP_TO_SERVER,
    section="§5.6",
    example={
        "queryId": "q-1",
        "kind": "sessions",
        "ok": True,
        "error": None,
        "sessions": [
            {"id": "s-1", "title": "build", "workspace": "web", "lastActiveAt": 1760000000000}
        ],
    },
)
class QueryResponse(HookBody):
    """The list that was asked for, or why there is none."""

    query_id: str = wire(SOME_TEXT)
    kind: str = wire(Choice(QUERY_KINDS))
    ok: bool = wire(Flag())
    error: str | None = wire(ANY_TEXT, nullable=True, after=(filled_when("error", "ok", False),))
    workspaces: tuple[str, ...] | Any = wire(
        SOME_TEXTS, default=ABSENT, when=_in_answers("workspaces")
    )
    agents: tuple[Agent, ...] | Any = wire(
        ListOf(Nested(Agent)), default=ABSENT, when=_in_answers("models")
    )
    sessions: tuple[Session, ...] | Any = wire(
        ListOf(Nested(Session), max=MAX_SESSIONS, unique_by="id"),
        default=ABSENT,
        when=_in_answers("sessions"),
    )
