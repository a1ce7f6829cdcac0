"""Tools: in whose name they act, and for which workspace (§5 stages 12 and 13)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.channel.api import Say
from sim.core.event import (
    Acted,
    CallIssued,
    Event,
    FrameDelivered,
    FrameSent,
    HostStarted,
    Noted,
    Saved,
)
from sim.core.invariant import Handler
from sim.protocols.hook.acts import Login, Operate
from sim.protocols.hook.constants import HOOK_FEATURE_MULTI_TEAM
from sim.protocols.hook.oracles.oracle import HookInvariant
from sim.protocols.hook.view import HookView
from sim.protocols.hook.view_records import LinkView
from sim.wire.absent import ABSENT


class ToolsActAsTheirUser(HookInvariant):
    name = "tools-act-as-their-user"
    sentence = (
        "A tool acts as the user that is bound to the calling desktop, in the team that is named; "
        "where none is named among several it does nothing."
    )
    catalogue = ("HK-101", "HK-155")
    obeyed_by = "server"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._calls: dict[int, tuple[LinkView, str, int]] = {}
        # who has worked with a desktop, for bindings that a plan made
        self._known: dict[str, dict[str, None]] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameDelivered, "tool.request"): self._asked,
            (FrameSent, "bind.state"): self._listed,
            (FrameSent, "bind.update"): self._updated,
            (CallIssued, Say): self._acts,
        }

    def _listed(self, event: FrameSent) -> str | None:
        link, body = self.view.links.get(event.link), self.view.said
        if link is not None and body is not None:
            known = self._known.setdefault(link.device, {})
            known.update(dict.fromkeys(row.slack_user_id for row in body.bindings))
        return None

    def _updated(self, event: FrameSent) -> str | None:
        link, body = self.view.links.get(event.link), self.view.said
        if link is not None and body is not None and body.state == "confirmed":
            self._known.setdefault(link.device, {})[str(body.slack_user_id)] = None
        return None

    def _asked(self, event: FrameDelivered) -> str | None:
        link, body = self.view.links.get(event.link), self.view.arrived
        if link is not None and body is not None:
            team = body.team_id if isinstance(body.team_id, str) else ""
            teams = sum(1 for _ in self.view.accounts.of_device(link.device))
            self._calls[event.n] = (link, team if link.has(HOOK_FEATURE_MULTI_TEAM) else "", teams)
        return None

    def _acts(self, event: CallIssued) -> str | None:
        call = self._calls.get(event.cause)
        if call is None or event.caller != call[0].server:
            return None
        link, team, teams = call
        self.exercised += 1
        person = event.request.person
        rows = [b.row for b in self.view.accounts.slack.values() if b.row.person == person]
        mine = [row for row in rows if row.device == link.device and team in ("", row.team)]
        if not mine and person not in self._known.get(link.device, {}):
            return f"a tool of {link.client} acts as {person}, who is not bound to it"
        if not team and teams > 1:
            return f"a tool of {link.client} acts as {person}, though {teams} teams are bound"
        return None


class ToolsKeepToTheirTeam(HookInvariant):
    name = "tools-keep-to-their-team"
    sentence = "A tool that an agent calls is for the team that the agent's latest task came from."
    catalogue = ("HK-102",)
    obeyed_by = "desktop"

    def __init__(self, view: HookView) -> None:
        super().__init__(view)
        self._teams: dict[str, dict[str, str]] = {}
        self._latest: dict[str, str] = {}
        self._named: dict[str, bool] = {}
        self._other: dict[str, None] = {}

    def sorted_handlers(self) -> Mapping[tuple[type[Event], Any], Handler]:
        return {
            (FrameDelivered, "task.dispatch"): self._told,
            (Noted, "agent"): self._started,
            (Acted, Operate): self._operated,
            (Saved, dict): self._changed,
            (Acted, Login): self._left,
            (FrameSent, "tool.request"): self._called,
        }

    def _told(self, event: FrameDelivered) -> str | None:
        body = self.view.arrived
        if body is not None and body.source is not ABSENT and body.source is not None:
            team = body.source.team_id
            if isinstance(team, str):
                self._teams.setdefault(event.receiver, {})[body.request_id] = team
        return None

    def _started(self, event: Noted) -> str | None:
        data = event.data
        if data.get("did") == "start":
            team = self._teams.get(event.host, {}).get(data.get("request", ""), "")
            self._latest[event.host] = team
        return None

    def _left(self, event: Acted | HostStarted) -> str | None:
        self._latest.pop(event.host, None)
        return None

    def handlers(self) -> Mapping[type[Event], Handler]:
        return {HostStarted: self._left}

    def _changed(self, event: Saved) -> str | None:
        if event.key == "features":
            self._other[event.host] = None  # it is another version now, hello or not
        return None

    def _operated(self, event: Acted) -> str | None:
        if event.act.frame == "tool.request":
            self._named[event.host] = "teamId" in event.act.fields
        return None

    def _called(self, event: FrameSent) -> str | None:
        link, body = self.view.links.get(event.link), self.view.said
        team = self._latest.get(event.sender, "")
        if link is None or body is None or not team or self._named.get(event.sender):
            return None
        if event.sender in self._other:
            return None
        if HOOK_FEATURE_MULTI_TEAM not in link.told_features or (
            HOOK_FEATURE_MULTI_TEAM not in link.said_features
        ):
            return None
        self.exercised += 1
        if body.team_id == team:
            return None
        return f"{event.sender} calls a tool for {body.team_id}, but works for {team}"
