"""The view: what a trace says about requests, rounds, cards and connections."""

from sim.core.event import Event
from sim.protocols.hook.view import HookView
from tests.protocols.hook.server_play import Play, failed_task


def folded(events: list[Event], leave_out: tuple[str, ...] = ()) -> HookView:
    """A view that reads a trace from its start, some kinds of events left out."""
    view = HookView()
    for event in events:
        if type(event).__name__ not in leave_out:
            view.on(event)
    return view


def test_a_request_is_known_with_person_device_thread_and_message():
    play = Play()
    play.connect()
    request = play.say("fix")
    play.ack(request)
    seen = play.view.requests[request]
    assert (seen.person, seen.device, seen.lane, seen.prompt) == ("Alice", "D", "slack", "fix")
    assert (seen.acked, seen.session, seen.dispatches) == ("accepted", "s-1", 1)
    assert play.view.thread_of(request) == ("IM", "C1", "m1")
    message = play.view.message_of(request)
    assert message is not None
    assert (message.id, message.state) == ("m2", "WORKING")
    assert [m.text for m in play.view.said_by("Alice")] == ["fix"]


def test_frames_and_calls_alone_tell_the_same_of_a_server_that_stores_nothing():
    play = Play()
    request = failed_task(play)
    play.reopen("K1", request)
    play.end("K1", "ok", "done")
    view = folded(play.world.events, leave_out=("Saved", "Noted"))
    seen = view.requests[request]
    assert (seen.device, seen.ended, seen.stored) == ("D", "error", None)
    assert view.rounds["K1"].ended == "ok"
    assert view.message_of("K1").text == "done"
    assert view.thread_of(request) == ("IM", "C1", "m1")


def test_requests_are_in_order_of_appearance():
    play = Play()
    first, second = play.say("a"), play.say("b", who="Bob")
    assert list(play.view.requests) == [first, second]
    assert play.view.request(first).person == "Alice"
    assert play.view.request("nobody") is None
    assert play.view.message_of("nobody") is None
    assert play.view.thread_of("nobody") is None


def test_the_owner_follows_reopen_end_and_disconnect():
    play = Play()
    request = failed_task(play)
    seen = play.view.requests[request]
    assert seen.owner is None
    play.reopen("K1", request)
    assert (seen.owner.request, seen.owner.state) == ("K1", "OPEN")
    play.progress("K1", "p")
    assert seen.owner.progress > seen.owner.n
    play.cut()
    assert seen.owner.state == "TORN"
    play.connect()
    play.reopen("K2", "K1")
    play.reopen("K1", request)
    assert [over.request for over in seen.rounds] == ["K1"]
    play.reopen("K3", request)
    assert seen.owner.request == "K3"
    play.crash()
    assert seen.owner.state == "TORN"


def test_a_refused_id_is_silenced_on_its_connection():
    play = Play()
    request = failed_task(play)
    other = play.say("b")
    play.reopen(other, request)
    play.end(other, "ok", "x")
    link = play.view.link_of("D", "slack")
    assert link is not None
    assert list(link.quarantined) == [other]
    assert play.view.requests[other].ended == ""


def test_a_reopen_that_overtakes_the_end_settles_its_request():
    play = Play()
    play.connect()
    request = play.say("a")
    play.reopen("K1", request)
    play.end(request, "error", "late")
    assert play.view.requests[request].ended == "continued"


def test_cards_presses_and_decisions():
    play = Play()
    play.connect()
    request = play.say("a")
    play.ack(request)
    play.ask(request, wait=1)
    play.press("A1", "yes")
    card = play.view.cards["A1"]
    assert (card.request, card.buttons, card.decisions) == (request, ("yes", "no"), ["yes"])
    assert [p.button for p in play.view.presses] == ["yes"]
    play.take_back(request, reason="too late")
    assert (card.cancelled, card.reason) == (True, "too late")
    assert play.view.card_of("A1").text.endswith("too late")


def test_connections_know_their_handshake():
    play = Play()
    play.connect()
    link = play.view.link_of("D")
    assert link is not None
    assert (link.device, link.welcomes, link.features) == ("D", 1, ("turn-reopen-v1",))
    assert link.open
    play.cut()
    assert not link.open
    assert not play.view.links
    assert play.view.link_of("D") is link
    assert play.view.link_of("D2") is None
