"""What settings add to a dispatch: its options, and where it comes from."""

from __future__ import annotations

from typing import Any

from sim.protocols.hook.constants import HOOK_FEATURE_MULTI_TEAM
from sim.protocols.hook.frames import TaskOptions, TaskSource
from sim.protocols.hook.server.accounts.features import NEUTRAL_LANES
from sim.protocols.hook.server.accounts.provider_prefs import ProviderPrefs
from sim.protocols.hook.server.accounts.rows import PrefRow
from sim.protocols.hook.server.accounts.slack_prefs import NOTHING_SET, SlackPrefs
from sim.protocols.hook.server.memory import Socket
from sim.protocols.hook.server.tasks import Task
from sim.wire.absent import ABSENT, Absent


class Briefing:
    """Reads the books when a task is dispatched."""

    __slots__ = ("provider_prefs", "slack_prefs")

    def __init__(self, slack_prefs: SlackPrefs, provider_prefs: ProviderPrefs) -> None:
        self.slack_prefs = slack_prefs
        self.provider_prefs = provider_prefs

    def options(self, task: Task, workspace: str) -> TaskOptions | Absent:
        """What the person prefers in this folder; absent where nothing was set."""
        row = self._row(task, workspace)
        if row is NOTHING_SET:
            return ABSENT
        return TaskOptions(
            model=row.model,
            permission_mode=row.permission_mode,
            agent_kind=row.agent_kind,
            effort=row.effort,
        )

    def _row(self, task: Task, workspace: str) -> PrefRow:
        lane, person = task.conversation.lane, task.person
        if lane in NEUTRAL_LANES:
            account = self.provider_prefs.bindings.of_person(lane, person)
            if account is None:
                return NOTHING_SET
            return self.provider_prefs.of(account, workspace)
        team = task.conversation.team
        binding = self.slack_prefs.bindings.of_person(team, person)
        return (
            NOTHING_SET if binding is None else self.slack_prefs.of(team, binding.user, workspace)
        )

    def source(self, task: Task, socket: Socket) -> TaskSource:
        """Where in the channel the task was asked for (HK-102, HK-165)."""
        lane = task.conversation
        more: dict[str, Any] = {}
        if lane.team and socket.agreed(HOOK_FEATURE_MULTI_TEAM):
            binding = self.slack_prefs.bindings.of_person(lane.team, task.person)
            more["team_id"] = lane.team
            if binding is not None and binding.team_name:
                more["team_name"] = binding.team_name
        if task.trigger and lane.lane == "telegram":
            more["trigger_message_id"] = task.trigger
        return TaskSource(im=lane.lane, channel_name=lane.chat, user_text=task.prompt, **more)
