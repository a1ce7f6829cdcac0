"""The relay protocol's switchable rules.

Each field is a behaviour that the protocol document demands, with the row of
the catalogue, the reason, and what a user sees without it. Endpoints read the
fields; ``--without one-budget`` switches one off.
"""

from __future__ import annotations

import attrs

from sim.core.rule import rule
from sim.protocols.relay.rules_tabs import TabRules


@attrs.frozen
class RelayRules(TabRules):
    """All rules on by default."""

    # ---- sessions ------------------------------------------------------------
    poison_stays_with_sender: bool = rule(
        "OT-01",
        by="relay",
        reason="Anybody can send anything; what one peer sends must not touch the others.",
        without="One broken frame, and all connections drop.",
    )
    honest_sender: bool = rule(
        "OT-06",
        by="relay",
        reason="Roles are settled at hello; a frame that names another one is a lie or a fault.",
        without="Logs and correlation blame the wrong party.",
    )
    stamp_on_every_frame: bool = rule(
        "OT-05",
        "OT-52",
        by="relay",
        reason="The timestamp stands in the envelope, so it counts for every family.",
        without="An hour-old lock or cancel takes effect.",
    )
    each_stamp_by_itself: bool = rule(
        "OT-05",
        by="relay",
        reason="Clocks get corrected; only the distance to the relay's own clock counts.",
        without="Honest frames are refused after a client's clock was set back.",
    )
    hello_keeps_session: bool = rule(
        "OT-07",
        by="relay",
        reason="A second hello must not cost a session what it has going.",
        without="A stray hello, and running work loses its owner.",
    )
    auth_before_work: bool = rule(
        "OT-08",
        by="relay",
        reason="Work is taken from sessions whose token was found good, and told so.",
        without="A stranger's command runs before anybody has looked at the token.",
    )
    own_refresh_token: bool = rule(
        "OT-09",
        by="relay",
        reason="A refresh token renews the identity that it was made for.",
        without="A stolen token is good for a stranger's session.",
    )
    nonce_per_identity: bool = rule(
        "OT-51",
        by="relay",
        reason="A captured frame can come back on another connection.",
        without="A reconnect, and the captured command runs again.",
    )
    nonce_for_two_windows: bool = rule(
        "OT-51",
        by="relay",
        reason="A frame that is stamped a whole window ahead stays valid for two.",
        without="A captured command with a future stamp runs again.",
    )
    heartbeat_cleans_at_once: bool = rule(
        "OT-54",
        "OT-57",
        by="relay",
        reason="A frozen peer answers no close handshake; the end of its session waits for none.",
        without="Queues, locks and tabs of a frozen program stay.",
    )
    only_heard_frames_count: bool = rule(
        "OT-57",
        by="relay",
        reason="What the relay sends into a dead socket proves nothing.",
        without="A frozen controller with a subscription lives for ever.",
    )

    # ---- nodes ---------------------------------------------------------------
    nodes_are_watched: bool = rule(
        "OT-49",
        by="relay",
        reason="A node can freeze like any other peer.",
        without="Calls hang until their timeouts, one after the other.",
    )
    displace_after_auth: bool = rule(
        "OT-08",
        "OT-41",
        by="relay",
        reason="A hello is a claim; only the token proves it.",
        without="A stranger cuts a node off by saying its name.",
    )
    displaced_work_ends: bool = rule(
        "OT-49",
        by="relay",
        reason="What ran on the older session of a node has lost it.",
        without="Calls hang until their timeout after a node's reconnect.",
    )
    old_close_means_nothing: bool = rule(
        "OT-41",
        by="relay",
        reason="The close of a displaced socket may come much later.",
        without="The new session is unregistered: node_offline for all.",
    )
    node_loss_ends_running: bool = rule(
        "OT-49",
        by="relay",
        reason="Nobody will answer for what ran on a lost session.",
        without="The call hangs until its timeout.",
    )
    node_loss_ends_waiting: bool = rule(
        "OT-43",
        "OT-49",
        by="relay",
        reason="What waited for a lost session waits in vain, and newcomers would overtake it.",
        without="Steps run out of order after a node's return, or hang.",
    )
    only_executing_node_answers: bool = rule(
        "OT-42",
        by="relay",
        reason="A requestId is no secret; only the session that got the command can know.",
        without="A forged or stale answer is delivered.",
    )

    # ---- commands ------------------------------------------------------------
    request_id_is_taken: bool = rule(
        "OT-11",
        "OT-42",
        by="relay",
        reason="Answers go by requestId, so one id means one command.",
        without="B gets the data of A, and A waits for ever.",
    )
    duplicate_runs_once: bool = rule(
        "OT-11",
        by="relay",
        reason="A controller repeats what it is in doubt about.",
        without="The same click twice.",
    )
    fifo_per_tab: bool = rule(
        "OT-43",
        by="relay",
        reason="Steps in a tab build on one another.",
        without="A click before the page is there.",
    )
    tabs_in_parallel: bool = rule(
        "OT-44",
        by="relay",
        reason="Tabs have nothing to do with each other.",
        without="One slow tab blocks everything.",
    )
    inner_tab_counts: bool = rule(
        "OT-43",
        by="relay",
        reason="Nodes honour a tabSessionId within the payload, so it counts for the queue too.",
        without="FIFO is side-stepped: two commands at once in one tab.",
    )
    tab_queue_limit: bool = rule(
        "OT-45",
        by="relay",
        reason="A backlog without end helps nobody.",
        without="Thousands of commands wait for one tab.",
    )
    controller_queue_limit: bool = rule(
        "OT-46",
        by="relay",
        reason="The room is for all controllers.",
        without="One client starves the others.",
    )
    one_budget: bool = rule(
        "OT-32",
        by="relay",
        reason="timeoutMs is how long its sender waits, in the queue or not.",
        without="A call takes twice as long as was asked.",
    )
    queue_timeout_is_final: bool = rule(
        "OT-47",
        by="relay",
        reason="Who was told queue_wait_timed_out has done something else by now.",
        without="Work runs after its caller gave up.",
    )
    late_answer_dropped: bool = rule(
        "OT-11",
        "OT-48",
        by="relay",
        reason="The timeout was the terminal frame; there is one.",
        without="Success after failure.",
    )
    tab_waits_for_late_answer: bool = rule(
        "OT-43",
        "OT-48",
        by="relay",
        reason="A node may still be at work on what its caller has given up.",
        without="Two commands run in one tab at once.",
    )
    cancel_at_timeout: bool = rule(
        "OT-48",
        "OT-63",
        by="relay",
        reason="A node does not know of budgets; it has to be told to stop.",
        without="A node works on for nobody, and its tab stays busy.",
    )
    progress_to_owner: bool = rule(
        "OT-12",
        by="relay",
        reason="Events of a running command are for whoever sent it.",
        without="No progress is ever seen.",
    )
    cancel_by_owner: bool = rule(
        "OT-63",
        by="relay",
        reason="A requestId is no secret; only its owner decides.",
        without="B silently kills the work of A.",
    )
    one_terminal_at_cancel: bool = rule(
        "OT-11",
        "OT-63",
        by="relay",
        reason="A running command ends by its node's word alone, whatever crosses it.",
        without="Cancelled, and then the result all the same.",
    )
    every_cancel_answered: bool = rule(
        "OT-63",
        by="relay",
        reason="A cancel may come too late, and its sender waits for an answer.",
        without="A client hangs in its own cancel.",
    )
