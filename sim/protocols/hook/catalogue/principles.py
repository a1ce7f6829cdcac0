"""What the protocol is made of, and how it ages (spec §1, §2, §3, §6, §9)."""

from __future__ import annotations

from sim.protocols.hook.catalogue.row import BOTH, DESKTOP, SERVER, Row

ROWS = (
    Row(
        "HK-01",
        "§1",
        DESKTOP,
        "Tasks with the same externalKey share one desktop session, without a frame that says so.",
        "The assistant has forgotten the earlier messages of the thread.",
    ),
    Row(
        "HK-02",
        "§1",
        DESKTOP,
        "A dispatch is answered by exactly one ack (accepted, queued or rejected) before anything "
        "is done about it.",
        "The thread stays silent and the server sends the task again.",
    ),
    Row(
        "HK-03",
        "§1",
        DESKTOP,
        "What was accepted or queued is handed in with a turn.end sooner or later.",
        'The placeholder says "working" for good.',
    ),
    Row(
        "HK-04",
        "§6, §5.1",
        DESKTOP,
        "A new connection begins with hello.",
        "The server cannot tell whose connection it is, and routes nothing to it.",
    ),
    Row(
        "HK-05",
        "§6, §5.1",
        SERVER,
        "hello gets a welcome, and only what its features list may be used from then on; an empty "
        "list allows nothing.",
        "Functions come and go by chance.",
    ),
    Row(
        "HK-06",
        "§6",
        DESKTOP,
        "The frames about one request come in order: ack, then progress and cards, then one end, "
        "then nothing.",
        "A finished message goes back to running.",
    ),
    Row(
        "HK-07",
        "§2.1",
        DESKTOP,
        "externalKey is somebody else's name: compared and returned unchanged, never taken apart.",
        "Answers land in a wrong thread, or nowhere.",
    ),
    Row(
        "HK-08",
        "§2.1",
        SERVER,
        "The side of the channel makes the key, beginning with its own name, one per conversation.",
        "Two channels' conversations collide in one session.",
    ),
    Row(
        "HK-09",
        "§2.2",
        DESKTOP,
        "Folders have aliases on the wire; no field that a desktop fills holds an absolute path.",
        "Names of private folders show up in a chat or on a server.",
    ),
    Row(
        "HK-10",
        "§2.2, §5 default",
        SERVER,
        "Only aliases of the connection's newest hello are dispatched to.",
        "A task is refused, or runs where nobody allowed it.",
    ),
    Row(
        "HK-11",
        "§2.3",
        SERVER,
        "Cards are drawn and presses passed back as they are; the server decides nothing and "
        "understands no button.",
        "An approval does what nobody pressed.",
    ),
    Row(
        "HK-12",
        "§2.3",
        DESKTOP,
        "What a button means, when a question expires and what silence means is decided on the "
        "desktop.",
        "Nobody answers and the agent hangs, or an approval is granted by silence.",
    ),
    Row(
        "HK-13",
        "§2.4, §8",
        BOTH,
        "Every frame that arrives goes through one parser, which answers with a verdict and a path"
        " and never raises.",
        "One malformed frame takes the whole process down.",
    ),
    Row(
        "HK-14",
        "§2.5",
        SERVER,
        "Ordinary tasks name no session; a session is named only to take it over.",
        "An answer jumps into a conversation that has nothing to do with it.",
    ),
    Row(
        "HK-15",
        "§2.5",
        SERVER,
        "The sessionId of an ack or an end is kept as a note; nothing is routed by it.",
        "An answer is posted into the wrong thread.",
    ),
    Row(
        "HK-16",
        "§2.6",
        BOTH,
        "Binding, preferences and session lists of other channels are used only when both sides "
        "announced them.",
        "Buttons do nothing and requests time out.",
    ),
    Row(
        "HK-17",
        "§2.6",
        BOTH,
        "A provider-neutral channel needs provider:<id> in the welcome as well.",
        "The desktop offers to set up a channel that this server does not have.",
    ),
    Row(
        "HK-18",
        "§2.6",
        BOTH,
        "A channel that lacks a feature is hidden; Slack goes on exactly as before.",
        "Switching a new channel off breaks Slack.",
    ),
    Row(
        "HK-19",
        "§2.7",
        SERVER,
        "Preferences of other channels live in rows of their own and never touch Slack's.",
        "Choosing a model in Telegram changes the one used in Slack.",
    ),
    Row(
        "HK-20",
        "§2.7",
        SERVER,
        "Preference rows of provider-neutral channels have no team.",
        "The frame is refused and the settings page stays empty.",
    ),
    Row(
        "HK-21",
        "§3",
        BOTH,
        "Version 1 is the only one; a frame with another is refused.",
        "Old and new programs misread each other.",
    ),
    Row(
        "HK-22",
        "§3",
        BOTH,
        "A frame's id is its own and new each time; who answers whom is told by ids in the "
        "payload.",
        "Answers are paired with the wrong question.",
    ),
    Row(
        "HK-23",
        "§3",
        BOTH,
        "The time stamp of a frame is for logs; nothing depends on it.",
        "A wrong clock breaks tasks.",
    ),
    Row(
        "HK-24",
        "§3",
        BOTH,
        "A frame of an unknown type is dropped and the connection stays.",
        "After a server upgrade desktops fall offline.",
    ),
    Row(
        "HK-25",
        "§3",
        BOTH,
        "Fields that a parser does not know are passed over, save in the few strict shapes.",
        "An upgrade of one side stops everything.",
    ),
    Row(
        "HK-26",
        "§3, §9",
        BOTH,
        "A new optional field has a meaning when it is absent.",
        '"Install the app" leads nowhere.',
    ),
    Row(
        "HK-27",
        "§3",
        DESKTOP,
        "lifecycle.preference goes only to a server that announced it.",
        "The switch looks saved, but nothing was.",
    ),
    Row(
        "HK-28",
        "§3",
        SERVER,
        "A server that does not know the notice setting in hello goes on announcing.",
        "Nothing is lost: an old server stays as talkative as it was.",
    ),
    Row(
        "HK-29",
        "§3",
        SERVER,
        "A hello without the notice setting asks for notices.",
        "Notices stop after an upgrade of the server alone.",
    ),
    Row(
        "HK-30",
        "§3, §5 lifecycle",
        SERVER,
        "The notice setting is that of the newest hello or preference, at once and for this device"
        " only.",
        "A switch works after a restart only, or silences somebody else's device.",
    ),
    Row(
        "HK-31",
        "§3",
        BOTH,
        "New revisions add; the old flows of bind and prefs keep their types, fields and builders.",
        "Old programs break.",
    ),
    Row(
        "HK-32",
        "§3",
        BOTH,
        "Frames of provider-neutral channels go only to a peer that announced them; an older one "
        "drops them.",
        "Logs fill up, requests time out.",
    ),
    Row(
        "HK-33",
        "§3",
        BOTH,
        "A frame has at most 48 Mi characters; whoever makes attachments keeps below.",
        "A task or a result disappears without a word.",
    ),
    Row(
        "HK-34",
        "§3, §4",
        BOTH,
        "A refused frame leaves the connection and every other frame on it as they are.",
        "One bad frame stops all the others.",
    ),
    Row(
        "HK-35",
        "§9",
        BOTH,
        "A new kind of request has an answer for the case that an old peer never replies.",
        "A spinner turns for ever.",
    ),
    Row(
        "HK-36",
        "§9",
        BOTH,
        "What is not compatible gets a new version, and both sides move together.",
        "A mixed fleet misunderstands itself.",
    ),
)
