"""The rules of tabs: who owns them, who has locked them, what listens in them."""

from __future__ import annotations

import attrs

from sim.core.rule import rule
from sim.protocols.relay.rules_peers import PeerRules


@attrs.frozen
class TabRules(PeerRules):
    """Ownership and cleanup, locks, listeners and the streams of tests; obeyed by the relay."""

    # ---- owners and cleanup --------------------------------------------------
    purge_waiting: bool = rule(
        "OT-53",
        by="relay",
        reason="Whoever is gone does not want any more what has not begun.",
        without="Ghost actions of a program that was closed long ago.",
    )
    cleanup_after_last_session: bool = rule(
        "OT-58",
        by="relay",
        reason="A tab belongs to the identity, and that lives on in its other sessions.",
        without="After a fast reconnect the new session loses the tabs that it has just opened.",
    )
    cleanup_reaches_absent_nodes: bool = rule(
        "OT-54",
        by="relay",
        reason="A node that is away misses close_owned; it is told when it is back.",
        without="Tabs of a gone controller stay open for ever.",
    )
    cleanup_spares_the_living: bool = rule(
        "OT-58",
        by="relay",
        reason="What was to be told to an absent node may be out of date when it returns.",
        without="A controller that is back loses its tabs when a node comes back too.",
    )
    relay_names_the_owner: bool = rule(
        "OT-55",
        by="relay",
        reason="Whose a tab is decides who may have it closed; only the relay knows who asks.",
        without="Tabs are charged to somebody else, and closed with that one's.",
    )
    close_owned_is_the_relays: bool = rule(
        "OT-10",
        by="relay",
        reason="The cleanup names its victim; no scope of a token is meant to cover that.",
        without="One controller closes all tabs of another.",
    )

    # ---- locks ---------------------------------------------------------------
    one_holder: bool = rule(
        "OT-59",
        by="relay",
        reason="A lock is there so that one program can work undisturbed.",
        without="Two programs both believe to be alone.",
    )
    lock_gates_commands: bool = rule(
        "OT-50",
        "OT-59",
        by="relay",
        reason="A stranger's command in a locked tab, even a waiting one, blocks the next step "
        "of its holder.",
        without="Somebody else's click lands in the middle of a locked sequence.",
    )
    conflict_is_told: bool = rule(
        "OT-50",
        "OT-61",
        by="relay",
        reason="Who is refused must learn who holds the tab, and until when.",
        without="A client cannot tell a locked tab from a broken one, nor plan its next try.",
    )
    lease_ends_by_timer: bool = rule(
        "OT-60",
        by="relay",
        reason="A lease ends at its time, whether anybody talks or not; its holder is told.",
        without="A holder believes to hold what it has lost.",
    )
    lease_end_spares_work: bool = rule(
        "OT-60",
        "OT-11",
        by="relay",
        reason="What has begun is not left half done because a lease ended meanwhile.",
        without="A command is cut off in the middle, though its page was about to answer.",
    )
    unlock_by_holder: bool = rule(
        "OT-62",
        by="relay",
        reason="An unlock may come late, when the tab is somebody else's already.",
        without="The lock is stolen: a third one gets the tab under the holder's hands.",
    )
    lock_ends_with_session: bool = rule(
        "OT-60",
        by="relay",
        reason="A holder that is gone gives nothing back.",
        without="A crashed program blocks a tab until its lease ends, five minutes perhaps.",
    )

    # ---- listeners and streams -------------------------------------------------
    updates_after_result: bool = rule(
        "OT-19",
        by="relay",
        reason="Until its subscribe has succeeded a controller does not know of a stream.",
        without="Data of a subscription that failed, or updates that nobody can place.",
    )
    silence_after_unsubscribe: bool = rule(
        "OT-20",
        by="relay",
        reason="After the good end of an unsubscribe nobody listens any more.",
        without="Ghost updates: traffic is shown to somebody who has turned it off.",
    )
    queued_unsubscribe_counts: bool = rule(
        "OT-20",
        by="relay",
        reason="An unsubscribe that had to wait for its tab ends the stream all the same.",
        without="Ghost updates, whenever the tab was busy.",
    )
    updates_to_their_session: bool = rule(
        "OT-18",
        by="relay",
        reason="A subscription belongs to one session; its successor has not asked for it.",
        without="Updates reach a session that never subscribed.",
    )
    node_told_of_lost_subscriber: bool = rule(
        "OT-20",
        by="relay",
        reason="A node cannot see that nobody listens any more.",
        without="A page is intercepted for ever on behalf of nobody.",
    )
    lost_listener_is_told: bool = rule(
        "OT-49",
        by="relay",
        reason="A stream that has lost its node looks like one with nothing to say.",
        without="A subscriber waits for updates that can never come.",
    )
    stream_ends_by_event: bool = rule(
        "OT-11",
        "OT-40",
        by="relay",
        reason="The result of a test, with its manifest, is its one terminal frame.",
        without="A second result for one requestId: success, then something else.",
    )
    stream_cancel_silences: bool = rule(
        "OT-20",
        "OT-40",
        by="relay",
        reason="Who cancels a stream has done with all listeners that were bound to it.",
        without="A cancelled stream goes on delivering.",
    )
