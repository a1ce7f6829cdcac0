"""The rules of the relay protocol that nodes and controllers obey; see ``rules``."""

from __future__ import annotations

import attrs

from sim.core.rule import rule


@attrs.frozen
class PeerRules:
    """Obeyed at the two ends of a command. All on by default."""

    # ---- both ends -----------------------------------------------------------
    pings_in_time: bool = rule(
        "OT-13",
        "OT-40",
        by="controller, node",
        reason="A relay hears from a silent peer nothing, and takes it for dead.",
        without="A long stream or a quiet afternoon, and the session is cut.",
    )
    pings_answered: bool = rule(
        "OT-13",
        by="controller, node",
        reason="A ping asks whether this end is alive; only a pong proves it.",
        without="Who asks takes a healthy peer for dead.",
    )
    growing_retries: bool = rule(
        "OT-49",
        by="controller, node",
        reason="A relay that is down is not helped by many peers that dial every second.",
        without="A restarted relay is flooded by dials and goes down again.",
    )

    # ---- nodes: what runs ------------------------------------------------------
    keyed_work_runs_once: bool = rule(
        "OT-34",
        by="node",
        reason="A controller that has lost an answer can only send again.",
        without="Paid twice, posted twice.",
    )
    copy_waits_for_first: bool = rule(
        "OT-34",
        by="node",
        reason="A retry may come while the first is still at work; it has no outcome yet.",
        without="Two copies in flight both run.",
    )
    answer_under_own_id: bool = rule(
        "OT-04",
        "OT-34",
        by="node",
        reason="A stored outcome answers the retry, and that has a requestId of its own.",
        without="The retry hangs until its timeout, though its work is done.",
    )
    key_means_one_work: bool = rule(
        "OT-34",
        by="node",
        reason="One key for two different commands is a mistake of the sender.",
        without="A command is answered with the outcome of another, and never runs.",
    )
    ledger_outlives_process: bool = rule(
        "OT-34",
        by="node",
        reason="The retry after a crash is the one that matters most.",
        without="A node restarts, and the same post is made again.",
    )
    one_at_a_time_in_tab: bool = rule(
        "OT-43",
        by="node",
        reason="Work goes on when its socket is lost; a new session knows nothing of it.",
        without="Two commands run in one tab after a node's reconnect.",
    )
    answers_stay_in_session: bool = rule(
        "OT-42",
        by="node",
        reason="A new session may use the same requestId for something else.",
        without="A stale answer ends a command that it has nothing to do with.",
    )
    one_answer_per_command: bool = rule(
        "OT-11",
        by="node",
        reason="A cancel may come when the work is just done; one of both is the end.",
        without="Success, and then cancelled.",
    )
    cancel_is_answered: bool = rule(
        "OT-11",
        "OT-63",
        by="node",
        reason="The tab stays busy until the node has answered for what was cancelled.",
        without="A tab is stuck after its first timeout.",
    )
    cancel_stops_work: bool = rule(
        "OT-63",
        by="node",
        reason="Nobody wants the effect of what was cancelled.",
        without="The click happens after all.",
    )
    test_falls_back: bool = rule(
        "OT-35",
        by="node",
        reason="A command without a test hook is tested by carrying it out.",
        without="Commands without hook cannot be tested.",
    )
    alias_is_kept: bool = rule(
        "OT-36",
        "OT-65",
        by="node",
        reason="Old scripts still say command.reddit_posts.",
        without="Old scripts fail.",
    )

    # ---- nodes: tabs and listeners ---------------------------------------------
    owner_kept_per_tab: bool = rule(
        "OT-56",
        by="node",
        reason="Only the node knows its tabs when the cleanup comes.",
        without="Tabs of a gone controller pile up.",
    )
    only_own_tabs_close: bool = rule(
        "OT-58",
        by="node",
        reason="The cleanup names one identity; the other tabs are somebody's work.",
        without="Another user loses all tabs.",
    )
    no_tab_after_cleanup: bool = rule(
        "OT-54",
        by="node",
        reason="A page may still load when its owner is cleaned up after.",
        without="A tab opens that nobody will ever close.",
    )
    result_before_updates: bool = rule(
        "OT-14",
        "OT-19",
        by="node",
        reason="Until the relay has seen the result it refuses the updates.",
        without="The first updates of every stream are lost.",
    )
    updates_under_subscribe_id: bool = rule(
        "OT-17",
        by="node",
        reason="The requestId of its subscribe is the only name of a stream.",
        without="Updates cannot be attributed, and are refused.",
    )
    silent_after_unsubscribe: bool = rule(
        "OT-20",
        by="node",
        reason="The unsubscribe was answered: what is seen later concerns nobody.",
        without="A page goes on being intercepted after it was turned off.",
    )
    listeners_end_with_socket: bool = rule(
        "OT-20",
        by="node",
        reason="A subscription belongs to the session in which it was made.",
        without="A node that is back sends updates of streams that ended with its old session.",
    )

    # ---- controllers -------------------------------------------------------------
    fresh_nonces: bool = rule(
        "OT-31",
        "OT-51",
        by="controller",
        reason="A nonce is good once.",
        without="Every command but the first is refused as a replay.",
    )
    events_end_nothing: bool = rule(
        "OT-12",
        by="controller",
        reason="Progress and routing notes come before the end of a command.",
        without="A call returns when it was routed, without its answer.",
    )
    first_end_counts: bool = rule(
        "OT-11",
        by="controller",
        reason="A call has one end; what comes later belongs to nothing.",
        without="A caller sees success, and then failure.",
    )
    timeout_from_policy: bool = rule(
        "OT-38",
        by="controller",
        reason="The author of a command knows how long it takes.",
        without="Big jobs always time out.",
    )
    explicit_timeout_wins: bool = rule(
        "OT-38",
        by="controller",
        reason="The user knows what a hint cannot.",
        without="The user's choice is ignored.",
    )
    format_names_action: bool = rule(
        "OT-39",
        by="controller",
        reason="Each format of extract-content is an action of its own.",
        without="Markdown, whatever was asked for.",
    )
    own_deadline: bool = rule(
        "OT-32",
        by="controller",
        reason="A relay that is gone ends nothing.",
        without="A call hangs for ever.",
    )
    lost_socket_ends_calls: bool = rule(
        "OT-11",
        by="controller",
        reason="Answers go to the session that asked, and that is over.",
        without="A call waits out its whole budget for an answer that cannot come.",
    )
    retry_keeps_key: bool = rule(
        "OT-34",
        by="controller",
        reason="Only the key tells the node that it has done this before.",
        without="A retry does it twice.",
    )
    knows_itself: bool = rule(
        "OT-59",
        "OT-61",
        by="controller",
        reason="Lock events name the holder by the identity that auth_ack announced.",
        without="A program believes to hold what another one holds.",
    )
    lease_end_is_believed: bool = rule(
        "OT-60",
        by="controller",
        reason="A lease ends at its time, told or not.",
        without="A program works on in a tab that is no longer its own.",
    )
    updates_need_subscription: bool = rule(
        "OT-17",
        "OT-20",
        by="controller",
        reason="What was turned off, or was never turned on, has nothing to tell.",
        without="Ghost updates are shown.",
    )
