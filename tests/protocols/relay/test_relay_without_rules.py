"""Each rule of the relay, switched off, gives the very fault that it is there to prevent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sim.core.rule import table_of
from sim.protocols.relay.relay.plan import Limits
from sim.protocols.relay.relay.sessions import Grant
from sim.protocols.relay.rules import RelayRules
from tests.protocols.relay import relay_stories as stories
from tests.protocols.relay.relay_play import RelayPlay

Story = Callable[[RelayPlay], list[str]]
Told = list[str]

STORIES: dict[str, tuple[Story, Told, Told]] = {
    "poison_stays_with_sender": (stories.poison, ["pong p"], []),
    "honest_sender": (stories.other_role, ["sender_role_mismatch p"], ["pong p"]),
    "stamp_on_every_frame": (stories.old_lock, ["timestamp_out_of_window l"], ["lock_acquired l"]),
    "each_stamp_by_itself": (
        stories.jumping_clock,
        ["pong p0", "pong p1"],
        ["pong p0", "timestamp_out_of_window p1"],
    ),
    "hello_keeps_session": (
        stories.second_hello,
        ["routed k", "invalid_hello h", "result k", "pong p"],
        ["routed k", "hello_ack h", "unauthenticated p"],
    ),
    "auth_before_work": (
        stories.pipelined,
        ["hello_ack h", "unauthenticated k", "auth_ack a"],
        ["hello_ack h", "routed k", "auth_ack a"],
    ),
    "own_refresh_token": (stories.stolen_refresh, ["invalid_refresh_token r"], ["refresh_ack r"]),
    "nonce_per_identity": (stories.replay_on_new_session, ["replay_rejected k2"], ["routed k2"]),
    "nonce_for_two_windows": (
        stories.replay_of_the_future,
        ["replay_rejected again"],
        ["routed again"],
    ),
    "heartbeat_cleans_at_once": (
        stories.frozen,
        ["command k1", "primitive.tab.close_owned ctl_a"],
        ["command k1", "command k2"],
    ),
    "only_heard_frames_count": (stories.frozen_subscriber, ["A"], []),
    "nodes_are_watched": (stories.frozen_node, ["routed k", "node_disconnected k"], ["routed k"]),
    "displace_after_auth": (stories.stranger_says_hello, ["routed k"], ["node_offline k"]),
    "displaced_work_ends": (
        stories.displaced,
        ["routed k1", "node_disconnected k1", "routed k2"],
        ["routed k1", "routed k2", "command_timed_out k1"],
    ),
    "old_close_means_nothing": (
        stories.displaced,
        ["routed k1", "node_disconnected k1", "routed k2"],
        ["routed k1", "node_disconnected k1", "node_offline k2"],
    ),
    "node_loss_ends_running": (
        stories.lost_node,
        ["node_disconnected k1", "node_disconnected k2", "routed k3"],
        ["node_disconnected k2", "routed k3", "command_timed_out k1"],
    ),
    "node_loss_ends_waiting": (
        stories.lost_node,
        ["node_disconnected k1", "node_disconnected k2", "routed k3"],
        ["node_disconnected k1", "routed k3", "queue_wait_timed_out k2"],
    ),
    "only_executing_node_answers": (stories.forged, ["routed k"], ["routed k", "result k"]),
    "request_id_is_taken": (
        stories.same_id,
        ["A routed same", "A result same", "B request_id_in_use same"],
        ["A routed same", "B routed same", "B result same"],
    ),
    "duplicate_runs_once": (stories.resent, ["command k"], ["command k", "command k"]),
    "fifo_per_tab": (
        stories.three_in_a_row,
        ["command k1", "command k2"],
        ["command k1", "command k3"],
    ),
    "tabs_in_parallel": (stories.two_tabs, ["command k1", "command k2"], ["command k1"]),
    "inner_tab_counts": (stories.inner_tab, ["command k1"], ["command k1", "command k2"]),
    "tab_queue_limit": (stories.crowded, ["tab_queue_limit_exceeded k3"], ["queued k3"]),
    "controller_queue_limit": (
        stories.crowded_tabs,
        ["controller_queue_limit_exceeded T2.2"],
        ["queued T2.2"],
    ),
    "one_budget": (stories.long_wait, ["command_timed_out k2"], ["result k2"]),
    "queue_timeout_is_final": (stories.vain_wait, ["command k1"], ["command k1", "command k2"]),
    "late_answer_dropped": (
        stories.late,
        ["command k1", "cancel k1", "routed k1", "command_timed_out k1"],
        ["command k1", "cancel k1", "routed k1", "command_timed_out k1", "result k1"],
    ),
    "tab_waits_for_late_answer": (
        stories.late,
        ["command k1", "cancel k1", "routed k1", "command_timed_out k1"],
        ["command k1", "cancel k1", "command k2", "routed k1", "command_timed_out k1"],
    ),
    "cancel_at_timeout": (
        stories.late,
        ["command k1", "cancel k1", "routed k1", "command_timed_out k1"],
        ["command k1", "routed k1", "command_timed_out k1"],
    ),
    "progress_to_owner": (stories.progress, ["routed k", "progress k"], ["routed k"]),
    "cancel_by_owner": (
        stories.foreign_cancel,
        ["routed k1", "queued k2"],
        ["routed k1", "queued k2", "command_cancelled k2"],
    ),
    "one_terminal_at_cancel": (
        stories.cancel_of_running,
        ["routed k", "cancel_ack c", "result k"],
        ["routed k", "command_cancelled k", "cancel_ack c", "result k"],
    ),
    "every_cancel_answered": (stories.late_cancel, ["command_not_found c"], []),
    "purge_waiting": (
        stories.gone_with_queue,
        ["command k1", "primitive.tab.close_owned ctl_a"],
        ["command k1", "primitive.tab.close_owned ctl_a", "command k2"],
    ),
    "cleanup_after_last_session": (stories.flapping, [], ["primitive.tab.close_owned ctl_a"]),
    "cleanup_reaches_absent_nodes": (
        stories.absent_node,
        ["hello_ack h", "auth_ack a", "primitive.tab.close_owned ctl_a"],
        ["hello_ack h", "auth_ack a"],
    ),
    "cleanup_spares_the_living": (
        stories.both_back,
        ["hello_ack", "auth_ack"],
        ["hello_ack", "auth_ack", "command"],
    ),
    "relay_names_the_owner": (stories.forged_owner, ["ctl_a"], ["ctl_b"]),
    "close_owned_is_the_relays": (stories.closes_all, ["forbidden_action k"], ["routed k"]),
    "one_holder": (
        stories.two_lockers,
        ["tab_locked l2", "lock_conflict l2"],
        ["lock_acquired l2"],
    ),
    "lock_gates_commands": (stories.locked_out, ["tab_locked k", "lock_conflict k"], ["routed k"]),
    "conflict_is_told": (
        stories.two_lockers,
        ["tab_locked l2", "lock_conflict l2"],
        ["tab_locked l2"],
    ),
    "lease_ends_by_timer": (
        stories.silent_lease,
        ["lock_acquired l1", "lock_expired l1", "lock_acquired l2"],
        ["lock_acquired l1", "lock_acquired l2"],
    ),
    "lease_end_spares_work": (
        stories.lease_over_work,
        ["lock_expired l", "result k"],
        ["lock_expired l", "command_cancelled k"],
    ),
    "unlock_by_holder": (
        stories.foreign_unlock,
        ["lock_not_held u", "tab_locked l2", "lock_conflict l2"],
        ["lock_released u", "lock_acquired l2"],
    ),
    "lock_ends_with_session": (
        stories.gone_with_lock,
        ["lock_acquired l2"],
        ["tab_locked l2", "lock_conflict l2"],
    ),
    "updates_after_result": (stories.early_update, ["routed s"], ["routed s", "listener_update s"]),
    "silence_after_unsubscribe": (stories.ghost, ["result u"], ["result u", "listener_update s"]),
    "queued_unsubscribe_counts": (stories.queued_ghost, ["result u"], ["listener_update s"]),
    "updates_to_their_session": (stories.heir, [], ["listener_update s"]),
    "node_told_of_lost_subscriber": (
        stories.gone_subscriber,
        ["command s", "listener.unsubscribe s"],
        ["command s"],
    ),
    "lost_listener_is_told": (stories.lost_listener, ["listener_ended s"], []),
    "stream_ends_by_event": (
        stories.stream_cancel,
        ["stream_ended t", "cancel_ack c"],
        ["result t", "cancel_ack c"],
    ),
    "stream_cancel_silences": (
        stories.stream_cancel,
        ["stream_ended t", "cancel_ack c"],
        ["stream_ended t", "cancel_ack c", "listener_update s"],
    ),
}

LIMITS: dict[str, Any] = {
    "tab_queue_limit": {"tab_queue": 1},
    "controller_queue_limit": {"controller_queue": 1},
}


def test_every_rule_of_the_relay_has_its_story() -> None:
    named = [one.name.replace("-", "_") for one in table_of(RelayRules) if one.by == "relay"]
    assert sorted(STORIES) == sorted(named)


@pytest.mark.parametrize("rule", STORIES)
def test_a_rule_makes_the_difference_that_it_is_there_for(rule: str) -> None:
    story, right, wrong = STORIES[rule]
    limits = Limits(auth_check_ms=2, **LIMITS.get(rule, {}))
    refresh = {"refresh-A": Grant("controller", "ctl_a")}
    told = [story(RelayPlay(off=off, limits=limits, refresh=refresh)) for off in ((), (rule,))]
    assert told == [right, wrong]
