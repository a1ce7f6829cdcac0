"""What a controller asks for: sent, awaited, ended once, perhaps sent again."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from sim.core.op import StartTimer, StopTimer
from sim.protocols.relay.acts import (
    Act,
    CancelCommand,
    ExtractContent,
    LockTab,
    SendCommand,
    UnlockTab,
)
from sim.protocols.relay.constants import (
    ALIAS_COMMAND,
    ALIAS_SITE,
    DEFAULT_FORMAT,
    EXTRACT_ACTIONS,
    LEAST_TIMEOUT_MS,
)
from sim.protocols.relay.controller.desk import Desk
from sim.protocols.relay.controller.records import (
    DISCONNECTED,
    EVENT,
    GAVE_UP,
    Call,
    Outcome,
)
from sim.protocols.relay.frames import Command, CommandCancel, RelayBody, TabLock, TabUnlock
from sim.protocols.relay.peer.actor import MS
from sim.protocols.relay.timeouts import budget_ms, resolved_timeout_ms
from sim.wire.absent import ABSENT, Absent
from sim.wire.exact import plain_object

MOST_OUTCOMES: Final = 200
_CANCEL: Final = "command_cancel"
_ALIAS: Final = "command.reddit_posts"
_SITE_COMMANDS: Final = ("command.run", "command.test", _ALIAS)


async def ask(desk: Desk, act: Act, test: str = "", request: str = "") -> None:
    """Do an act as soon as it can be done, for the sake of ``test`` if one is given."""
    if isinstance(act, ExtractContent):
        act = extraction(desk, act)
    request = request or getattr(act, "request", "") or desk.port.new_frame_id()
    if isinstance(act, SendCommand) and act.retries and not act.idempotency_key:
        act = msgspec.structs.replace(act, idempotency_key=desk.port.new_id())
    early = isinstance(act, SendCommand) and act.early and desk.conn is not None
    if desk.is_ready or early:
        await _send(desk, act, request, test)
    else:
        desk.held.append((act, request))


def extraction(desk: Desk, act: ExtractContent) -> SendCommand:
    """The command that a format of extract-content means (OT-39).

    Raises LookupError for a format that there is not.
    """
    actions = dict(EXTRACT_ACTIONS)
    if act.format not in actions:
        known = ", ".join(actions)
        raise LookupError(f"{desk.port.name} knows no format {act.format!r}; formats are {known}")
    format = act.format if desk.rules.format_names_action else DEFAULT_FORMAT
    return SendCommand(
        actions[format],
        {"selector": act.selector} if act.selector else {},
        node=act.node,
        tab=act.tab,
        request=act.request,
        timeout_ms=act.timeout_ms,
        wait_policy=act.wait_policy,
    )


async def send_held(desk: Desk) -> None:
    """The session works: what has waited for it goes out, in order."""
    while desk.held and desk.is_ready:
        await _send(desk, *desk.held.pop(0))


async def send_early(desk: Desk) -> None:
    """There is a socket: what does not wait for the session goes out."""
    early = [held for held in desk.held if isinstance(held[0], SendCommand) and held[0].early]
    desk.held = [held for held in desk.held if held not in early]
    for held in early:
        await _send(desk, *held)


async def _send(desk: Desk, act: Act, request: str, test: str = "") -> None:
    body, call, patience_ms = _prepared(desk, act, request)
    call.sent_us = desk.port.now_us()
    call.test, call.session = test, desk.session
    # A request that is repeated on purpose has one end, that of the first.
    desk.calls.setdefault(request, call)
    conn = desk.conn
    if desk.rules.own_deadline:
        await desk.perform(StartTimer("deadline", request, patience_ms * MS))
    # It may have been given up before it could be sent.
    if desk.conn is conn and request in desk.calls:
        await desk.send(body, request, conn)


def _prepared(desk: Desk, act: Act, request: str) -> tuple[RelayBody, Call, int]:
    """The frame's body, what to remember of it, and how long to wait for its end."""
    grace_ms = desk.client.grace_ms
    if isinstance(act, SendCommand):
        body = _command(desk, act)
        call = Call(request, act.action, act, body.target_node_id, act.tab)
        call.target = str(act.payload.get("targetRequestId", ""))
        call.listener = str(act.payload.get("listener", ""))
        timeout = body.timeout_ms
        budget = budget_ms(None if isinstance(timeout, Absent) else timeout)
        return body, call, budget + grace_ms
    if isinstance(act, CancelCommand):
        cancelled = Call(request, _CANCEL, act, target=act.target)
        return CommandCancel(target_request_id=act.target), cancelled, grace_ms
    if isinstance(act, LockTab):
        node = desk.node_of(act.node)
        lease: int | Absent = ABSENT if act.lease_ms is None else act.lease_ms
        lock = TabLock(target_node_id=node, tab_session_id=act.tab, lock_lease_ms=lease)
        return lock, Call(request, "tab_lock", act, node, act.tab), grace_ms
    if isinstance(act, UnlockTab):
        node = desk.node_of(act.node)
        unlock = TabUnlock(target_node_id=node, tab_session_id=act.tab)
        return unlock, Call(request, "tab_unlock", act, node, act.tab), grace_ms
    raise LookupError(f"{desk.port.name} is a controller and cannot {act!r}")


def _command(desk: Desk, act: SendCommand) -> Command:
    node = desk.node_of(act.node)
    nonce = act.nonce or desk.nonce
    if not nonce:
        nonce = desk.port.new_id()
        if not desk.rules.fresh_nonces:
            desk.nonce = nonce
    return Command(
        target_node_id=node,
        tab_session_id=act.tab or ABSENT,
        action=act.action,
        payload=act.payload,
        timeout_ms=timeout_of(desk, act, node),
        wait_policy=act.wait_policy or ABSENT,
        idempotency_key=act.idempotency_key or ABSENT,
        replay_nonce=nonce,
    )


def timeout_of(desk: Desk, act: SendCommand, node: str) -> float | Absent:
    """timeoutMs: the user's word, else the author's hint, else the relay's own default."""
    explicit = act.timeout_ms if desk.rules.explicit_timeout_wins else None
    inputs = plain_object(act.payload.get("input"))
    policy = None
    if act.action in _SITE_COMMANDS and desk.rules.timeout_from_policy:
        site, command = act.payload.get("site"), act.payload.get("command")
        if act.action == _ALIAS:
            site, command = ALIAS_SITE, ALIAS_COMMAND
        policy = desk.policies.get((node, str(site).strip().lower(), str(command)))
    if explicit is None and policy is None:
        return ABSENT
    return resolved_timeout_ms(policy, inputs, explicit)


def learn(desk: Desk, node: str, data: Any) -> None:
    """command.list has told what commands there are, and how long each may take."""
    commands = plain_object(data).get("commands")
    for one in commands if isinstance(commands, list | tuple) else ():
        described = plain_object(one)
        policy = described.get("timeoutPolicy")
        if isinstance(policy, dict):
            key = (node, str(described.get("site")).strip().lower(), str(described.get("id")))
            desk.policies[key] = policy


async def cancel_acked(desk: Desk, request: str, payload: Any) -> None:
    """Ends the cancel, and not a command whose requestId the cancel has borrowed."""
    call = desk.calls.get(request)
    if call is None or call.name == _CANCEL or not desk.rules.events_end_nothing:
        await end(desk, request, EVENT, payload)


async def end(desk: Desk, request: str, how: str, payload: dict[str, Any]) -> None:
    """A call has its one end, and perhaps another try. What else comes is no end."""
    call = desk.calls.pop(request, None)
    if call is None:
        await _end_again(desk, request, how, payload)
        return
    outcome = Outcome(request, call.name, how, payload)
    again, retry = _retry(desk, call, outcome)
    outcome = Outcome(request, call.name, how, payload, again)
    desk.outcomes[request] = outcome
    if len(desk.outcomes) > MOST_OUTCOMES:
        del desk.outcomes[next(iter(desk.outcomes))]
    if desk.awaited == request:
        desk.awaited = again
    if retry is not None and how == DISCONNECTED:
        desk.held.append((retry, again))
    elif retry is not None:
        desk.later[again] = retry
    await desk.perform(StopTimer("deadline", request))
    await _report(desk, outcome)
    if again in desk.later:
        await desk.perform(StartTimer("again", again, LEAST_TIMEOUT_MS * MS))


def _retry(desk: Desk, call: Call, outcome: Outcome) -> tuple[str, SendCommand | None]:
    """The requestId and the act of the next try, "" and None where there is to be none."""
    act = call.act
    may_help = outcome.how == DISCONNECTED or outcome.payload.get("retryable") is True
    if not isinstance(act, SendCommand) or not act.retries or not may_help:
        return "", None
    key = act.idempotency_key if desk.rules.retry_keeps_key else ""
    again = desk.port.new_frame_id()
    retry = msgspec.structs.replace(
        act, request=again, nonce="", retries=act.retries - 1, idempotency_key=key, early=False
    )
    return again, retry


async def _report(desk: Desk, outcome: Outcome) -> None:
    facts: dict[str, Any] = {
        "request": outcome.request,
        "name": outcome.name,
        "how": outcome.how,
        "good": outcome.is_good,
    }
    if outcome.code:
        facts["code"] = outcome.code
    if outcome.retried:
        facts["retried"] = outcome.retried
    await desk.note("outcome", **facts)


async def _end_again(desk: Desk, request: str, how: str, payload: dict[str, Any]) -> None:
    """A second end of a call, or the end of none: it counts for nothing."""
    known = desk.outcomes.get(request)
    if known is None or desk.rules.first_end_counts:
        await desk.note("stray-end", request=request, how=how, late=known is not None)
        return
    outcome = Outcome(request, known.name, how, payload)
    desk.outcomes[request] = outcome
    await _report(desk, outcome)


async def try_again(desk: Desk, request: str) -> None:
    """A little time has passed since the try before this one."""
    retry = desk.later.pop(request, None)
    if retry is not None:
        await ask(desk, retry)


async def overdue(desk: Desk, request: str) -> None:
    """The controller's own deadline: nobody has ended the call."""
    if request in desk.calls:
        await end(desk, request, GAVE_UP, {})


async def all_lost(desk: Desk, lost: list[Call]) -> None:
    """The socket is gone, and with it whoever was to be told how these calls end."""
    for call in lost:
        if desk.calls.get(call.request) is call:
            await end(desk, call.request, DISCONNECTED, {})
    await send_held(desk)  # the next session may have begun meanwhile
