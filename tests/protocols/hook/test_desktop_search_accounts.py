"""Desktop twin on three channels, under any order of steps: accounts, settings, receipts."""

from __future__ import annotations

from typing import Any

import pytest

from sim.core.event import FrameSent
from sim.protocols.hook import (
    BindUpdate,
    PrefsState,
    TaskSource,
    ToolResponse,
    TurnDelivery,
    Welcome,
    parse_hook_message,
)
from sim.protocols.hook.acts import AgentEnds, Login, Operate, Toggle
from sim.protocols.hook.desktop.operate import OPERATIONS
from tests.protocols.hook.desktop_play import dispatched
from tests.protocols.hook.test_desktop_bindings import confirmed, gone, pending, snapshot, teams
from tests.protocols.hook.test_desktop_groups import said
from tests.protocols.hook.test_desktop_search import Storm, judge
from tests.protocols.hook.test_desktop_settings import behaviour, provider_prefs

FEATURES = (
    "provider-bind-v1",
    "provider-prefs-v1",
    "session-picker-v1",
    "provider:telegram",
    "provider:x",
    "provider-behavior-v1",
    "group-relay-v1",
    "group-relay-recipient-v1",
    "turn-delivery-v1",
    "turn-reopen-v1",
    "multi-team",
    "slack-tools",
    "lifecycle-announcement-v1",
)
FIELDS: dict[str, tuple[dict[str, Any], ...]] = {
    "prefs.set": ({"workspace": "web", "model": "a"}, {"workspace": "web", "model": None}),
    "provider.prefs.set": ({"workspace": "web", "model": "a"}, {"workspace": "/x"}),
    "provider.behavior.set": ({}, {"emojiReactions": "off"}),
    "bind.revoke": ({}, {"teamId": "T1"}, {"pendingOnly": True}),
}


class AccountStorm(Storm):
    """Like its kin, on three lanes, with all that people do about accounts."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed, lanes=("slack", "telegram", "x"), features=FEATURES)
        self.play.pongs = True

    steps = 1_200

    def disturb(self) -> None:
        """Mostly talk; what breaks is rare, so that there is something to break."""
        kind = self.draw.between(0, 40)
        if kind < 18:
            self.world.act("D", self.act())
        elif kind < 40:
            self.server_speaks()
        else:
            super().disturb()

    def act(self) -> Any:
        kind = self.draw.between(0, 29)
        if kind == 0:
            return Toggle(self.pick((True, False)), self.pick(("slack", "telegram", "x")))
        if kind == 1 and self.draw.between(0, 4) == 0:
            return Login(self.pick("ab"))
        if kind < 12:
            return super().act()
        frame = self.pick(OPERATIONS)
        fields = dict(self.pick(FIELDS.get(frame, ({},))))
        if frame.startswith("provider.") and "behavior" not in frame:
            fields["provider"] = self.pick(("telegram", "x"))
        return Operate(frame, fields)

    def server_speaks(self) -> None:
        conns = [c for c in self.play.sockets if c.is_open]
        if not conns:
            return
        conn = self.pick(conns)
        if self.draw.between(0, 3) == 0:
            task = dispatched(
                f"R{self.tasks}",
                key=f"{conn.lane}{self.pick('kl')}",
                source=TaskSource(im=conn.lane),
            )
            self.tasks += 1
            self.world.act("S", (conn, task))
            return
        self.world.act("S", (conn, self.pick(self.words())))

    def words(self) -> list[Any]:
        asked = [getattr(b, "request_id", None) for b in self.play.frames()[-20:]]
        to = self.pick([None, *[id for id in asked if id]])
        request = f"R{self.draw.between(0, max(0, self.tasks - 1))}"
        features = tuple(f for f in FEATURES if self.draw.between(0, 4))
        nobody: dict[str, Any] = {"slack_user_name": None, "message": "m"}
        return [
            pending("a1", to),
            pending("a2", None),
            confirmed("b1", pushed=bool(self.draw.between(0, 1))),
            confirmed("b2", reply_to=to),
            gone("superseded", "b1"),
            snapshot("none", reply_to=to),
            teams(),
            teams("T1"),
            BindUpdate(state="pending", slack_user_id=None, authorize_url="https://s", **nobody),
            BindUpdate(state="none", slack_user_id=None, **nobody),
            PrefsState(reply_to=to, bound=True, prefs=()),
            provider_prefs(to, self.pick(("b1", "b2"))),
            behaviour(to, self.pick(("b1", "b2"))),
            said(str(self.draw.between(0, 9)), binding=self.pick(("b1", "b2"))),
            ToolResponse(reply_to=to or "t", ok=True),
            TurnDelivery(
                request_id=request, state="accepted", attempt=0, retry_at=None, error=None
            ),
            Welcome(server_name="S", features=features),
        ]

    def calm_down(self) -> None:
        self.play.features = tuple(f for f in FEATURES if f != "turn-delivery-v1")
        self.world.preempt = False
        for lane in ("slack", "telegram", "x"):
            self.play.do(Toggle(False, lane))
            self.play.do(Toggle(True, lane), 3)
        super().calm_down()
        self.play.do(AgentEnds(text="at last"), 70)


def judge_rest(storm: AccountStorm) -> None:
    """Nothing is stuck: no request, no mutation, no end without a receipt."""
    desk = storm.play.desktop()
    work = desk.work
    assert not work.asked
    assert not work.tasks
    assert not work.turns
    for lane in desk.lanes.values():
        assert not lane.is_off
        assert not lane.buffer
        assert not lane.unaccepted
        assert getattr(lane.ties, "mutation", None) is None
    unsent = [key for key, sent in work.ledger.items() if not sent]
    assert not unsent
    size = sum(row.size for _, row in storm.play.host.store.items(f"ledger/{desk.account}/"))
    assert work.ledger_bytes == size
    assert not storm.play.host.locks
    assert not storm.play.host.waiting


@pytest.mark.parametrize("block", range(6))
def test_no_order_of_steps_breaks_three_channels_at_once(block: int) -> None:
    for seed in range(block * 20, block * 20 + 20):
        storm = AccountStorm(seed)
        storm.run()
        judge(storm)
        judge_rest(storm)
        for event in storm.world.events:
            if isinstance(event, FrameSent) and event.sender == "D":
                verdict = parse_hook_message(event.frame.wire)
                assert verdict.ok, verdict.error
