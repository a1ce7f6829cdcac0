"""The server's switchable rules about accounts and settings; see ``rules``.

The classes are a chain (``rules_desktop``, this, ``rules``): one object has them all.
"""

from __future__ import annotations

import attrs

from sim.core.rule import rule
from sim.protocols.hook.rules_desktop import DesktopRules


@attrs.frozen
class AccountRules(DesktopRules):
    """All rules on by default."""

    features_agreed: bool = rule(
        "HK-16",
        "HK-17",
        "HK-32",
        by="server",
        reason="A frame that one side does not know is dropped there, so nobody may rely on it.",
        without="Dead buttons and requests that nobody answers after a half-done upgrade.",
    )
    links_expire: bool = rule(
        "HK-115",
        by="server",
        reason="Whoever finds an old link must not be able to bind themselves with it.",
        without="A link from last week binds a stranger to the desktop.",
    )
    newest_link_only: bool = rule(
        "HK-113",
        "RC-87",
        by="server",
        reason="The desktop shows the newest attempt and drops frames that name another.",
        without="The server says confirmed, the desktop waits for ever.",
    )
    pending_only: bool = rule(
        "HK-94",
        by="server",
        reason="Giving up a sign-in says nothing about the accounts that are connected.",
        without="Cancelling 'add a workspace' disconnects everything.",
    )
    revoke_named_only: bool = rule(
        "HK-92",
        "HK-111",
        by="server",
        reason="The frame names what shall go.",
        without="Disconnecting one workspace loses all of them.",
    )
    bind_state_pushed: bool = rule(
        "HK-97",
        by="server",
        reason="The desktop's list is only as fresh as the last bind.state.",
        without="The settings page shows workspaces that another desktop has taken over.",
    )
    cancel_keeps_binding: bool = rule(
        "HK-110",
        by="server",
        reason="An attempt is not the binding that exists beside it.",
        without="Closing the connect dialogue disconnects the account.",
    )
    prefs_partial: bool = rule(
        "HK-146",
        "HK-120",
        by="server",
        reason="A set carries only what was changed.",
        without="Choosing a model resets the effort.",
    )
    prefs_isolated: bool = rule(
        "HK-19",
        by="server",
        reason="Slack's rows and those of other channels belong to different accounts.",
        without="A model that was chosen for Telegram answers in Slack.",
    )
    prefs_pushed: bool = rule(
        "HK-148",
        by="server",
        reason="The desktop learns of a choice in the channel from nobody else.",
        without="The desktop's settings show the old model.",
    )
    team_not_guessed: bool = rule(
        "HK-101",
        by="server",
        reason="With several workspaces a missing teamId can mean any of them.",
        without="A message is posted in the wrong workspace.",
    )
    behavior_partial: bool = rule(
        "HK-127",
        by="server",
        reason="A set carries only what was changed.",
        without="Turning off reactions resets the reply quotes.",
    )
    override_kept: bool = rule(
        "HK-128",
        by="server",
        reason="A choice that equals today's default is still a choice.",
        without="After an update the bot behaves as nobody had asked it to.",
    )
    unknown_tool_answered: bool = rule(
        "HK-152",
        by="server",
        reason="Newer desktops know tools that this server does not.",
        without="The agent hangs until its own time-out.",
    )
    tools_as_user: bool = rule(
        "HK-155",
        by="server",
        reason="The agent works for a person, with that person's rights and name.",
        without="A message appears under a name that nobody agreed to.",
    )
    query_grace: bool = rule(
        "RC-96",
        by="server",
        reason="A reconnect takes a second; that is no absence.",
        without="'The desktop is offline', says the bot while it is coming back.",
    )
    late_answers_dropped: bool = rule(
        "HK-103",
        "RC-96",
        by="server",
        reason="A late answer is about a question that nobody asks any more.",
        without="The picker shows the list of another question.",
    )
    relay_needs_features: bool = rule(
        "HK-156",
        "HK-157",
        by="server",
        reason="A desktop that cannot tell whom a message is for must not get it.",
        without="Group talk reaches clients that file it under the wrong account.",
    )
    recipient_at_sending: bool = rule(
        "HK-162",
        "HK-160",
        by="server",
        reason="Between joining a group and this message the binding may have changed.",
        without="Group talk is delivered to an account that was revoked.",
    )
    relay_forgets: bool = rule(
        "HK-158",
        "HK-159",
        by="server",
        reason="What people say in a group is kept on their own devices only.",
        without="The server keeps group talk, and floods a desktop with it after a holiday.",
    )
    credentials_filtered: bool = rule(
        "HK-167",
        by="server",
        reason="Who reads a binding link's token can use it.",
        without="A one-time token leaks to everybody's desktop.",
    )
    flaps_ignored: bool = rule(
        "RC-84",
        by="server",
        reason="A network blip is over before anybody could act on it.",
        without="'Offline', 'online', 'offline': the chat fills with noise.",
    )
    preference_at_once: bool = rule(
        "HK-30",
        by="server",
        reason="The switch on the desktop means from now on.",
        without="Notices go on after they were switched off.",
    )
    group_principal_in_key: bool = rule(
        "HK-163",
        by="server",
        reason="Each account's tasks in a group are a session of their own.",
        without="The desktop refuses group tasks, or mixes two people's sessions.",
    )
    listed_folders_only: bool = rule(
        "HK-10",
        "HK-50",
        by="server",
        reason="The latest hello lists every folder that may be used.",
        without="A task is rejected, or runs in a folder that was taken off the list.",
    )
    lane_before_default: bool = rule(
        "HK-53",
        by="server",
        reason="What somebody chose for a conversation counts more than the device's default.",
        without="A folder that was chosen with /bind is overridden.",
    )
