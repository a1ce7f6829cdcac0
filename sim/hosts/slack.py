"""Slack: workspaces with channels, direct chats and threads.

Edits of deleted messages are ``message_not_found``, an identical edit is fine,
texts have a limit, a bot may edit its own messages only. A person's first
message in a channel is the root of a thread, in a direct chat it is not.

One host may stand for several workspaces (teams): the chats of the first are
called ``C1`` or ``D1``, those of another carry its id, ``T2.C1``. A person has
another user id in each.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from sim.channel.api import Authorize, Done, EditMessage, PostMessage, SignedIn, is_direct
from sim.channel.pace import Pace
from sim.core.actor import Port
from sim.hosts.channel import Channel
from sim.hosts.messages import Message

TEXT_LIMIT = 4_000


class Slack(Channel):
    """Slack workspaces.

    ``team`` is the first workspace's id, ``teams`` are the ids of the others. A
    chat whose name starts with ``D`` is a direct chat.
    """

    __slots__ = ("team", "teams")

    PREFIX: ClassVar[str] = "m"

    def __init__(
        self,
        port: Port,
        server: str,
        team: str = "T1",
        chat: str = "C1",
        people: Iterable[str] = (),
        pace: Pace | None = None,
        teams: Iterable[str] = (),
    ) -> None:
        super().__init__(port, server, chat, people, pace)
        self.team = team
        self.teams = (team, *teams)

    def why_no_post(self, request: PostMessage) -> str:
        team, dot, _ = request.chat.rpartition(".")
        if dot and team not in self.teams:
            return "chat_not_found"
        return "too_long" if len(request.text) > TEXT_LIMIT else ""

    def why_no_edit(self, request: EditMessage, message: Message) -> str:
        return "too_long" if len(request.text) > TEXT_LIMIT else ""

    def team_of(self, chat: str) -> str:
        return chat.rpartition(".")[0] or self.team

    def user_of(self, person: str, team: str | None) -> str:
        user = f"U{self.accounts.of(person).number}"
        return user if team in (None, self.team) else f"{user}{team}"

    def chat_name(self, chat: str) -> str:
        return "" if is_direct(chat) else f"#{chat.rpartition('.')[2]}"

    async def sign_in(self, act: Authorize) -> Done:
        """The person chooses a workspace on the page."""
        team = act.team or self.team
        event = SignedIn(
            self.next_event(), act.link, act.person, team, f"Team {team}",
            self.user_of(act.person, team), self.accounts.of(act.person).handle or act.person,
        )  # fmt: skip
        await self.tell(event, "")
        return Done()
