"""The rules of the hook protocol that the desktop obeys; see ``rules``."""

from __future__ import annotations

import attrs

from sim.core.rule import rule


@attrs.frozen
class DesktopRules:
    """All on by default."""

    ack_replay: bool = rule(
        "HK-37",
        by="desktop",
        reason="A redelivered dispatch is the same task; only its ack is repeated.",
        without="Work is done twice and two answers compete.",
    )
    end_replay: bool = rule(
        "HK-40",
        by="desktop",
        reason="A result that could not be written is still the task's only result.",
        without="Work that finished while the desktop was offline never shows up.",
    )
    one_session_per_key: bool = rule(
        "HK-01",
        by="desktop",
        reason="A thread is one conversation, so its tasks share one session.",
        without="The assistant has forgotten what was said before in the same thread.",
    )
    hello_first: bool = rule(
        "HK-04",
        by="desktop",
        reason="Until hello the server does not know whose connection it is.",
        without="Results that are sent before hello belong to nobody and get lost.",
    )
    pong: bool = rule(
        "HK-51",
        by="desktop",
        reason="A ping asks whether this end is alive; only a pong proves it.",
        without="A healthy desktop is taken for dead and its connection closed.",
    )
    nothing_after_end: bool = rule(
        "HK-06",
        by="desktop",
        reason="An end is final; a snapshot that was still waiting is out of date.",
        without="A finished message flips back to running.",
    )
    progress_throttle: bool = rule(
        "HK-64",
        by="desktop",
        reason="Channels limit edits, and only the latest snapshot is of interest.",
        without="The channel refuses edits for their rate and the message freezes.",
    )
    cancel_cards_at_end: bool = rule(
        "HK-143",
        by="desktop",
        reason="A question whose task is over can no longer be answered.",
        without="A dead card stays in the channel and can be pressed.",
    )
    reopen_needs_feature: bool = rule(
        "HK-189",
        by="desktop",
        reason="A server that has not announced turn.reopen does not know the frame.",
        without="Useless frames; with half an implementation a message that runs for ever.",
    )
    retry_only: bool = rule(
        "HK-190",
        by="desktop",
        reason="Only a retry continues the failed task; other prompts are private.",
        without="The channel's message is overwritten by a private conversation.",
    )
    claim_at_first_event: bool = rule(
        "HK-192",
        by="desktop",
        reason="A retry may never get as far as the agent; only an event proves that it did.",
        without="The message shows 'running' although nothing runs.",
    )
    reopen_before_progress: bool = rule(
        "HK-193",
        by="desktop",
        reason="The server drops what it cannot place, and an end that came first is gone.",
        without="The answer is dropped; the message stays failed, or runs for ever.",
    )
    reopen_never_replayed: bool = rule(
        "HK-194",
        by="desktop",
        reason="The server closes the round when the connection breaks; one authority is enough.",
        without="A closed round gets late frames; channel and desktop contradict each other.",
    )
    dead_thread: bool = rule(
        "HK-195",
        by="desktop",
        reason="A round whose end was not written has been unbound by the server's close-out.",
        without="Retry silently does nothing: it continues a round that nobody knows.",
    )
    chat_first: bool = rule(
        "HK-48",
        by="desktop",
        reason="The built-in folder is always there and is the fallback for every task.",
        without="There is no plain conversation, or the first folder offered is a wrong one.",
    )
    hello_again: bool = rule(
        "HK-49",
        by="desktop",
        reason="The server may dispatch only what the latest hello lists.",
        without="A new folder cannot be used, and a deleted one is offered, until a restart.",
    )
    default_cleared: bool = rule(
        "HK-56",
        by="desktop",
        reason="A hello whose default folder is not in its list is refused.",
        without="After deleting a folder the device cannot connect any more.",
    )
    standby: bool = rule(
        "RC-76",
        by="desktop",
        reason="The server keeps the device's other process; hammering it helps nobody.",
        without="The second process of a device knocks every second, for ever.",
    )
    renew_once: bool = rule(
        "RC-79",
        by="desktop",
        reason="A token that was just fetched and is refused again will be refused for ever.",
        without="A signed-out desktop hammers the server with its useless token.",
    )
    backoff: bool = rule(
        "RC-79",
        by="desktop",
        reason="A server that is down is not helped by many clients that dial at once.",
        without="A restarted server is flooded by dials and goes down again.",
    )
    queue_limit: bool = rule(
        "RC-41",
        "HK-61",
        by="desktop",
        reason="The queue is in memory only; what waits too long is better refused at once.",
        without="Hundreds of messages wait without a word, and a restart loses them all.",
    )
    await_delivery: bool = rule(
        "HK-41",
        by="desktop",
        reason="With turn-delivery-v1 only the server's word says that a result is safe.",
        without="A result is lost when the server dies right after it was written.",
    )
    replay_ladder: bool = rule(
        "HK-41",
        "HK-75",
        by="desktop",
        reason="An end or its answer may be lost although the connection stays.",
        without="A lost result shows up only after the next reconnect.",
    )
    first_answer_wins: bool = rule(
        "HK-47",
        "HK-142",
        by="desktop",
        reason="A card asks once; what was decided is being done already.",
        without="A late press approves what was denied.",
    )
    safe_default: bool = rule(
        "HK-12",
        by="desktop",
        reason="Silence is no consent.",
        without="An approval that nobody gave is granted after half an hour.",
    )
    no_cards_in_rounds: bool = rule(
        "HK-174",
        by="desktop",
        reason="Who continues a task sits at the desktop; the server has no thread for its cards.",
        without="A question of a continued round is asked where nobody is.",
    )
    live_lists: bool = rule(
        "HK-105",
        by="desktop",
        reason="Folders and models change while a desktop is connected.",
        without="The picker offers folders that are gone and lacks new ones.",
    )
    short_session_list: bool = rule(
        "HK-107",
        by="desktop",
        reason="A picker shows a few recent sessions; the parser refuses more.",
        without="The whole list is refused and the picker stays empty.",
    )
    prefs_shown_whole: bool = rule(
        "HK-43",
        by="desktop",
        reason="Each prefs.state is all there is; what it lacks has been deleted.",
        without="A choice that was cleared elsewhere is still shown.",
    )
    prefs_time_out: bool = rule(
        "HK-150",
        "HK-35",
        by="desktop",
        reason="An old server drops prefs.get without a word.",
        without="The settings page waits for ever.",
    )
    own_binding_only: bool = rule(
        "HK-119",
        by="desktop",
        reason="An answer may be about a binding that has been replaced meanwhile.",
        without="One account sees, or changes, another account's settings.",
    )
    behavior_needs_feature: bool = rule(
        "HK-124",
        by="desktop",
        reason="A server that has not announced the settings drops their frames.",
        without="Switches that do nothing.",
    )
    no_empty_patch: bool = rule(
        "HK-131",
        by="desktop",
        reason="A set without a change is refused by the server.",
        without="'Saved' is shown though nothing can have been.",
    )
    tools_need_server: bool = rule(
        "HK-151",
        by="desktop",
        reason="Whether tools exist is known from the welcome; asking in vain costs a minute.",
        without="The agent waits for a time-out instead of going on.",
    )
    team_of_session: bool = rule(
        "HK-102",
        by="desktop",
        reason="A session belongs to the team that its task came from.",
        without="A tool posts into another workspace.",
    )
    revoke_by_team: bool = rule(
        "HK-95",
        by="desktop",
        reason="A server without multi-team refuses every form of bind.revoke but the empty one.",
        without="'Disconnect' does nothing.",
    )
    bind_state_replaces: bool = rule(
        "HK-96",
        by="desktop",
        reason="bind.state is the authoritative list of the bindings.",
        without="Workspaces that were unbound elsewhere are still listed.",
    )
    one_attempt: bool = rule(
        "HK-113",
        by="desktop",
        reason="Only the present attempt, or the present binding, may change what is shown.",
        without="A link that was replaced binds somebody else's account.",
    )
    link_allow_list: bool = rule(
        "HK-123",
        by="desktop",
        reason="A link is opened in the person's browser, with the person's trust.",
        without="A phishing page is opened.",
    )
    lifecycle_resync: bool = rule(
        "HK-30",
        by="desktop",
        reason="The setting may have changed between hello and welcome.",
        without="Notices go on after they were switched off.",
    )
    lifecycle_needs_feature: bool = rule(
        "HK-27",
        by="desktop",
        reason="A server that has not announced it does not know lifecycle.preference.",
        without="The setting looks saved and is not.",
    )
    recipient_check: bool = rule(
        "HK-163",
        by="desktop",
        reason="A group message belongs to the binding that it was forwarded for.",
        without="Another account's group talk ends up in a prompt.",
    )
    group_principal: bool = rule(
        "HK-163",
        by="desktop",
        reason="A group task of an earlier binding would be run with the present one's history.",
        without="A stranger's question is answered from your group's messages.",
    )
    trigger_removed: bool = rule(
        "HK-166",
        by="desktop",
        reason="The message that asks is the prompt already.",
        without="The question stands in its own context, twice.",
    )
    context_since_cursor: bool = rule(
        "HK-164",
        by="desktop",
        reason="What the agent has been given once is in its session.",
        without="Each prompt repeats the group's whole history.",
    )
