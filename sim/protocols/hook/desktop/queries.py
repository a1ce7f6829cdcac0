"""query.request → query.response, from what is true now (section 12, HK-103 … HK-107)."""

from __future__ import annotations

from sim.protocols.hook import (
    HOOK_FEATURE_SESSION_PICKER,
    MAX_SESSIONS,
    Agent,
    Model,
    PermissionMode,
    QueryRequest,
    QueryResponse,
)
from sim.protocols.hook import Session as SessionLine
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.records import Lane
from sim.protocols.hook.desktop.settings import PERMISSION_MODES


async def answer(desk: Desk, lane: Lane, query: QueryRequest) -> None:
    """Always answered, also when the lane is not ready or the kind is not offered."""
    await desk.send(lane, response(desk, lane, query))


def response(desk: Desk, lane: Lane, query: QueryRequest) -> QueryResponse:
    """What there is to say; lists only of the kind that was asked for."""
    if not lane.is_ready:
        return failure(query, "the desktop is not ready")
    if query.kind == "workspaces":
        aliases = desk.workspaces if desk.rules.live_lists else desk.config.workspaces
        return success(query, workspaces=aliases)
    if query.kind == "models":
        return success(query, agents=tuple(offer_of(desk, kind) for kind in desk.config.agents))
    if HOOK_FEATURE_SESSION_PICKER not in lane.features:
        return failure(query, "sessions are not offered here")
    return success(query, sessions=latest_sessions(desk))


def offer_of(desk: Desk, kind: str) -> Agent:
    """The models of a kind of agent, and how much it may do without asking."""
    return Agent(
        agent_kind=kind,
        models=tuple(
            Model(
                id=model,
                label=model.capitalize(),
                efforts=efforts,
                default_effort=efforts[len(efforts) // 2] if efforts else None,
            )
            for model, efforts in desk.config.models.get(kind, ())
        ),
        permission_modes=tuple(
            PermissionMode(id=id, label=label) for id, label in PERMISSION_MODES
        ),
    )


def success(query: QueryRequest, **lists: object) -> QueryResponse:
    """An answer with its list."""
    return QueryResponse(
        query_id=query.query_id,
        kind=query.kind,
        ok=True,
        error=None,
        **lists,
    )


def failure(query: QueryRequest, error: str) -> QueryResponse:
    """An answer that says why there is none."""
    return QueryResponse(query_id=query.query_id, kind=query.kind, ok=False, error=error)


def latest_sessions(desk: Desk) -> tuple[SessionLine, ...]:
    """At most 20 sessions, the newest first, nothing private in them."""
    rows = dict.fromkeys(row for _, row in desk.port.store.items(f"session/{desk.account}/"))
    newest = sorted(rows, key=lambda row: -row.since_ms)
    if desk.rules.short_session_list:
        newest = newest[:MAX_SESSIONS]
    lines = {
        row.session: SessionLine(
            id=row.session, title=row.title, workspace=row.alias, last_active_at=row.since_ms
        )
        for row in newest
    }
    return tuple(lines.values())
