"""Slack accounts: links, bindings, several teams (§5 stages 5 and 13)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

from sim.core.event import Event, FrameDelivered, FrameSent, Noted, Saved
from sim.core.invariant import Handler
from sim.protocols.hook.constants import HOOK_FEATURE_MULTI_TEAM
from sim.protocols.hook.machine import CONFIRMED, REVOKED
from sim.protocols.hook.oracles.oracle import SECOND_US, HookInvariant
from sim.protocols.hook.server.accounts.rows import SlackAttemptRow, SlackBindingRow
from sim.protocols.hook.view import HookView
from sim.protocols.hook.view_accounts import BindingView
from sim.protocols.hook.view_records import LinkView
from sim.wire.absent import ABSENT

PATIENCE_US = 15 * SECOND_US


class OfSlack(HookInvariant):
    """Has the server's frames of one kind, and its rows, on Slack's connections."""

    obeyed_by = "server"


class LinksArePinned(OfSlack):
    name = "links-are-pinned"
    sentence = "A sign-in link is for the team that bind.start named, and for any if it named none."
    catalogue = ("HK-87", "HK-89")

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._wanted: dict[int, str] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameDelivered, "bind.start"): self._started,
            (Saved, SlackAttemptRow): self._stored,
            (FrameSent, "bind.update"): self._told,
        }

    def _started(self, event: FrameDelivered) -> str | None:
        body = self.view.arrived
        if body is not None:
            self._wanted[event.n] = body.team_id if isinstance(body.team_id, str) else ""
        return None

    def _stored(self, event: Saved) -> str | None:
        wanted = self._wanted.get(event.cause)
        self.exercised += 1
        if wanted is None or wanted == event.value.team:
            return None
        return f"a link for {wanted!r} was asked for, and made for {event.value.team!r}"

    def _told(self, event: FrameSent) -> str | None:
        body = self.view.said
        if body is None or body.state != "pending":
            return None
        query = parse_qs(urlsplit(str(body.authorize_url)).query)
        link = next(iter(query.get("state", ())), "")
        attempt = self.view.accounts.attempts.get(link)
        if attempt is None:
            return f"{event.sender} shows a link that it has not stored"
        team = next(iter(query.get("team", ())), "")
        if team == attempt.row.team:
            return None
        return f"{event.sender} shows a link for {team!r}, made for {attempt.row.team!r}"


class OldLinksBindNobody(HookInvariant):
    """On Slack and on the neutral channels."""

    name = "old-links-bind-nobody"
    sentence = (
        "Only the newest link of a desktop, opened in time and not voided, makes a binding; an "
        "e-mail address makes none."
    )
    catalogue = ("HK-88", "HK-94", "HK-113", "HK-115")
    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._made: dict[str, str] = {}

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        from sim.protocols.hook.server.accounts.rows import ProviderBindingRow

        return {(Saved, SlackBindingRow): self._saved, (Saved, ProviderBindingRow): self._saved}

    def _saved(self, event: Saved) -> str | None:
        row = event.value
        if row.state != CONFIRMED or self._made.get(event.key) == row.link:
            return None
        self._made[event.key] = row.link
        self.exercised += 1
        attempt = self.view.accounts.attempts.get(row.link)
        if attempt is None or attempt.used < 0:
            return f"{row.person} is bound to {row.device} without having opened a link"
        if 0 <= attempt.over < attempt.used:
            return f"{row.person} is bound to {row.device} by a link that was over before"
        if attempt.used_us > attempt.row.expires_us:
            return f"{row.person} is bound to {row.device} by a link that had expired"
        if attempt.row.device != row.device:
            return f"{row.person} is bound to {row.device} by a link of {attempt.row.device}"
        return None


class RevokeTakesWhatItNames(OfSlack):
    name = "revoke-takes-what-it-names"
    sentence = (
        "bind.revoke ends the binding of the team that it names, or all of this desktop; none of "
        "another desktop, and with pendingOnly none at all."
    )
    catalogue = ("HK-92", "HK-93", "HK-94")

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._asked: dict[int, tuple[str, str, bool]] = {}
        # by (device, team), "" for all: when it was to go, and in which life of the server
        self._due: list[tuple[str, str, int, int, int]] = []

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameDelivered, "bind.revoke"): self._revoked,
            (Saved, SlackBindingRow): self._saved,
        }

    def _revoked(self, event: FrameDelivered) -> str | None:
        link, body = self.view.links.get(event.link), self.view.arrived
        if link is None or body is None or event.receiver != link.server:
            return None
        self.exercised += 1
        team = body.team_id if isinstance(body.team_id, str) else ""
        only = body.pending_only is True
        self._asked[event.n] = (link.device, team, only)
        if not only and link.welcomes and link.lane not in ("telegram", "x"):
            epoch = self.view.hosts[link.server].epoch
            self._due.append((link.device, team, event.n, event.at, epoch))
        return None

    def _saved(self, event: Saved) -> str | None:
        asked = self._asked.get(event.cause)
        row = event.value
        if asked is None or row.state != REVOKED:
            return None
        device, team, only = asked
        if row.device != device:
            return f"a revoke of {device} takes {row.person} from {row.device}"
        if only:
            return f"giving up a sign-in takes {row.person}'s binding to {device}"
        if team and row.team != team:
            return f"a revoke of {team} takes {row.person}'s binding in {row.team}"
        return None

    def at_end(self) -> Iterator[str]:
        view = self.view
        for device, team, n, at, epoch in self._due:
            if view.now - at < PATIENCE_US or any(
                view.hosts[s].epoch != epoch for s in view.writers
            ):
                continue
            for binding in view.accounts.of_device(device):
                if binding.n < n and team in ("", binding.row.team):
                    yield f"{binding.row.person} is still bound to {device}, after a revoke"


class AddingATeamKeepsTheOthers(OfSlack):
    name = "adding-a-team-keeps-the-others"
    sentence = "With multi-team agreed, another workspace joins; without, it takes the place."
    catalogue = ("HK-99", "HK-100")

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._made: dict[int, SlackBindingRow] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(Saved, SlackBindingRow): self._saved}

    def _saved(self, event: Saved) -> str | None:
        row = event.value
        if row.state == CONFIRMED:
            self.exercised += 1
            self._made[event.cause] = row
            return None
        new = self._made.get(event.cause)
        if new is None or new.device != row.device or new.team == row.team:
            return None
        attempt = self.view.accounts.attempts.get(new.link)
        if attempt is None or not attempt.row.multi:
            return None
        return f"connecting {new.team} disconnects {row.team} from {row.device}"

    def at_end(self) -> Iterator[str]:
        """One team has one account on a desktop."""
        seen: dict[tuple[str, str], str] = {}
        for binding in self.view.accounts.slack.values():
            row = binding.row
            if not binding.is_confirmed or self.view.now - binding.at < PATIENCE_US:
                continue
            other = seen.setdefault((row.device, row.team), row.person)
            if other != row.person:
                yield f"{other} and {row.person} of {row.team} are both bound to {row.device}"


class BindStateIsPushed(OfSlack):
    """What the desktop was told last is what is stored."""

    name = "bind-state-is-pushed"
    sentence = "After each welcome and each change a desktop gets the whole list of its accounts."
    from_frames = True
    catalogue = ("HK-92", "HK-93", "HK-96", "HK-97", "HK-100")

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._told: dict[str, tuple[int, tuple[tuple[str, str], ...]]] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, "bind.state"): self._sent}

    def _sent(self, event: FrameSent) -> str | None:
        body = self.view.said
        if body is not None:
            rows = tuple([(row.team_id, row.slack_user_id) for row in body.bindings])
            self._told[event.link] = (event.n, rows)
            self.view.links.forget_over(self._told)
        return None

    def at_end(self) -> Iterator[str]:
        accounts: dict[tuple[str, str], list[BindingView]] = {}
        for binding in self.view.accounts.slack.values():
            accounts.setdefault((binding.row.team, binding.row.user), []).append(binding)
        for link in self.view.links.values():
            if not link.server_open or not link.has(HOOK_FEATURE_MULTI_TEAM) or not link.welcomes:
                continue
            if self.view.now - link.welcomed_us < PATIENCE_US or link.greeted is not link.hello:
                continue
            self.exercised += 1
            told = self._told.get(link.name)
            if told is None or told[0] < link.welcome_n:
                yield f"{link.client} was never told who is bound to it on {link.name}"
                continue
            named = [binding for account in told[1] for binding in accounts.get(account, ())]
            yield from self._compare(link, told[1], named)

    def _compare(
        self, link: LinkView, told: tuple[tuple[str, str], ...], named: list[BindingView]
    ) -> Iterator[str]:
        mine_now = list(self.view.accounts.of_device(link.device))
        for binding in (*mine_now, *(one for one in named if one not in mine_now)):
            row = binding.row
            mine = binding.is_confirmed and row.device == link.device
            if self.view.now - binding.at < PATIENCE_US or ((row.team, row.user) in told) is mine:
                continue
            still = "is not told of" if mine else "is still told of"
            yield f"{link.client} {still} {row.user} in {row.team}"


class UpdatesNameTheirTeam(OfSlack):
    name = "updates-name-their-team"
    sentence = (
        "With multi-team agreed, confirmed and revoked say which team; without, no frame does."
    )
    from_frames = True
    catalogue = ("HK-31", "HK-90", "HK-99")

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {(FrameSent, "bind.update"): self._told, (FrameSent, "prefs.state"): self._prefs}

    def _told(self, event: FrameSent) -> str | None:
        link, body = self.view.links.get(event.link), self.view.said
        if link is None or body is None or link.greeted is not link.hello:
            return None
        self.exercised += 1
        named = isinstance(body.team_id, str) and bool(body.team_id)
        if link.has(HOOK_FEATURE_MULTI_TEAM):
            if named or body.state not in ("confirmed", "revoked"):
                return None
            return f"{event.sender} says {body.state} without the team"
        if body.team_id is ABSENT:
            return None
        return f"{event.sender} names a team to {link.client}, which knows but one binding"

    def _prefs(self, event: FrameSent) -> str | None:
        link, body = self.view.links.get(event.link), self.view.said
        if link is None or body is None or link.greeted is not link.hello:
            return None
        multi = link.has(HOOK_FEATURE_MULTI_TEAM)
        if all((row.team_id is not ABSENT) is multi for row in body.prefs):
            return None
        return f"{event.sender} tells preferences {'without' if multi else 'with'} their teams"


class ConfirmedMeansBound(OfSlack):
    name = "confirmed-means-bound"
    sentence = "confirmed names an account that is stored as this desktop's."
    catalogue = ("HK-89", "HK-116")

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameSent, "bind.update"): self._slack,
            (FrameSent, "provider.bind.update"): self._neutral,
            (FrameSent, "provider.bind.state"): self._neutral,
        }

    def _slack(self, event: FrameSent) -> str | None:
        link, body = self.view.links.get(event.link), self.view.said
        if link is None or body is None or body.state != "confirmed":
            return None
        self.exercised += 1
        known = [
            b.row for b in self.view.accounts.slack.values() if b.row.user == body.slack_user_id
        ]
        rows = [r for r in known if body.team_id in (ABSENT, None, r.team)]
        if not rows or any(r.state == CONFIRMED and r.device == link.device for r in rows):
            return None
        return f"{event.sender} calls {body.slack_user_id} bound to {link.client}, who is not"

    def _neutral(self, event: FrameSent) -> str | None:
        link, body = self.view.links.get(event.link), self.view.said
        if link is None or body is None or body.state != "confirmed":
            return None
        self.exercised += 1
        binding = self.view.accounts.neutral.get(body.binding_id)
        if binding is None or (binding.is_confirmed and binding.row.device == link.device):
            return None
        return f"{event.sender} calls {body.binding_id} bound to {link.client}; it is not"


class BindingsAreShownWhole(HookInvariant):
    name = "bindings-are-shown-whole"
    sentence = "The desktop's list of workspaces is the last bind.state, and no more."
    catalogue = ("HK-96",)
    obeyed_by = "desktop"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._told: dict[int, tuple[str, ...]] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameDelivered, "bind.state"): self._listed,
            (Noted, "shown"): self._shown,
        }

    def _listed(self, event: FrameDelivered) -> str | None:
        if self.view.arrived is not None:
            self._told[event.n] = tuple(row.team_id for row in self.view.arrived.bindings)
        return None

    def _shown(self, event: Noted) -> str | None:
        told = self._told.get(event.cause)
        if told is None or event.data.get("what") != "bindings":
            return None
        self.exercised += 1
        shown = tuple(event.data["teams"])
        if sorted(shown) == sorted(told):
            return None
        return f"{event.host} lists {shown}, but was told {told}"
