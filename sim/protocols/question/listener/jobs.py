"""Updates at work: side by side for different questions, in order for each (DQ-14)."""

from __future__ import annotations

from collections import deque

import attrs

from sim.protocols.question.listener.hold import Hold
from sim.protocols.question.listener.updates import CustomPressed, Press, Said, pressed
from sim.protocols.question.machine_updates import QUEUED, UPDATE


@attrs.define(eq=False)
class Job:
    """One update on its way through a listener.

    ``stamp`` (Unix ms) grows from update to update; ``began_ms`` is when its handling
    began, by which its age is judged (DQ-09). ``hold``: the entry, once it is claimed.
    """

    update: Press | Said
    stamp: int
    began_ms: int = -1
    hold: Hold | None = None
    state: str = UPDATE.initial

    def step(self, trigger: str) -> None:
        """Take a transition of :data:`UPDATE`. Raises LocalProtocolError."""
        self.state = UPDATE.step(self.state, trigger)

    @property
    def waits(self) -> bool:
        """Whether its turn is still to come."""
        return self.state == QUEUED

    @property
    def asks_to_type(self) -> bool:
        """Whether it is a press on a custom button."""
        update = self.update
        return isinstance(update, Press) and isinstance(pressed(update.data), CustomPressed)


class Lanes:
    """What waits, by lane; the first of each lane is being handled, or about to be."""

    __slots__ = ("_lanes",)

    def __init__(self) -> None:
        self._lanes: dict[str, deque[Job]] = {}

    def put(self, lane: str, job: Job) -> bool:
        """Queue a job. → whether nobody works on the lane, so that somebody has to begin.

        One that comes from another lane goes before what came after it (DQ-14), the first
        of the lane too where nobody has begun with that one yet.
        """
        queue = self._lanes.get(lane)
        if queue is None:
            self._lanes[lane] = deque([job])
            return True
        place = len(queue)
        first = 1 if queue and not queue[0].waits else 0
        while place > first and queue[place - 1].stamp > job.stamp:
            place -= 1
        queue.insert(place, job)
        return False

    def head(self, lane: str) -> Job | None:
        """The job to be handled now, None when the lane is through: who works on it has to
        stop, and the lane is forgotten."""
        queue = self._lanes.get(lane)
        if queue:
            return queue[0]
        self._lanes.pop(lane, None)
        return None

    def advance(self, lane: str) -> None:
        """The first job of a lane has ended, or moved. Its worker still owns
        the lane, whatever else it does before it looks again. Raises KeyError, IndexError."""
        self._lanes[lane].popleft()

    def is_busy(self, lane: str) -> bool:
        """Whether something of that lane is being handled or waits."""
        return bool(self._lanes.get(lane))

    def lane_before(self, said: Said, own: str, since: int = -1) -> str:
        """The lane of this person's last unfinished press on a custom button that came
        before the text, "" for none: until it ends nobody knows whose answer the text is.
        ``own`` does not count: the text's own lane, whose earlier jobs have ended; nor do
        presses before the update ``since``, by which a question waits already."""
        found = [
            (job.update.update_id, lane)
            for lane, queue in self._lanes.items()
            for job in queue
            if lane != own
            and job.asks_to_type
            and since < job.update.update_id < said.update_id
            and job.update.sender.id == said.sender.id
            and str(job.update.chat) == str(said.chat)
        ]
        return max(found, default=(0, ""))[1]
