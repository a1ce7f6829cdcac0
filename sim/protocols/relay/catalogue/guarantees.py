"""Rows of routing, of tabs and locks, and of versions."""

from __future__ import annotations

from sim.protocols.catalogue import Row

ROWS = (
    Row(
        "OT-41",
        "路由、排队和可靠性",
        "relay",
        "Each command goes to exactly one node session, the one of targetNodeId.",
        "Action done in two browsers.",
    ),
    Row(
        "OT-42",
        "路由、排队和可靠性",
        "relay",
        "The relay tracks requestId ownership; results go to the originating controller only.",
        "Data of A shown to B.",
    ),
    Row(
        "OT-43",
        "路由、排队和可靠性",
        "relay",
        "Work with the same targetNodeId:tabSessionId is sent to the node one at a time "
        "in order of arrival, over all controllers.",
        "Click before page load; mixed steps.",
    ),
    Row(
        "OT-44",
        "路由、排队和可靠性",
        "relay",
        "Work of different tabs never waits for each other.",
        "One slow tab blocks everything.",
    ),
    Row(
        "OT-45",
        "路由、排队和可靠性",
        "relay",
        "A per-tab depth limit is enforced.",
        "Unbounded backlog.",
    ),
    Row(
        "OT-46",
        "路由、排队和可靠性",
        "relay",
        "A per-controller depth limit over all tabs is enforced.",
        "One client starves the others.",
    ),
    Row(
        "OT-47",
        "路由、排队和可靠性",
        "relay",
        "A waiting command may end as queue_wait_timed_out and is then never executed.",
        "Work runs after the caller gave up.",
    ),
    Row(
        "OT-48",
        "路由、排队和可靠性",
        "relay",
        "When the window ends the controller gets a terminal timeout; a later node answer "
        "changes nothing.",
        "Success after failure; stuck tab.",
    ),
    Row(
        "OT-49",
        "路由、排队和可靠性",
        "relay",
        "Losing the node ends its commands with node_disconnected.",
        "Call hangs until timeout.",
    ),
    Row(
        "OT-50",
        "路由、排队和可靠性",
        "relay",
        "Lock contention is reported as lock_conflict.",
        "Client cannot tell busy from broken.",
    ),
    Row(
        "OT-51",
        "路由、排队和可靠性",
        "relay",
        "A nonce is accepted once within the window.",
        "Captured command executed again.",
    ),
    Row(
        "OT-52",
        "路由、排队和可靠性",
        "relay",
        "Frames outside the skew window are refused before any effect.",
        "As OT-05.",
    ),
    Row(
        "OT-53",
        "路由、排队和可靠性",
        "relay",
        "When a controller goes, its queued work is removed and never runs; work of "
        "others stays in order.",
        "Ghost actions of a closed program.",
    ),
    Row(
        "OT-54",
        "路由、排队和可靠性",
        "relay",
        "When a controller goes, owner-scoped tab cleanup is started.",
        "Tabs pile up.",
    ),
    Row(
        "OT-55",
        "标签页所有权和清理",
        "relay",
        "The relay adds internal owner metadata to controller-sent tab-open commands; the "
        "controller cannot set it.",
        "Tabs orphaned, or charged to someone else.",
    ),
    Row(
        "OT-56",
        "标签页所有权和清理",
        "node",
        "The node remembers the owner by tabSessionId.",
        "Cleanup closes wrong tabs.",
    ),
    Row(
        "OT-57",
        "标签页所有权和清理",
        "relay",
        "Both a closed socket and a heartbeat timeout lead to primitive.tab.close_owned "
        "to all connected nodes.",
        "Frozen programs leave tabs.",
    ),
    Row(
        "OT-58",
        "标签页所有权和清理",
        "node, relay",
        "close_owned closes only tabs of that controller identity.",
        "Another user loses work.",
    ),
    Row(
        "OT-59",
        "标签页所有权和清理",
        "relay",
        "A lock key targetNodeId:tabSessionId has at most one holder.",
        "Two programs both believe to be alone.",
    ),
    Row(
        "OT-60",
        "标签页所有权和清理",
        "relay",
        "Lease expiry releases the lock without action of the holder.",
        "Crashed holder blocks a tab for ever.",
    ),
    Row(
        "OT-61",
        "标签页所有权和清理",
        "relay",
        "Lock events include lockOwnerControllerId, lockLeaseMs, lockExpiresAt.",
        "Clients cannot plan retry.",
    ),
    Row(
        "OT-62",
        "标签页所有权和清理",
        "relay",
        "Only the holder ends its lock (follows from one holder).",
        "Lock stolen.",
    ),
    Row(
        "OT-63",
        "标签页所有权和清理",
        "relay, node",
        "command_cancel ends the named command or stream; queued work is then never sent, "
        "the outcome is terminal.",
        "Work goes on after cancel.",
    ),
    Row(
        "OT-64",
        "版本管理",
        "all",
        "Unknown extra fields are tolerated; breaking changes need a new major version.",
        "Upgrades break peers.",
    ),
    Row(
        "OT-65",
        "版本管理",
        "node",
        "command.reddit_posts stays available during migration.",
        "Old scripts fail.",
    ),
)
