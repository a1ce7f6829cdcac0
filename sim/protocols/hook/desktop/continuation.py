"""Turns that the person starts on the desktop, and turn.reopen (stage 18, section 8).

A retry *arms* a continuation: nothing is seen outside. The first event of that
very turn *claims* it: turn.reopen is written, before anything else of the
round, with a fresh id. From then on progress and end are written directly;
what cannot be written at once is never sent at all. The connection takes the
claim with it: the server has closed the round by then, and two ends that both
restore it would overwrite each other.
"""

from __future__ import annotations

from typing import Any

from sim.core.op import Note, StartTimer, StopTimer
from sim.protocols.hook import REOPEN_REASON_USER_CONTINUED, TurnReopen
from sim.protocols.hook.acts import AgentAsks, AgentEnds, AgentProgresses
from sim.protocols.hook.desktop import interactions, outbox, progress, registrations, sessions
from sim.protocols.hook.desktop.desk import Desk
from sim.protocols.hook.desktop.ledger import ledger_key
from sim.protocols.hook.desktop.records import Lane, Registration, Round, Session
from sim.protocols.hook.desktop.results import end_of
from sim.protocols.hook.desktop.turns import CANCELLED, start_next
from sim.protocols.hook.machine_desktop import ARMED, CLAIMED, CLAIMING

SUPERSEDED = AgentEnds(status="error", error="cancelled: a new task took over this session")
OVERTAKEN = AgentEnds(status="error", error="cancelled: the person went on with something else")


async def retry(desk: Desk, request_id: str) -> None:
    """The person presses retry on the error banner; a busy session shows none.

    Without a registration (the server cannot reopen, or too much time has
    passed) this is a local turn that nobody outside hears of.
    """
    registration = registrations.find(desk, request_id)
    if registration is None:
        session = sessions.of_request(desk, request_id)
    else:
        session = registration.session
    if session is None or session.running is not None:
        return
    turn = await _begin(desk, session, registration, by_retry=registration is not None)
    if registration is None:
        await _end_by_itself(desk, turn)
        return
    if not desk.rules.claim_at_first_event:
        await claim(desk, turn)


async def type_text(desk: Desk, request_id: str) -> None:
    """The person writes something else into a session: an ordinary local turn (HK-190)."""
    session = sessions.of_request(desk, request_id)
    if session is None:
        return
    registration = desk.work.registrations.get(session.id)
    if desk.rules.retry_only:
        registrations.discard(desk, session)
        registration = None
    running = session.running
    if isinstance(running, Round) and running.by_retry:
        session.running = None
        await give_way(desk, running, OVERTAKEN)
    if session.running is not None:
        return  # it waits in the desktop's own queue, which no frame tells of
    turn = await _begin(desk, session, registration)
    await _end_by_itself(desk, turn)


async def _begin(
    desk: Desk, session: Session, registration: Registration | None, *, by_retry: bool = False
) -> Round:
    lane = registration.lane if registration else next(iter(desk.lanes.values()))
    turn = Round(desk.next_turn(), session, lane, registration)
    turn.started_us = desk.port.now_us()
    turn.by_retry = by_retry
    session.running = turn
    desk.work.turns[turn.number] = turn
    desk.last_session = session
    fact = {"did": "start", "request": "", "session": session.id}
    await desk.perform(Note("agent", fact))
    return turn


async def _end_by_itself(desk: Desk, turn: Round) -> None:
    """A turn that the scenario's agent need not direct to its end."""
    await desk.perform(StartTimer("local", str(turn.number), desk.settings.local_turn_us))


async def local_over(desk: Desk, key: str) -> None:
    """The person's own turn has taken its time; its agent answers."""
    turn = desk.work.turns.get(int(key))
    if isinstance(turn, Round):
        await event(desk, turn, AgentEnds(text="Answered on the desktop."))


async def event(desk: Desk, turn: Round, act: Any) -> None:
    """The agent of such a turn does something; the first time, that claims it (HK-192)."""
    if turn.state == CLAIMING or turn.acts:
        # Nothing may be sent before it is known whether the reopen was written,
        # and nothing before what the agent did earlier.
        turn.acts = [*(turn.acts or ()), act]
    elif turn.state != ARMED:
        await apply(desk, turn, act)
    elif desk.rules.reopen_before_progress:
        turn.acts = [act]
        await claim(desk, turn)
    else:
        await _claim_late(desk, turn, act)


async def claim(desk: Desk, turn: Round) -> None:
    """Write turn.reopen, if it can be; then play what the agent did, in order."""
    turn.fire("event")
    reopen = name_round(desk, turn)
    written = reopen is not None and await desk.send_turn(turn.lane, reopen)
    if written:
        _use_up(desk, turn)
    if turn.state == CLAIMING:
        turn.fire("written" if written else "give up")
    if not written and desk.work.rounds.get(turn.request_id) is turn:
        del desk.work.rounds[turn.request_id]
    while turn.acts:
        await apply(desk, turn, turn.acts[0])
        turn.acts.pop(0)


async def _claim_late(desk: Desk, turn: Round, act: Any) -> None:
    """Without reopen-before-progress: the event first, then turn.reopen."""
    turn.fire("event")
    reopen = name_round(desk, turn)
    turn.fire("give up" if reopen is None else "written")
    await apply(desk, turn, act)
    if reopen is not None:
        _use_up(desk, turn)
        await desk.send_turn(turn.lane, reopen)


def _use_up(desk: Desk, turn: Round) -> None:
    """The reopen is out, even if its bytes get lost: its registration is no more."""
    if desk.work.registrations.get(turn.session.id) is turn.registration:
        registrations.discard(desk, turn.session)


def name_round(desk: Desk, turn: Round) -> TurnReopen | None:
    """Give the round its own id, a UUID (HK-196). None when it may not be claimed now."""
    registration = turn.registration
    if registration is None or not registrations.is_fresh(desk, registration):
        return None
    if not registrations.is_reopenable(desk, turn.lane):
        return None
    if turn.session.alias not in desk.workspaces or not turn.lane.is_ready:
        return None
    turn.request_id = desk.port.new_id()
    desk.work.rounds[turn.request_id] = turn
    return TurnReopen(
        request_id=turn.request_id,
        reopen_of=registration.rounds[-1],
        external_key=turn.external_key,
        session_id=turn.session.id,
        reason=REOPEN_REASON_USER_CONTINUED,
    )


async def apply(desk: Desk, turn: Round, act: Any) -> None:
    """One event of the round, which may or may not be seen outside."""
    if not turn.can("close"):
        return
    if isinstance(act, AgentProgresses):
        if turn.state == CLAIMED:
            await progress.show(desk, turn, act)
    elif isinstance(act, AgentAsks):
        await interactions.ask(desk, turn, act)
    elif isinstance(act, AgentEnds):
        await finish(desk, turn, act)


async def finish(desk: Desk, turn: Round, act: AgentEnds) -> None:
    """The round is over: its end is written now or never (HK-194)."""
    is_claimed, conn = turn.state == CLAIMED, turn.lane.conn
    turn.fire("close")
    desk.work.turns.pop(turn.number, None)
    desk.work.rounds.pop(turn.request_id, None)
    await progress.stop(desk, turn)
    await interactions.close_all(desk, turn)
    await desk.perform(StopTimer("local", str(turn.number)))
    is_written = False
    if turn.lane.conn is not conn and desk.rules.reopen_never_replayed:
        is_claimed = False  # the connection took the claim with it, while the cards were closed
    if is_claimed:
        end = end_of(turn, act, "", desk.port.now_us(), desk.settings)
        is_written = await desk.send_turn(turn.lane, end)
        if not is_written and not desk.rules.reopen_never_replayed:
            await outbox.keep(desk, turn.lane, ledger_key(desk, turn.lane, "round"), end)
    if act.status == "error":
        _register_again(desk, turn, is_written)
    fact = {"did": "end", "request": turn.request_id, "status": act.status}
    await desk.perform(Note("agent", fact))
    if turn.session.running is turn:
        turn.session.running = None
        if turn.by_retry:  # those who wait behind a local turn are polled
            await start_next(desk, turn.session)


def _register_again(desk: Desk, turn: Round, is_written: bool) -> None:
    """A failed round may be continued in turn, unless its thread is dead (HK-173, HK-195)."""
    registration = turn.registration
    if registration is None or not turn.request_id or turn.superseded:
        return
    if is_written or not desk.rules.dead_thread:
        rounds = (*registration.rounds, turn.request_id)
        registrations.register(desk, rounds, turn.external_key, turn.session, turn.lane)


async def give_way(desk: Desk, turn: Round, why: AgentEnds) -> None:
    """Somebody else takes the session: a claimed round is closed with an error, for good."""
    turn.superseded = True
    await (event if turn.state == CLAIMING else apply)(desk, turn, why)


async def cancel(desk: Desk, turn: Round) -> None:
    """The server stops the round by its own id (HK-172)."""
    await event(desk, turn, CANCELLED)


def connection_lost(desk: Desk, lane: Lane) -> None:
    """Claims die with their connection, without a frame; the agent goes on for nobody."""
    if not desk.is_busy or not desk.rules.reopen_never_replayed:
        return
    for id, turn in list(desk.work.rounds.items()):
        if turn.lane is lane and turn.can("cut"):
            turn.fire("cut")
            del desk.work.rounds[id]


def belongs_to(turn: Round, request_id: str) -> bool:
    """Whether the turn is, or would be, a link of the chain that this request is in."""
    registration = turn.registration
    if registration is None:
        return False
    return request_id == turn.request_id or request_id in registration.rounds
