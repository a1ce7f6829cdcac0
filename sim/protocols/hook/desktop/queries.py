"""query.request → query.response, from what is true now (section 12, HK-103 … HK-107)."""

from __future__ import annotations

from sim.protocols.hook import (
    HOOK_FEATURE_SESSION_PICKER,
    MAX_SESSIONS,
    Agent,
    QueryRequest,
    QueryResponse,
)
from sim.protocols.hook import Session as SessionLine
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.records import Lane


async def answer(desk: Desk, lane: Lane, query: QueryRequest) -> None:
    """Always answered, also when the lane is not ready or the kind is not offered."""
    await desk.send(lane, response(desk, lane, query))


def response(desk: Desk, lane: Lane, query: QueryRequest) -> QueryResponse:
    """What there is to say; lists only of the kind that was asked for."""
    if not lane.is_ready:
        return failure(query, "the desktop is not ready")
    if query.kind == "workspaces":
        return success(query, workspaces=desk.workspaces)
    if query.kind == "models":
        agents = tuple(Agent(agent_kind=kind, models=()) for kind in desk.config.agents)
        return success(query, agents=agents)
    if HOOK_FEATURE_SESSION_PICKER not in lane.features:
        return failure(query, "sessions are not offered here")
    return success(query, sessions=latest_sessions(desk))


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
    newest = sorted(rows, key=lambda row: -row.since_ms)[:MAX_SESSIONS]
    lines = {
        row.session: SessionLine(
            id=row.session, title=row.title, workspace=row.alias, last_active_at=row.since_ms
        )
        for row in newest
    }
    return tuple(lines.values())
