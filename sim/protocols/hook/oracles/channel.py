"""What people find in the channel when everything has come to rest."""

from __future__ import annotations

from collections.abc import Iterator

from sim.channel.api import INTERRUPTED, QUEUED, REJECTED, WORKING
from sim.channel.history import ShownMessage
from sim.protocols.hook.machine import ENDED, OPEN, TORN
from sim.protocols.hook.oracles.oracle import HookInvariant, cut_of, final_of, shown
from sim.protocols.hook.oracles.waiting import is_waiting, looked_for_us
from sim.protocols.hook.view_records import RequestView, RoundView


class AtRest(HookInvariant):
    """Looks at each request's message at the end of the run."""

    obeyed_by = "server"

    def at_end(self) -> Iterator[str]:
        for root in self.view.requests.values():
            if root.stored is None:
                continue
            text = self.judge(root, self._message(root))
            if text is not None:
                yield text

    def _message(self, root: RequestView) -> ShownMessage | None:
        """The message that the server knows of; others of this request it has given up."""
        known = self.view.history.get(root.channel, root.care.message)
        return known or self.view.history.about(root.request)

    def is_lost(self, root: RequestView) -> bool:
        """Whether the server cannot reach the message any more."""
        row = root.stored
        given_up = row is not None and row.posts > 1 and not row.message
        return root.care.gone or root.care.lost or given_up

    def judge(self, root: RequestView, message: ShownMessage | None) -> str | None:
        """What is wrong with this message, or with there being none."""
        raise NotImplementedError


class ShowsFinalState(AtRest):
    """The end that counted is what people read in the end."""

    name = "shows-final-state"
    sentence = "In the end each message shows the end of its request, or of its newest round."
    catalogue = ("HK-03", "HK-69", "HK-170", "HK-179", "HK-187")

    def judge(self, root: RequestView, message: ShownMessage | None) -> str | None:
        owner = root.owner or root
        final = final_of(owner)
        if final is None or message is None or message.deleted:
            return None
        if isinstance(owner, RoundView) and (owner.stored is None or owner.state != ENDED):
            return None
        self.exercised += 1
        if message.state == final[0] and cut_of(message.text, final[1]):
            return None
        if self.is_lost(root) or is_waiting(self.view, root.care, owner.ended_us):
            return None
        if (
            root.lane == "x"
            and message.state == REJECTED
            and message.versions[0].at < root.ended_us
        ):
            # The one post was spent when the end came: its desktop had refused the task in
            # all the answers that it gave, and for as long as one waits for a desktop.
            return None
        return (
            f"the message of {root.request} shows {message.state} {shown(message.text)}, but "
            f"{owner.request} ended {final[0]} {shown(final[1])}"
        )


class TornRoundsAreClosedOut(AtRest):
    """No message says "running" when nobody works on it."""

    name = "torn-rounds-are-closed-out"
    sentence = (
        "When the connection of an open round is gone, its message is put back to an end: the old "
        "one, or INTERRUPTED."
    )
    catalogue = ("HK-184", "HK-199")

    def judge(self, root: RequestView, message: ShownMessage | None) -> str | None:
        owner = root.owner
        if owner is None or owner.state != TORN or owner.stored is None:
            return None
        if message is None or message.deleted or self.is_lost(root):
            return None
        self.exercised += 1
        if message.state not in (WORKING, QUEUED):
            return None
        if is_waiting(self.view, root.care, owner.ended_us):
            return None
        return (
            f"the message of {root.request} shows {message.state} for ever: round "
            f"{owner.request} was torn down at step {owner.ended_at}"
        )


class ReopenedShowsWork(AtRest):
    name = "reopened-shows-work"
    sentence = "A message whose round is open shows that somebody works on it."
    catalogue = ("HK-179",)

    def judge(self, root: RequestView, message: ShownMessage | None) -> str | None:
        owner = root.owner
        if owner is None or owner.state != OPEN or owner.stored is None:
            return None
        if message is None or message.deleted or self.is_lost(root):
            return None
        self.exercised += 1
        if message.state == WORKING or is_waiting(self.view, root.care, owner.at):
            return None
        return f"{root.request} is reopened by {owner.request}, but shows {message.state}"


class RequestsAreShown(AtRest):
    name = "requests-are-shown"
    sentence = "A request has a message in its thread."
    catalogue = ("HK-69",)

    def judge(self, root: RequestView, message: ShownMessage | None) -> str | None:
        self.exercised += 1
        row = root.stored
        if message is not None or row is None or root.care.unsure or root.care.posts:
            return None
        if row.lane == "x" and (row.written or not root.ended):
            return None  # there the answer is all that is posted, if it can be
        if row.posts > 1:
            return None  # as far as the server knows, two may have happened
        if row.posts and self.view.now < self._doubted_since(root) + looked_for_us(row.lane):
            return None  # one may have happened before a crash: it is being looked for
        if is_waiting(self.view, root.care, row.created_us):
            return None
        open_round = root.owner is not None and root.owner.state == OPEN
        if (open_round or not root.ended) and self._crashed_since(row.created_us):
            return None  # after a crash nobody knows whether it was posted; the end will be
        return f"{root.request} has no message in {row.chat}"

    def _crashed_since(self, at: int) -> bool:
        return any(self.view.hosts[server].since > at for server in self.view.writers)

    def _doubted_since(self, root: RequestView) -> int:
        return max([root.ended_us, *(self.view.hosts[s].since for s in self.view.writers)])


class LateEndsWin(AtRest):
    name = "late-ends-win"
    sentence = "An INTERRUPTED that was written for want of an end gives way to that end."
    catalogue = ("HK-69",)

    def judge(self, root: RequestView, message: ShownMessage | None) -> str | None:
        if message is None or message.deleted or root.owner is not None or self.is_lost(root):
            return None
        if not any(version.state == INTERRUPTED for version in message.versions):
            return None
        self.exercised += 1
        if final_of(root) is None or message.state != INTERRUPTED:
            return None
        if is_waiting(self.view, root.care, root.ended_us):
            return None
        return f"{root.request} ended {root.ended}, but shows INTERRUPTED"
