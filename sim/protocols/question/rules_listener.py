"""The listener's switchable rules: which question is meant, how often, what is told."""

from __future__ import annotations

import attrs

from sim.core.rule import rule


@attrs.frozen
class ListenerRules:
    """All rules on by default."""

    # ---- which question is meant -----------------------------------------------
    cached_id_counts: bool = rule(
        "QT-33",
        by="listener",
        reason="What was matched once is known; matching anew can only go astray (DQ-03).",
        without="A second press after a failure is given to a newer question of the session.",
    )
    cached_id_checked: bool = rule(
        "QT-18",
        "QT-33",
        by="listener",
        reason="A POST to a closed id is told as a success that never was (DQ-03).",
        without="A question that the desk has answered is called answered from the phone.",
    )
    closed_is_told_at_once: bool = rule(
        "QT-33",
        by="listener",
        reason="A known id that has left the list never comes back (DQ-03).",
        without="Six seconds of waiting, then a failure, for a question long closed.",
    )
    callid_before_session: bool = rule(
        "QT-34",
        "QT-47",
        by="listener",
        reason="The callID names one question; a session may have several.",
        without="With two questions in a session no press is ever answered.",
    )
    never_guess: bool = rule(
        "QT-35",
        by="listener",
        reason="Between two questions of a session nothing decides but the callID.",
        without="The first of two questions gets the answer to the other.",
    )
    session_fallback_narrow: bool = rule(
        "QT-35",
        "I7",
        by="listener",
        reason="Another callID is another question (DQ-04); the letter of the seed takes the "
        "only one of the session all the same.",
        without="An old button answers a newer question of its session.",
    )
    own_session_only: bool = rule(
        "QT-36",
        by="listener",
        reason="Another session's question is another person's work.",
        without="The only open question of the project gets the answer, whosever it is.",
    )
    index_checked: bool = rule(
        "QT-09",
        "I4",
        by="listener",
        reason="An option that is not there has no value; none is invented (DQ-07).",
        without="The tool gets an answer that nobody has offered or chosen.",
    )
    items_may_lack_tool: bool = rule(
        "QT-50",
        by="listener",
        reason="Upstream may list a question without its call.",
        without="One such question in the list, and no press is answered any more.",
    )
    directory_in_query: bool = rule(
        "QT-06",
        "QT-07",
        "QT-10",
        by="listener",
        reason="Questions are kept by project; the list of none shows none.",
        without="The question is never found: a failure after six seconds.",
    )

    # ---- trying ----------------------------------------------------------------
    retry_20x300: bool = rule(
        "QT-37",
        "QT-38",
        "QT-40",
        by="listener",
        reason="The buttons are there before the tool has registered its question.",
        without="Who presses at once is told of a failure.",
    )
    tries_are_counted: bool = rule(
        "QT-37",
        "QT-39",
        "I5",
        by="listener",
        reason="Nothing waits without bound: 20 lists, 300 ms apart (DQ-11).",
        without="A press for a question that is gone never gets an answer.",
    )
    failed_list_ends_it: bool = rule(
        "QT-41",
        by="listener",
        reason="A list that fails is no list without the question (DQ-11).",
        without="The user waits six seconds to hear that OpenCode is down.",
    )
    no_second_post: bool = rule(
        "QT-43",
        "I1",
        by="listener",
        reason="A reply whose answer was lost may have been applied (DQ-18).",
        without="One press answers twice: what came meanwhile is overwritten or lost.",
    )
    claim_before_get: bool = rule(
        "I1",
        "I8",
        by="listener",
        reason="Two taps, or two listeners, read the same entry (DQ-13).",
        without="Two replies for one question; success and failure side by side.",
    )
    stale_claims_are_void: bool = rule(
        "I3",
        by="listener",
        reason="Who claimed and died will never answer (DQ-13).",
        without="After a crash in the middle the question says «in progress» for ever.",
    )

    # ---- custom answers ----------------------------------------------------------
    prompt_is_remembered: bool = rule(
        "QT-24",
        by="listener",
        reason="The reply names the prompt, and nothing else names the question.",
        without="A reply to the prompt has no effect.",
    )
    reply_before_fallback: bool = rule(
        "QT-25",
        by="listener",
        reason="A reply says which question it is for.",
        without="The answer to an older question lands on the newest.",
    )
    newest_wait_wins: bool = rule(
        "QT-27",
        by="listener",
        reason="Plain text goes to the question that was asked for last (DQ-01).",
        without="With two waiting questions a plain text has no effect.",
    )
    fallback_is_personal: bool = rule(
        "QT-27",
        "I4",
        by="listener",
        reason="What others wait for is none of a speaker's business (DQ-01).",
        without="A word said in the group answers somebody else's question.",
    )
    dead_prompt_is_no_fallback: bool = rule(
        "QT-25",
        "QT-27",
        by="listener",
        reason="A reply to something else has a relation, and it is not this one (DQ-02).",
        without="A late reply to an answered question answers another one.",
    )
    text_only_when_awaited: bool = rule(
        "QT-27",
        "I4",
        by="listener",
        reason="Without a press on the custom button nobody has said that he will type (DQ-01).",
        without="Any word in the group answers the open question.",
    )
    last_press_owns_wait: bool = rule(
        "QT-22",
        "QT-24",
        by="listener",
        reason="The last who asked to type is the one who types (DQ-06).",
        without="Two people type for one question, and the first to finish wins.",
    )
    option_ends_wait: bool = rule(
        "QT-22",
        by="listener",
        reason="Who presses an option after all has changed his mind (DQ-06).",
        without="When that option fails, the next chance word is sent as the answer.",
    )
    only_this_chat: bool = rule(
        "QT-17",
        "I4",
        by="listener",
        reason="The members of the configured chat may answer, and nobody else, nor bots (DQ-06).",
        without="A stranger who finds the bot answers for the team.",
    )

    # ---- after the reply -----------------------------------------------------------
    remove_on_success: bool = rule(
        "QT-20",
        "QT-26",
        "I2",
        by="listener",
        reason="What is answered is over.",
        without="The old button lives on; half an hour later a reject is tried.",
    )
    edit_on_success: bool = rule(
        "QT-19",
        "I2",
        by="listener",
        reason="The chat must show that it is done.",
        without="Buttons stay, and people press again.",
    )
    remove_after_success_only: bool = rule(
        "QT-21",
        "QT-42",
        "QT-43",
        "I3",
        by="listener",
        reason="Until the reply is taken everything may be needed again (DQ-18).",
        without="One failure, and the question says «expired».",
    )
    edit_after_success_only: bool = rule(
        "QT-21",
        by="listener",
        reason="A message must not show as chosen what was never sent.",
        without="The chat says «chosen», and the tool waits.",
    )
    telegram_trouble_is_none: bool = rule(
        "I10",
        by="listener",
        reason="The answer is with OpenCode, whatever the chat can show of it (DQ-17).",
        without="Success and failure are told of one answer.",
    )
    failure_in_the_seeds_words: bool = rule(
        "QT-41",
        "QT-43",
        by="listener",
        reason="Press or text, the user always learns that it failed, in one wording (DQ-18).",
        without="Silence: the user believes that it was sent.",
    )
    one_toast: bool = rule(
        "I10",
        by="listener",
        reason="A press is acknowledged once, by how it ended.",
        without="A press says «sent», and then something else.",
    )

    # ---- time ------------------------------------------------------------------------
    edge_of_ttl: bool = rule(
        "QT-32",
        by="listener",
        reason="Half an hour is half an hour: 30:00.000 still counts (DQ-09).",
        without="An answer in time is called too late.",
    )
    age_at_handling: bool = rule(
        "QT-32",
        by="listener",
        reason="A press is in time or not, whenever somebody cleans (DQ-09).",
        without="The same press is good or bad by the whim of a cleaning turn.",
    )
    expiry_spares_handling: bool = rule(
        "QT-32",
        "I9",
        by="listener",
        reason="What began in time goes on to its end (DQ-09).",
        without="A question is rejected while its answer is on the way.",
    )
    reject_at_expiry: bool = rule(
        "QT-32",
        by="listener",
        reason="A question that nobody answers must not block its session.",
        without="The tool hangs for ever.",
    )
    rejected_once: bool = rule(
        "QT-44",
        by="listener",
        reason="A late second try could hit an answer from the desk (DQ-10).",
        without="A reject that failed is repeated at every turn, until it kills an answer.",
    )
    reject_failure_only_warns: bool = rule(
        "QT-44",
        "I6",
        by="listener",
        reason="One dead question is no reason to stop.",
        without="After one failed reject nobody is served any more.",
    )

    # ---- the loop -----------------------------------------------------------------
    poll_goes_on: bool = rule(
        "QT-45",
        "I6",
        by="listener",
        reason="Networks fail and mend; a 409 passes (DQ-15).",
        without="One reset of a connection, and the bridge is dead.",
    )
    link_is_named: bool = rule(
        "QT-45",
        by="listener",
        reason="«fetch failed» says nothing until one knows which link it was.",
        without="A false alarm, and somebody restarts what was healthy.",
    )
    offset_after_handling: bool = rule(
        "I3",
        by="listener",
        reason="Telegram forgets an update at the next offset (DQ-14).",
        without="A crash in the middle, and a press is lost.",
    )
    handlers_side_by_side: bool = rule(
        "QT-47",
        by="listener",
        reason="Nobody waits six seconds for a stranger's question (DQ-14).",
        without="One slow question blocks everybody.",
    )
    bad_update_is_skipped: bool = rule(
        "I6",
        by="listener",
        reason="A handler that raises has ended, too (DQ-14).",
        without="One update that nobody can handle comes back for ever, or ends the loop.",
    )
    log_chain: bool = rule(
        "QT-49",
        by="listener",
        reason="Four lines, in order, prove where a custom answer went.",
        without="Nobody can tell at which link an answer was lost.",
    )
