"""Which session a task runs in: one per externalKey, for good (HK-01, HK-62).

The key is opaque: it is looked up and sent back, never read (HK-07). The
binding of a key to its session is one durable row.
"""

from __future__ import annotations

from sim.core.op import Acquire, Erase, Release, Save
from sim.protocols.hook import Absent, SessionArchive, TaskDispatch
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.records import Lane, Session, SessionRow

TITLE_CHARS = 200
MOVED = "The earlier folder is no longer available; this is a new session."


def binding_key(desk: Desk, lane: Lane, external_key: str) -> str:
    """Where the binding of a key stands."""
    return f"session/{desk.account}/{lane.name}/{external_key}"


def section_of(lane: Lane, external_key: str) -> str:
    """The serial section in which dispatches and archives of one key follow each other."""
    return f"key {lane.name} {external_key}"


def present(desk: Desk, id: str, alias: str) -> Session:
    """The session of this id as it is in memory."""
    sessions = desk.work.sessions
    session = sessions.get(id)
    if session is None:
        sessions[id] = session = Session(id, alias)
    return session


def known(desk: Desk, session_id: str) -> Session | None:
    """A session by id: bound to some key, or made on the desktop itself."""
    for _, row in desk.port.store.items(f"session/{desk.account}/"):
        if row.session == session_id:
            return present(desk, session_id, row.alias)
    for id, alias in desk.config.sessions:
        if id == session_id:
            return present(desk, id, alias)
    return None


async def locate(desk: Desk, lane: Lane, task: TaskDispatch) -> tuple[Session, str] | str:
    """The session for a task with a notice for its text, or the reason for refusing it.

    Call it inside the key's serial section.
    """
    if task.session_id is not None:
        return await _take_over(desk, lane, task, task.session_id)
    alias = task.workspace
    if alias is None or alias not in desk.workspaces:
        return "unknown_workspace"
    row: SessionRow | None = None
    if desk.rules.one_session_per_key:
        row = desk.port.store.get(binding_key(desk, lane, task.external_key))
    if row is not None and row.alias in desk.workspaces:
        return present(desk, row.session, row.alias), ""
    session = present(desk, desk.port.new_id(), alias)
    await _bind(desk, lane, task, session)
    return session, "" if row is None else MOVED


async def _take_over(
    desk: Desk, lane: Lane, task: TaskDispatch, session_id: str
) -> tuple[Session, str] | str:
    session = known(desk, session_id)
    if session is None:
        return "session_not_found"
    if session.alias not in desk.workspaces:
        return "workspace_not_allowed"
    row: SessionRow | None = desk.port.store.get(binding_key(desk, lane, task.external_key))
    if row is None or row.session != session_id:
        await _bind(desk, lane, task, session)
    return session, ""


def label(session: Session, task: TaskDispatch) -> None:
    """Remember the team that the task came from; it is the default for tools (HK-102)."""
    source = task.source
    team = None if isinstance(source, Absent) else source.team_id
    if team and not isinstance(team, Absent):
        session.team = team


def title_of(task: TaskDispatch) -> str:
    """What the session is called: the team it is for, and how it began."""
    source = task.source
    team = None if isinstance(source, Absent) else source.team_name
    prompt = task.prompt.strip()
    named = f"{team}: {prompt}" if team and not isinstance(team, Absent) else prompt
    return named[:TITLE_CHARS] or "untitled"


async def _bind(desk: Desk, lane: Lane, task: TaskDispatch, session: Session) -> None:
    row = SessionRow(session.id, session.alias, title_of(task), desk.port.now_ms())
    await desk.perform(Save(binding_key(desk, lane, task.external_key), row))


async def archive(desk: Desk, lane: Lane, frame: SessionArchive) -> None:
    """Archive the session of a key; unknown keys are ignored (HK-46, HK-138).

    A running turn goes on, and its end is still handed in.
    """
    section = section_of(lane, frame.external_key)
    key = binding_key(desk, lane, frame.external_key)
    await desk.perform(Acquire(section))
    row: SessionRow | None = desk.port.store.get(key)
    if row is not None:
        session = desk.work.sessions.get(row.session)
        if session is not None and session.running is None:
            del desk.work.sessions[row.session]
        await desk.perform(Erase(key))
    await desk.perform(Release(section))


def of_request(desk: Desk, request_id: str) -> Session | None:
    """The session in which a task of this life ran; "": the last turn's."""
    if not request_id:
        return desk.last_session
    turn = desk.work.tasks.get(request_id) or desk.work.rounds.get(request_id)
    if turn is not None:
        return turn.session
    for registration in desk.work.registrations.values():
        if request_id in registration.rounds:
            return registration.session
    ack = desk.work.acks.get(request_id)
    return None if ack is None else desk.work.sessions.get(ack.session_id or "")
