"""Bindings of provider-neutral channels: Telegram and X (§5, provider-neutral).

A device has one attempt and one binding per channel; an account belongs to one
device. Snapshots are complete and are made when they are sent. Where a binding
and a newer attempt exist side by side, each is told in a snapshot of its own.
"""

from __future__ import annotations

from typing import Any

import msgspec

from sim.channel.api import SignedIn
from sim.core.op import Erase, Note, Save, StartTimer, StopTimer
from sim.protocols.hook.frames import ProviderBindCancel, ProviderBindRevoke, ProviderBindStart
from sim.protocols.hook.machine import AWAITING, CONFIRMED, PENDING, PROVIDER_BINDING
from sim.protocols.hook.server.accounts.features import NEUTRAL_LANES
from sim.protocols.hook.server.accounts.links import new_secret
from sim.protocols.hook.server.accounts.reach import Reach
from sim.protocols.hook.server.accounts.rows import ProviderAttemptRow, ProviderBindingRow
from sim.protocols.hook.server.accounts.snapshots import Snapshots
from sim.protocols.hook.server.memory import Socket

TIMER = "attempt"

Place = tuple[str, str]


class ProviderBindings:
    """The server's book of accounts on the provider-neutral channels."""

    __slots__ = (
        "_attempts", "_bound", "_of_device", "_of_person", "_of_principal", "_old_links", "reach",
        "show",
    )  # fmt: skip

    def __init__(self, reach: Reach) -> None:
        self.reach = reach
        self.show = Snapshots(reach.plan, reach.port)
        self._bound: dict[str, ProviderBindingRow] = {}
        self._of_device: dict[Place, ProviderBindingRow] = {}
        self._of_person: dict[Place, ProviderBindingRow] = {}
        self._of_principal: dict[Place, ProviderBindingRow] = {}
        self._attempts: dict[Place, ProviderAttemptRow] = {}
        self._old_links: dict[str, ProviderAttemptRow] | None = None

    # -- who is bound ----------------------------------------------------------

    def of_device(self, provider: str, device: str) -> ProviderBindingRow | None:
        return self._of_device.get((provider, device))

    def of_person(self, provider: str, person: str) -> ProviderBindingRow | None:
        return self._of_person.get((provider, person))

    def of_principal(self, provider: str, principal: str) -> ProviderBindingRow | None:
        """The confirmed binding of an account, as of now (HK-162)."""
        return self._of_principal.get((provider, principal))

    def confirmed(self, binding: str) -> ProviderBindingRow | None:
        """A binding, if it is (still) one."""
        return self._bound.get(binding)

    def _put(self, row: ProviderBindingRow) -> None:
        self._bound[row.binding] = row
        self._of_device[row.provider, row.device] = row
        self._of_person[row.provider, row.person] = row
        self._of_principal[row.provider, row.principal] = row

    def _drop(self, row: ProviderBindingRow) -> None:
        self._bound.pop(row.binding, None)
        self._of_device.pop((row.provider, row.device), None)
        self._of_person.pop((row.provider, row.person), None)
        self._of_principal.pop((row.provider, row.principal), None)

    def read(self) -> None:
        """Read what is stored; the plan's accounts count where nothing is."""
        plan, store = self.reach.plan, self.reach.port.store
        stored = {row.binding: row for _, row in store.items("provider-binding/")}
        for (lane, person), device in plan.bindings.items():
            if lane in NEUTRAL_LANES and _planned_id(lane, person) not in stored:
                self._put(self._planned(lane, person, device))
        for row in stored.values():
            if row.state == CONFIRMED:
                self._put(row)
        for _, attempt in store.items("provider-attempt/"):
            place = (attempt.provider, attempt.device)
            made = self._of_device.get(place)
            if made is None or made.link != attempt.link:
                self._attempts[place] = attempt

    def _planned(self, lane: str, person: str, device: str) -> ProviderBindingRow:
        return ProviderBindingRow(
            _planned_id(lane, person), lane, device, person, person, person,
            self.show.scope(""), CONFIRMED,
        )  # fmt: skip

    def adopt(self, lane: str, person: str, device: str) -> None:
        """The plan binds somebody to a device while the server runs; nothing is displaced."""
        if (lane, person) not in self._of_person and (lane, device) not in self._of_device:
            self._put(self._planned(lane, person, device))

    async def resume(self) -> None:
        """Watch the links that are still good, forget those that have done their work."""
        for key, attempt in self.reach.port.store.items("provider-attempt/"):
            if (attempt.provider, attempt.device) not in self._attempts:
                await self.reach.actor.perform(Erase(key))
        for present in tuple(self._attempts.values()):
            await self._watch(present)

    # -- frames ----------------------------------------------------------------

    async def start(self, socket: Socket, body: ProviderBindStart) -> None:
        """``provider.bind.start``: a new attempt; the one before it is dead (RC-87)."""
        assert socket.desk is not None
        reach, place = self.reach, (body.provider, socket.desk.device)
        scope = body.scope_id if isinstance(body.scope_id, str) else ""
        expires_us = reach.port.now_us() + reach.plan.limits.sign_in_us
        state = PROVIDER_BINDING.step(PROVIDER_BINDING.initial, "start")
        attempt = ProviderAttemptRow(
            reach.port.new_id(), *place, new_secret(reach.port), scope, state, expires_us
        )
        older = self._attempts.get(place)
        if older is not None:
            PROVIDER_BINDING.step(older.state, "supersede")
            if not reach.rules.newest_link_only:
                self._old_links = {**(self._old_links or {}), older.link: older}
        self._attempts[place] = attempt
        await reach.actor.perform(Save(_attempt_key(attempt), attempt))
        if self._attempts.get(place) is attempt:
            await self._watch(attempt)
        if self._attempts.get(place) is attempt:
            await reach.say(socket, self.show.attempt(attempt, body.request_id))

    async def cancel(self, socket: Socket, body: ProviderBindCancel) -> None:
        """``provider.bind.cancel``: that attempt and nothing else (HK-110, RC-88)."""
        assert socket.desk is not None
        place = (body.provider, socket.desk.device)
        attempt = self._attempts.get(place)
        if attempt is None or attempt.attempt != body.attempt_id:
            await self._answer_as_it_is(socket, place, body.request_id)
            return
        await self._finish(attempt, "cancel", "cancelled", body.request_id)
        made = self._of_device.get(place)
        if made is None:
            return
        if not self.reach.rules.cancel_keeps_binding:
            await self._end(made, "revoke", "cancelled", None)
        elif socket.ready:
            await self.reach.say(socket, self.show.binding(made, None))

    async def revoke(self, socket: Socket, body: ProviderBindRevoke) -> None:
        """``provider.bind.revoke``: that binding and nothing else (HK-111)."""
        assert socket.desk is not None
        place = (body.provider, socket.desk.device)
        row = self._of_device.get(place)
        named = row is not None and row.binding == body.binding_id
        if row is None or not (named or not self.reach.rules.revoke_named_only):
            await self._answer_as_it_is(socket, place, body.request_id)
            return
        await self._end(row, "revoke", "revoked", body.request_id)

    async def _answer_as_it_is(self, socket: Socket, place: Place, request: str) -> None:
        """A request about what is no longer so: the answer says what is (RC-88)."""
        await self.reach.say(socket, self._now(place, request))

    def _now(self, place: Place, reply_to: str | None, *, first: bool = False) -> Any:
        row, attempt = self._of_device.get(place), self._attempts.get(place)
        if row is not None:
            return self.show.binding(row, reply_to, first=first)
        if attempt is not None:
            return self.show.attempt(attempt, reply_to, first=first)
        return self.show.none(place[0], reply_to, first=first)

    # -- the account's side ----------------------------------------------------

    def knows(self, link: str) -> ProviderAttemptRow | None:
        """The attempt that this link still stands for."""
        for attempt in self._attempts.values():
            if attempt.link == link:
                return attempt
        return (self._old_links or {}).get(link)

    async def signed_in(self, event: SignedIn) -> None:
        """Somebody opened the link and agreed, or declined (HK-115)."""
        attempt = self.knows(event.link)
        if attempt is None:
            await self.reach.actor.perform(Note("sign-in-ignored", {"event": event.event}))
        elif self._is_late(attempt):
            await self.expire(f"{attempt.provider}/{attempt.device}")
        elif event.declined:
            await self._finish(attempt, "decline", "declined", None)
        else:
            await self._confirm(attempt, event)

    async def ask(self, link: str, person: str) -> bool:
        """The account opened the link and has to say yes in the chat: whether it may."""
        attempt = self.knows(link)
        if attempt is None or attempt.state != PENDING or self._is_late(attempt):
            return False
        state = PROVIDER_BINDING.step(attempt.state, "ask")
        asked = msgspec.structs.replace(attempt, state=state, asked=person)
        self._attempts[asked.provider, asked.device] = asked
        await self.reach.actor.perform(Save(_attempt_key(asked), asked))
        if self._attempts.get((asked.provider, asked.device)) is not asked:
            return False
        await self._tell(asked.provider, asked.device, self.show.attempt(asked, None))
        return True

    def awaited(self, person: str) -> str:
        """The link that this person has to say yes about, "" if there is none."""
        for attempt in self._attempts.values():
            if attempt.state == AWAITING and attempt.asked == person:
                return attempt.link
        return ""

    def _is_late(self, attempt: ProviderAttemptRow) -> bool:
        late = self.reach.port.now_us() > attempt.expires_us
        return late and self.reach.rules.links_expire

    async def _confirm(self, attempt: ProviderAttemptRow, event: SignedIn) -> None:
        """The account is this device's now; what stood in the way is superseded."""
        place = (attempt.provider, attempt.device)
        state = PROVIDER_BINDING.step(attempt.state, "confirm")
        principal = event.user or event.person
        mine, theirs = self._of_device.get(place), self._of_person.get((place[0], event.person))
        same = mine is not None and mine is theirs and mine.principal == principal
        binding = mine.binding if same and mine is not None else self.reach.port.new_id()
        row = ProviderBindingRow(
            binding, *place, event.person, principal, event.user_name or event.person,
            self.show.scope(attempt.scope), state, attempt.link,
        )  # fmt: skip
        old = dict.fromkeys(r for r in (mine, theirs) if r is not None and r.binding != binding)
        for gone in old:
            self._drop(gone)
        self._put(row)
        if self._attempts.get(place) is attempt:
            del self._attempts[place]
        perform = self.reach.actor.perform
        await perform(Save(_key(row), self._bound.get(binding, row)))
        for gone in old:
            await self._save_end(gone, "supersede")
        await self._forget(place)
        for gone in old:
            told = self.show.gone(gone, "superseded", "superseded", None)
            await self._tell(gone.provider, gone.device, told)
        if self._bound.get(binding) is row:
            await self._tell(*place, self.show.binding(row, None))

    async def _finish(
        self, attempt: ProviderAttemptRow, trigger: str, reason: str, reply_to: str | None
    ) -> None:
        """An attempt is over without a binding."""
        over = msgspec.structs.replace(attempt, state=PROVIDER_BINDING.step(attempt.state, trigger))
        place = (attempt.provider, attempt.device)
        if self._attempts.get(place) is attempt:
            del self._attempts[place]
        await self._forget(place)
        await self._tell(*place, self.show.over(over, reason, reply_to))

    async def _forget(self, place: Place) -> None:
        """Nothing is under way there, unless a newer attempt has begun meanwhile."""
        perform = self.reach.actor.perform
        if place not in self._attempts:
            await perform(Erase(f"provider-attempt/{place[0]}/{place[1]}"))
        if place not in self._attempts:
            await perform(StopTimer(TIMER, f"{place[0]}/{place[1]}"))

    async def _end(
        self, row: ProviderBindingRow, trigger: str, reason: str, reply_to: str | None
    ) -> None:
        self._drop(row)
        await self._save_end(row, trigger)
        state = "revoked" if trigger == "revoke" else "superseded"
        await self._tell(row.provider, row.device, self.show.gone(row, state, reason, reply_to))

    async def _save_end(self, row: ProviderBindingRow, trigger: str) -> None:
        """A binding that ended stays on record, so that the plan's does not come back."""
        state = PROVIDER_BINDING.step(row.state, trigger)
        await self.reach.actor.perform(Save(_key(row), msgspec.structs.replace(row, state=state)))

    # -- time ------------------------------------------------------------------

    async def _watch(self, attempt: ProviderAttemptRow) -> None:
        after = max(1, attempt.expires_us - self.reach.port.now_us())
        key = f"{attempt.provider}/{attempt.device}"
        await self.reach.actor.perform(StartTimer(TIMER, key, after, background=True))

    async def expire(self, key: str) -> None:
        """The link of a device got too old (HK-115)."""
        provider, _, device = key.partition("/")
        attempt = self._attempts.get((provider, device))
        if attempt is None or not self.reach.rules.links_expire:
            return
        if self.reach.port.now_us() >= attempt.expires_us:
            await self._finish(attempt, "expire", "expired", None)

    # -- what desktops are told ------------------------------------------------

    async def welcomed(self, socket: Socket) -> None:
        """Behind a welcome: the authoritative snapshot, made at this moment (RC-89)."""
        assert socket.desk is not None
        place = (socket.desk.lane, socket.desk.device)
        await self.reach.say(socket, self._now(place, None, first=True))
        attempt = self._attempts.get(place)
        if attempt is not None and place in self._of_device and socket.ready:
            await self.reach.say(socket, self.show.attempt(attempt, None))

    async def _tell(self, provider: str, device: str, body: Any) -> None:
        socket = self.reach.socket(provider, device)
        if socket is not None and self.can_use(socket, provider):
            await self.reach.say(socket, body)

    def can_use(self, socket: Socket, provider: str) -> bool:
        """Whether binding frames of this channel may pass here (HK-16, HK-17)."""
        assert socket.desk is not None
        if socket.desk.lane != provider:
            return False
        if not self.reach.rules.features_agreed:
            return True
        return f"provider:{provider}" in socket.offered and socket.agreed("provider-bind-v1")


def _planned_id(lane: str, person: str) -> str:
    """The bindingId of an account that the plan binds."""
    return f"{lane}-{person}"


def _key(row: ProviderBindingRow) -> str:
    return f"provider-binding/{row.binding}"


def _attempt_key(attempt: ProviderAttemptRow) -> str:
    return f"provider-attempt/{attempt.provider}/{attempt.device}"
