"""The relay twin stopped in the middle of a handler, while others of its handlers run."""

from __future__ import annotations

from typing import Any

from sim.core.op import Send, Sleep
from sim.world import fault
from tests.protocols.hook.by_hand import ByHand
from tests.protocols.relay.relay_play import TEXT, RelayPlay, frame_of


def handler(play: RelayPlay, who: str, kind: str, id: str, **payload: Any) -> ByHand:
    """The relay's handler of a frame of this peer, moved by hand."""
    conn = next(c for name, c in play.relay.board.conns.items() if name.startswith(f"{who}."))
    frame = frame_of(play.frame(who, kind, id, payload))
    return ByHand(play.world, "R", play.relay.on_frame(conn, frame))


def test_what_was_decided_first_is_said_first() -> None:
    play = RelayPlay()
    play.command("A", "k1")
    play.command("A", "k2")
    play.got("N")
    answer = handler(play, "N", "result", "k1", ok=True, durationMs=1, action=TEXT)
    answer.behind(Send).before(Send)  # the result is out, k2 about to be
    play.cancel("A", "c", "k2")
    assert play.got("N") == []
    answer.finish()
    play.run(10)
    assert play.got("N") == ["command k2", "cancel k2"]
    assert play.got("A") == ["routed k1", "queued k2", "result k1", "routed k2", "cancel_ack c"]


def test_a_node_that_is_lost_while_its_work_is_being_sent_ends_it() -> None:
    play = RelayPlay()
    sending = handler(play, "A", "command", "k", targetNodeId="node_n", action=TEXT, payload={},
                      tabSessionId="T1", replayNonce="n")  # fmt: skip
    sending.before(Send)
    play.cut("N")
    sending.finish()
    play.run(10)
    assert sorted(play.got("A")) == ["node_disconnected k", "routed k"]
    play.join("N")
    play.command("A", "k")
    assert play.got("N") == ["command k"]


def test_who_hangs_up_while_its_token_is_looked_at_is_nobody() -> None:
    play = RelayPlay(ready="N")
    play.dial("A")
    play.say("A", "hello", "h", role="controller")
    auth = handler(play, "A", "auth", "a", accessToken="token-A").before(Sleep)
    fault.cut(play.world, play.puppet("A").conns[0].link, "fin")
    play.run(10)
    auth.finish()
    play.run(10)
    assert not play.relay.board.owners.is_live("ctl_a")
    assert play.got("A") == ["hello_ack h"]
    assert play.got("N") == []


def test_two_tokens_of_one_socket_are_looked_at_one_by_one() -> None:
    play = RelayPlay(ready="")
    play.dial("A")
    play.say("A", "hello", "h", role="controller")
    first = handler(play, "A", "auth", "a", accessToken="token-B").before(Sleep)
    second = handler(play, "A", "auth", "b", accessToken="token-A").before(Sleep)
    second.finish()
    first.finish()
    play.run(10)
    assert play.got("A") == ["hello_ack h", "auth_ack b", "identity_mismatch a"]
