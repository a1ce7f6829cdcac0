"""Sign in with Slack: links, bindings, several teams (§5 stages 5 and 13).

A *binding* says whose device a (team, person) is; a device holds at most one
binding per team, and one in all where multi-team is not agreed (HK-99). An
*attempt* is a link that somebody may open until it is used, replaced, voided
or ten minutes old. Links are compared with the device's present attempt, so an
older one cannot confirm anything (RC-87).
"""

from __future__ import annotations

from typing import Any

import attrs
import msgspec

from sim.channel.api import SignedIn
from sim.core.op import Erase, Note, Save, StartTimer, StopTimer
from sim.protocols.hook.constants import (
    BIND_FAIL_REASON_NOT_INSTALLED,
    BIND_FAIL_REASON_SUPERSEDED,
    HOOK_FEATURE_MULTI_TEAM,
)
from sim.protocols.hook.frames import BindRevoke, BindStart, BindState, BindUpdate, SlackBinding
from sim.protocols.hook.machine import CONFIRMED, PENDING, SLACK_BINDING
from sim.protocols.hook.server.accounts.features import NEUTRAL_LANES
from sim.protocols.hook.server.accounts.links import install_url, new_secret, slack_url
from sim.protocols.hook.server.accounts.reach import Reach
from sim.protocols.hook.server.accounts.rows import SlackAttemptRow, SlackBindingRow
from sim.protocols.hook.server.memory import Socket
from sim.wire.absent import ABSENT

SLACK = "slack"
TIMER = "sign-in"

NOT_INSTALLED_TEXT = "The app is not installed in this workspace"
WRONG_TEAM_TEXT = "The sign-in was for another workspace"


class SlackBindings:
    """The server's book of Slack accounts."""

    __slots__ = ("_attempts", "_bound", "_of_device", "reach")

    def __init__(self, reach: Reach) -> None:
        self.reach = reach
        self._bound: dict[tuple[str, str], SlackBindingRow] = {}
        self._of_device: dict[str, tuple[SlackBindingRow, ...]] = {}
        self._attempts: dict[str, SlackAttemptRow] = {}

    # -- who is bound ----------------------------------------------------------

    def device_of(self, team: str, person: str) -> str | None:
        """Whose device a message of this person goes to."""
        row = self._bound.get((team, person))
        return None if row is None else row.device

    def of_device(self, device: str) -> tuple[SlackBindingRow, ...]:
        """The bindings of a device, in order of making."""
        return self._of_device.get(device, ())

    def of_person(self, team: str, person: str) -> SlackBindingRow | None:
        return self._bound.get((team, person))

    def _put(self, row: SlackBindingRow) -> None:
        self._bound[row.team, row.person] = row
        self._of_device[row.device] = (*self.of_device(row.device), row)

    def _drop(self, row: SlackBindingRow) -> None:
        del self._bound[row.team, row.person]
        rest = tuple(one for one in self.of_device(row.device) if one is not row)
        self._of_device[row.device] = rest

    def read(self) -> None:
        """Read what is stored; the plan's accounts count where nothing is."""
        plan, store = self.reach.plan, self.reach.port.store
        stored = {(r.team, r.person): r for _, r in store.items("slack-binding/")}
        for host, lane in plan.channels.items():
            if lane in NEUTRAL_LANES:
                continue
            team = plan.team(host)
            for (on, person), device in plan.bindings.items():
                if on == lane and (team, person) not in stored:
                    row = SlackBindingRow(team, person, person, device, CONFIRMED)
                    self._put(row)
        for row in stored.values():
            if row.state == CONFIRMED:
                self._put(row)
        for _, attempt in store.items("slack-attempt/"):
            if all(r.link != attempt.link for r in self.of_device(attempt.device)):
                self._attempts[attempt.device] = attempt

    def adopt(self, lane: str, person: str, device: str) -> None:
        """The plan binds somebody to a device while the server runs; nothing is displaced."""
        team = self.reach.plan.team(self.reach.plan.channel(lane))
        if (team, person) not in self._bound and not self._has(device, team):
            self._put(SlackBindingRow(team, person, person, device, CONFIRMED))

    async def resume(self) -> None:
        """Watch the links that are still good, forget those that have done their work."""
        for key, attempt in self.reach.port.store.items("slack-attempt/"):
            if attempt.device not in self._attempts:
                await self.reach.actor.perform(Erase(key))
        for present in tuple(self._attempts.values()):
            await self._watch(present)

    # -- frames ----------------------------------------------------------------

    async def start(self, socket: Socket, body: BindStart) -> None:
        """``bind.start``: a fresh link; who opens it decides, not an e-mail (HK-88)."""
        assert socket.desk is not None
        multi = socket.agreed(HOOK_FEATURE_MULTI_TEAM)
        team = body.team_id if isinstance(body.team_id, str) else ""
        reach = self.reach
        expires_us = reach.port.now_us() + reach.plan.limits.sign_in_us
        state = SLACK_BINDING.step(SLACK_BINDING.initial, "start")
        device, link = socket.desk.device, new_secret(reach.port)
        attempt = SlackAttemptRow(device, link, team, multi, state, expires_us)
        self._attempts[device] = attempt
        await reach.actor.perform(Save(_attempt_key(device), attempt))
        if self._attempts.get(device) is attempt:
            await self._watch(attempt)
        if self._attempts.get(device) is attempt:
            await self._tell(device, _pending(attempt))

    async def revoke(self, socket: Socket, body: BindRevoke) -> None:
        """``bind.revoke``: one team, all, or only the sign-in under way (HK-92 … HK-94)."""
        assert socket.desk is not None
        device = socket.desk.device
        rules = self.reach.rules
        team = body.team_id if isinstance(body.team_id, str) else ""
        pending_only = body.pending_only is True and rules.pending_only
        voided = self._void(device, team)
        gone = [] if pending_only else [r for r in self.of_device(device) if team in ("", r.team)]
        if team and not rules.revoke_named_only and not pending_only:
            gone = list(self.of_device(device))
        for row in gone:
            self._drop(row)
        if voided:
            await self._forget(device)
        for row in gone:
            await self._save(row, "revoke")
        if voided and not gone and device not in self._attempts:
            await self._tell(device, _update("none", team_id=team or None))
        for row in gone:
            if not self._has(device, row.team):  # else it was bound again meanwhile
                await self._tell(device, _about(row, "revoked"))
        if gone:
            await self.push_state(device)

    def _has(self, device: str, team: str) -> bool:
        return any(row.team == team for row in self.of_device(device))

    async def _forget(self, device: str) -> None:
        """Nothing is under way there, unless a newer attempt has begun meanwhile."""
        if device not in self._attempts:
            await self.reach.actor.perform(Erase(_attempt_key(device)))
        if device not in self._attempts:
            await self.reach.actor.perform(StopTimer(TIMER, device))

    def _void(self, device: str, team: str) -> bool:
        attempt = self._attempts.get(device)
        if attempt is None or attempt.state != PENDING or team not in ("", attempt.team):
            return False
        SLACK_BINDING.step(attempt.state, "void")
        del self._attempts[device]
        return True

    # -- the sign-in page ------------------------------------------------------

    def knows(self, link: str) -> SlackAttemptRow | None:
        """The attempt that this link still stands for."""
        return next((a for a in self._attempts.values() if a.link == link), None)

    async def signed_in(self, event: SignedIn) -> None:
        """Somebody came back from the sign-in page. Each link works once, and not for long."""
        attempt = self.knows(event.link)
        if attempt is None:
            await self.reach.actor.perform(Note("sign-in-ignored", {"event": event.event}))
        elif self._is_late(attempt):
            await self.expire(attempt.device)
        elif event.declined:
            await self._finish(attempt, "decline", _update("denied", team_id=attempt.team or None))
        elif attempt.team and event.team != attempt.team:
            update = _update("failed", message=WRONG_TEAM_TEXT, team_id=attempt.team)
            await self._finish(attempt, "fail", update)
        elif event.team in self.reach.plan.uninstalled:
            update = _update(
                "failed",
                message=NOT_INSTALLED_TEXT,
                reason=BIND_FAIL_REASON_NOT_INSTALLED,
                install_url=install_url(event.team),
                team_id=event.team,
                team_name=event.team_name or None,
            )
            await self._finish(attempt, "fail", update)
        else:
            await self._confirm(attempt, event)

    def _is_late(self, attempt: SlackAttemptRow) -> bool:
        late = self.reach.port.now_us() > attempt.expires_us
        return late and self.reach.rules.links_expire

    async def _finish(self, attempt: SlackAttemptRow, trigger: str, update: BindUpdate) -> None:
        """An attempt is over without a binding."""
        SLACK_BINDING.step(attempt.state, trigger)
        del self._attempts[attempt.device]
        await self._forget(attempt.device)
        if attempt.device not in self._attempts:  # else its link has been told already
            await self._tell(attempt.device, update)

    async def _confirm(self, attempt: SlackAttemptRow, event: SignedIn) -> None:
        """The account is this device's now, and no longer another's (RC-85)."""
        state = SLACK_BINDING.step(attempt.state, "confirm")
        del self._attempts[attempt.device]
        team = event.team or self.reach.plan.team("")
        user = event.user or event.person
        row = SlackBindingRow(
            team, event.person, user, attempt.device, state,
            event.team_name or None, event.user_name or None, attempt.link,
        )  # fmt: skip
        displaced = self._displaced(attempt, row)
        for old in displaced:
            self._drop(old)
        self._put(row)
        perform = self.reach.actor.perform
        await perform(Save(_key(row), self._bound.get((team, row.person), row)))
        for old in displaced:
            if (old.team, old.person) != (row.team, row.person):
                await self._save(old, "supersede")
        await self._forget(attempt.device)
        for old in displaced:
            if old.device != row.device and not self._has(old.device, old.team):
                update = _about(old, "revoked", BIND_FAIL_REASON_SUPERSEDED)
                await self._tell(old.device, update)
                await self.push_state(old.device)
        if self._bound.get((row.team, row.person)) is row:
            await self._tell(row.device, _about(row, "confirmed"))
            await self.push_state(row.device)

    def _displaced(self, attempt: SlackAttemptRow, row: SlackBindingRow) -> list[SlackBindingRow]:
        """What gives way: the same account elsewhere, the team's other account here."""
        elsewhere = self._bound.get((row.team, row.person))
        gone = [] if elsewhere is None else [elsewhere]
        gone += [
            old
            for old in self.of_device(row.device)
            if old is not elsewhere and (old.team == row.team or not attempt.multi)
        ]
        return gone

    # -- time ------------------------------------------------------------------

    async def _watch(self, attempt: SlackAttemptRow) -> None:
        after = max(1, attempt.expires_us - self.reach.port.now_us())
        timer = StartTimer(TIMER, attempt.device, after, background=True)
        await self.reach.actor.perform(timer)

    async def expire(self, device: str) -> None:
        """The link of a device got too old."""
        attempt = self._attempts.get(device)
        if attempt is None or not self.reach.rules.links_expire:
            return
        if self.reach.port.now_us() < attempt.expires_us:
            return  # a newer one
        await self._finish(attempt, "expire", _update("expired", team_id=attempt.team or None))

    # -- what desktops are told ------------------------------------------------

    async def welcomed(self, socket: Socket) -> None:
        """Behind a welcome: how things stand now (HK-97, RC-89)."""
        assert socket.desk is not None
        device = socket.desk.device
        if socket.agreed(HOOK_FEATURE_MULTI_TEAM):
            await self.push_state(device)
        elif socket.hello.features is not ABSENT:  # older desktops are told nothing new (HK-31)
            rows = self.of_device(device)
            if rows:
                await self._tell(device, _about(rows[-1], "confirmed"))
            elif device not in self._attempts:
                await self._tell(device, _update("none"))
        attempt = self._attempts.get(device)
        if attempt is not None and socket.ready:
            await self._tell(device, _pending(attempt))

    async def push_state(self, device: str) -> None:
        """The authoritative list, where the device understands it."""
        socket = self.reach.socket(SLACK, device)
        if socket is None or not self.reach.rules.bind_state_pushed:
            return
        if socket.agreed(HOOK_FEATURE_MULTI_TEAM):
            await self.reach.say(socket, BindState(bindings=self._list(device)))

    def _list(self, device: str) -> tuple[SlackBinding, ...]:
        return tuple(
            SlackBinding(
                team_id=row.team,
                team_name=row.team_name,
                slack_user_id=row.user,
                slack_user_name=row.user_name,
            )
            for row in self.of_device(device)
        )

    async def _tell(self, device: str, update: BindUpdate) -> None:
        """Old desktops get the frame without the fields of several teams (HK-99)."""
        socket = self.reach.socket(SLACK, device)
        if socket is not None:
            shown: Any = update
            if not socket.agreed(HOOK_FEATURE_MULTI_TEAM):
                shown = attrs.evolve(shown, team_id=ABSENT)
            await self.reach.say(socket, shown)

    async def _save(self, row: SlackBindingRow, trigger: str) -> None:
        """A binding that ended stays on record, so that the plan's does not come back."""
        now = self._bound.get((row.team, row.person))
        if now is None:
            now = msgspec.structs.replace(row, state=SLACK_BINDING.step(row.state, trigger))
        await self.reach.actor.perform(Save(_key(row), now))


def _key(row: SlackBindingRow) -> str:
    return f"slack-binding/{row.team}/{row.person}"


def _attempt_key(device: str) -> str:
    return f"slack-attempt/{device}"


def _update(state: str, **fields: str | None) -> BindUpdate:
    linked = dict.fromkeys(("slack_user_id", "slack_user_name", "message"))
    return BindUpdate(state=state, **{**linked, **fields})


def _pending(attempt: SlackAttemptRow) -> BindUpdate:
    url = slack_url(attempt.link, attempt.team)
    return _update("pending", authorize_url=url, team_id=attempt.team or None)


def _about(row: SlackBindingRow, state: str, reason: str = "") -> BindUpdate:
    more = {"reason": reason} if reason else {}
    return _update(
        state,
        slack_user_id=row.user,
        slack_user_name=row.user_name,
        team_id=row.team,
        team_name=row.team_name,
        **more,
    )
