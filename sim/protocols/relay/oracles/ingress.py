"""What a relay looks at before it acts, and what it says of what it turns away (DR-22, DR-24)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sim.core.event import FrameSent
from sim.protocols.relay.constants import MESSAGE_TYPES
from sim.protocols.relay.oracles.oracle import OfRelay, seconds
from sim.protocols.relay.view_records import AskView, SessionView

ENVELOPE: Final = ("invalid_json", "invalid_envelope", "unsupported_version")
TIMES: Final = ("invalid_timestamp", "timestamp_out_of_window")
EARLY: Final = ("not_initialized", "unauthenticated")
SHAPES: Final = (
    "missing_replay_nonce",
    "missing_target_node",
    "missing_tab_session",
    "unexpected_tab_session",
    "tab_session_mismatch",
    "invalid_timeout",
    "invalid_wait_policy",
    "invalid_lock_lease",
    "missing_target_request",
)


class Ingress(OfRelay):
    """Frames that must be refused with one of ``codes`` are, at once and without an effect;
    others are not."""

    families = MESSAGE_TYPES
    codes: tuple[str, ...] = ()

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        ruling = self.book_of(session).ingress.ruling
        if ruling is None or (ruling.due not in self.codes and ruling.got not in self.codes):
            return None
        self.exercised += 1
        if ruling.due == ruling.got:
            return None
        arrival = ruling.arrival
        if not ruling.due:
            if not arrival.is_judged:
                return None
            return (
                f"{event.sender} refuses {arrival.request_id!r} of {arrival.session.peer} with "
                f"{ruling.got} (step {arrival.n}), though nothing is wrong with it"
            )
        if ruling.due not in self.codes:
            return None
        did = f"sends {event.frame.type} to {session.peer}" if ruling.got == "effect" else "says"
        told = "" if ruling.got == "effect" else f" {ruling.got}"
        return (
            f"{event.sender} {did}{told} because of {arrival.request_id!r} of "
            f"{arrival.session.peer} (step {arrival.n}), where {ruling.due} is due"
        )

    def at_end(self) -> Iterator[str]:
        for book in self.view.books.values():
            for arrival in book.ingress.owed.values():
                due = arrival.before or arrival.after
                if due in self.codes and self.can_still_say(arrival.session):
                    yield (
                        f"{book.relay} passes over {arrival.request_id!r} of "
                        f"{arrival.session.peer} (step {arrival.n}), where {due} is due"
                    )


class BadEnvelopesAreRefused(Ingress):
    name = "bad-envelopes-are-refused"
    sentence = (
        "What is no frame of version 1 is refused to its sender alone, and touches nobody else."
    )
    catalogue = ("OT-01", "OT-02")
    codes = ENVELOPE


class UnknownFamiliesAreRefused(Ingress):
    name = "unknown-families-are-refused"
    sentence = "A family that is not listed has no effect, and its sender is told."
    catalogue = ("OT-03",)
    codes = ("unknown_message_type",)


class StampsAreHeldAgainstTheClock(Ingress):
    name = "stamps-are-held-against-the-clock"
    sentence = (
        "A frame of any family counts only while its timestamp is within the window of the "
        "relay's own clock, each by itself."
    )
    catalogue = ("OT-05", "OT-52")
    codes = TIMES

    def judge(self, session: SessionView, ask: AskView | None, event: FrameSent) -> str | None:
        text = super().judge(session, ask, event)
        ruling = self.book_of(session).ingress.ruling
        if text is None or ruling is None or ruling.arrival.ts is None:
            return text
        arrival = ruling.arrival
        off = self.book_of(session).now_ms(arrival.at) - (arrival.ts or 0)
        return f"{text}; it is {seconds(off * 1_000)} old"


class SendersAreHonest(Ingress):
    name = "senders-are-honest"
    sentence = "A frame that names another role than its session's has no effect."
    catalogue = ("OT-06",)
    codes = ("sender_role_mismatch",)


class HandshakeComesFirst(Ingress):
    name = "handshake-comes-first"
    sentence = "Before its auth_ack a peer gets nothing done, whatever it sends."
    catalogue = ("OT-07", "OT-08")
    codes = EARLY


class RolesDoTheirOwn(Ingress):
    name = "roles-do-their-own"
    sentence = "Nodes command nobody, controllers answer for nobody."
    catalogue = ("OT-10", "OT-42")
    codes = ("forbidden_role",)


class ActionsArePermitted(Ingress):
    name = "actions-are-permitted"
    sentence = (
        "An action needs a scope of its sender's token, and the cleanup is the relay's alone."
    )
    catalogue = ("OT-08", "OT-10", "OT-30")
    codes = ("forbidden_action",)


class CommandsAreWhole(Ingress):
    name = "commands-are-whole"
    sentence = "A command without nonce, target, or the tab that it needs goes nowhere."
    catalogue = ("OT-28", "OT-29", "OT-31", "OT-64")
    codes = SHAPES


class SecondHellosChangeNothing(Ingress):
    name = "second-hellos-change-nothing"
    sentence = "A hello on an authenticated session is refused, and the session stays as it was."
    catalogue = ("OT-07",)
    codes = ("invalid_hello",)
