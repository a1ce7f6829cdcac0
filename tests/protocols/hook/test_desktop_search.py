"""Desktop twin under any order of steps: what must hold between any two ops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sim.core.entropy import Stream
from sim.core.event import Acted, FrameSent
from sim.protocols.hook import InteractionDecision, SessionArchive, TaskCancel, parse_hook_message
from sim.protocols.hook.acts import (
    AgentAsks,
    AgentEnds,
    AgentProgresses,
    AnswerCard,
    ChangeWorkspaces,
    Login,
    Retry,
    TypeText,
)
from sim.world.fault import crash, cut
from tests.protocols.hook.desktop_play import Play, dispatched

ABOUT_TURNS = ("turn.", "interaction.")


class Storm:
    """A run in which everything that can happen may happen next."""

    steps = 220

    def __init__(self, seed: int, **config: Any) -> None:
        self.draw = Stream(seed, "storm")
        self.play = Play(start=False, **config)
        self.world = self.play.world
        self.world.preempt = True
        self.world.boot("S")
        self.world.boot("D")
        self.tasks = 0

    def pick(self, options: Any) -> Any:
        options = list(options)
        return options[self.draw.between(0, len(options) - 1)]

    def run(self) -> None:
        for _ in range(self.steps):
            if self.draw.between(0, 5) == 0:
                self.disturb()
            choices = self.world.enabled()
            if choices:
                # mostly what is due, now and then anything
                near = choices[:3] if self.draw.between(0, 3) else choices
                self.world.apply(self.pick(near))
        self.calm_down()

    def calm_down(self) -> None:
        """The storm is over: everything heals, and every agent comes to an end."""
        self.world.preempt = False
        if not self.world.hosts["S"].up:
            self.world.boot("S")
        self.play.pass_time(100)
        for _ in range(self.tasks + 3):
            for n in range(self.tasks):
                self.play.do(AgentEnds(text="at last", request=f"R{n}"), 0)
            self.play.do(AgentEnds(text="at last"), 5)

    def disturb(self) -> None:
        kind = self.draw.between(0, 30)
        if kind < 12:
            self.world.act("D", self.act())
        elif kind < 26:
            self.server_speaks()
        elif kind == 26:
            crash(self.world, "D")
            self.world.boot("D")
        elif kind == 27:
            if self.world.hosts["S"].up:
                crash(self.world, "S")
            self.world.boot("S")
        elif self.world.links:
            link = self.pick(self.world.links.values())
            cut(self.world, link, self.pick(("fin", "rst")))

    def act(self) -> Any:
        request = self.pick(["", "", "", *(f"R{n}" for n in range(self.tasks))])
        return self.pick(
            [
                AgentProgresses(f"p{self.world.next_n()}", request),
                AgentAsks(request=request),
                AgentEnds(text="ok", request=request),
                AgentEnds(status="error", error="boom", request=request),
                AgentEnds(status="error", error="boom"),
                Retry(),
                Retry(),
                TypeText("private"),
                AnswerCard("perm:allow"),
                ChangeWorkspaces(self.pick(((), ("web",)))),
                *([Login(self.pick("ab"))] if self.draw.between(0, 4) == 0 else []),
            ]
        )

    def server_speaks(self) -> None:
        conns = [c for c in self.play.sockets if c.is_open]
        if not conns:
            return
        bodies: list[Any] = []
        if self.draw.between(0, 1):
            bodies.append(dispatched(f"R{self.tasks}", key=self.pick("kl")))
            self.tasks += 1
        elif self.tasks:
            n = self.draw.between(0, self.tasks - 1)
            bodies.append(dispatched(f"R{n}", key="k"))
        ids = [b.request_id for b in self.play.frames("turn.reopen")] + ["R0", "R1", "R2"]
        bodies.append(TaskCancel(request_id=self.pick(ids)))
        bodies.append(SessionArchive(external_key="l"))
        cards = self.play.frames("interaction.request")
        if cards:
            card = self.pick(cards)
            bodies.append(
                InteractionDecision(
                    request_id=card.request_id,
                    interaction_id=card.interaction_id,
                    button_id="perm:deny",
                )
            )
        self.world.act("S", (conns[-1], self.pick(bodies)))


def sent(storm: Storm) -> Iterator[tuple[str, Any]]:
    """What the desktop wrote; a login stands as a line of its own."""
    for event in storm.world.events:
        if isinstance(event, FrameSent) and event.sender == "D":
            yield event.link, event.frame.body
        elif isinstance(event, Acted) and isinstance(event.act, Login):
            yield "", event.act


def judge(storm: Storm) -> None:
    """The wire as the server could see it."""
    greeted: set[str] = set()
    ended: dict[str, Any] = {}
    rounds: dict[str, str] = {}
    for link, body in sent(storm):
        if not link:
            ended.clear()  # another account knows nothing of these
            continue
        if link not in greeted:
            assert body.TYPE == "hello", "hello comes first"
            greeted.add(link)
        request = getattr(body, "request_id", "")
        if request and not request.startswith("R") and body.TYPE.startswith(ABOUT_TURNS):
            judge_round(link, body, rounds, ended)
        if body.TYPE in ("turn.progress", "interaction.request", "interaction.cancel"):
            assert request not in ended, "nothing follows the end"
        elif body.TYPE == "turn.end":
            before = ended.setdefault(request, body)
            assert before.final_text == body.final_text, "an end that is repeated is the same"
            assert before.status == body.status


def judge_round(link: str, body: Any, rounds: dict[str, str], ended: dict[str, Any]) -> None:
    """A continuation: reopen first, once, on one socket, one end, no cards."""
    id = body.request_id
    if body.TYPE == "turn.reopen":
        assert id not in rounds, "a reopen is never repeated"
        rounds[id] = link
    assert body.TYPE in ("turn.reopen", "turn.progress", "turn.end")
    assert rounds[id] == link, "the round lives on one socket"
    assert id not in ended, "a round ends once"


def judge_rest(storm: Storm) -> None:
    """Nothing is stuck: all turns are over, and what could be handed in has been."""
    work = storm.play.desktop().work
    assert not work.tasks
    assert not work.turns
    assert not work.rounds
    assert not work.locating
    assert not work.cards
    assert not work.throttled
    assert not work.handing
    for session in work.sessions.values():
        assert session.running is None
        assert not session.queue
    assert all(work.ledger.values()), "every end has been written"
    for lane in storm.play.desktop().lanes.values():
        assert not lane.buffer
    host = storm.play.host
    assert not host.locks
    assert not host.waiting


@pytest.mark.parametrize("block", range(8))
def test_no_order_of_steps_breaks_the_wire(block: int) -> None:
    for seed in range(block * 25, block * 25 + 25):
        storm = Storm(seed)
        storm.run()
        judge(storm)
        judge_rest(storm)


def test_every_frame_that_was_sent_passes_the_parser() -> None:
    for seed in range(30):
        storm = Storm(seed)
        storm.run()
        for event in storm.world.events:
            if isinstance(event, FrameSent) and event.sender == "D":
                verdict = parse_hook_message(event.frame.wire)
                assert verdict.ok, verdict.error
