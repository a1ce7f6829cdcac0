"""Group talk: forwarded to the members' desktops, and forgotten."""

import msgspec
import pytest

from sim.channel.api import ChannelFault
from sim.protocols.hook import (
    ABSENT,
    GroupMessage,
    ProviderBindRevoke,
    ProviderBindStart,
    ProviderBindUpdate,
    TaskCancel,
)
from sim.protocols.hook.server.accounts.links import secret_of
from tests.protocols.hook.accounts_play import GROUP, TELEGRAM, AccountsPlay


def talking(*members, off=(), **more):
    """D and D2 are connected on Telegram; these people have spoken in the group."""
    play = AccountsPlay(bound=True, off=off, **more)
    play.join("telegram")
    play.join("telegram", "D2")
    for who in members:
        talk(play, "hi", who)
    return play


def talk(play, text, who="Alice", **more):
    play.types(text, who, channel="TG", to_bot=False, **more)


def lines(play, who="D"):
    return [m.text for m in play.got(GroupMessage, who)]


def stored(play):
    return [str(value) for _, value in play.world.hosts["S"].store.items("")]


# -- who gets it ---------------------------------------------------------------


def test_members_get_it_and_the_author_too():
    """HK-160"""
    play = talking("Alice")
    assert lines(play) == ["hi"]
    assert lines(play, "D2") == []
    talk(play, "hello", "Bob")
    talk(play, "lunch?")
    assert lines(play) == ["hi", "hello", "lunch?"]
    assert lines(play, "D2") == ["hello", "lunch?"]


def test_each_copy_names_its_own_target():
    """HK-161"""
    play = talking("Alice", "Bob")
    talk(play, "lunch?")
    names = [play.last(GroupMessage, who).recipient for who in ("D", "D2")]
    assert [(n.binding_id, n.principal_id) for n in names] == [
        ("telegram-Alice", "Alice"),
        ("telegram-Bob", "Bob"),
    ]


def test_a_person_who_is_not_bound_makes_no_member_but_is_heard():
    play = AccountsPlay(bindings={("telegram", "Alice"): "D"})
    play.join("telegram")
    talk(play, "hi")
    talk(play, "who are you?", "Bob")
    assert lines(play) == ["hi", "who are you?"]
    assert [row.principal for row in play.rows("member/")] == ["Alice"]


def test_a_frame_says_where_and_who():
    """HK-136, HK-165"""
    play = talking("Alice")
    talk(play, "lunch?", thread="t7")
    one = play.last(GroupMessage)
    assert (one.provider, one.chat_id, one.thread_id) == ("telegram", GROUP, "t7")
    assert (one.author.name, one.author.id, one.author.username) == ("Alice", "10001", "alice")
    assert one.sent_at > 0


def test_direct_chats_and_other_channels_are_not_groups():
    play = talking("Alice")
    play.join("slack")
    play.types("secret", channel="TG")
    play.types("in a channel", to_bot=False)
    assert lines(play) == ["hi"]


@pytest.mark.parametrize("missing", ["group-relay-v1", "group-relay-recipient-v1"])
@pytest.mark.parametrize("side", ["server", "desktop"])
@pytest.mark.parametrize(("off", "leaks"), [((), False), (("relay_needs_features",), True)])
def test_without_both_features_on_both_sides_nothing_is_forwarded(missing, side, off, leaks):
    """HK-156, HK-157, hook RC-95"""
    play = AccountsPlay(bound=True, off=off)
    if side == "server":
        play.feature(missing, False)
        play.join("telegram")
    else:
        play.join("telegram", features=tuple(f for f in TELEGRAM if f != missing))
    talk(play, "hi")
    assert bool(lines(play)) is leaks
    if side == "desktop":
        play.hello(features=TELEGRAM)
        assert lines(play) == ["hi"] * leaks


# -- who it is for, at the moment of sending -----------------------------------


@pytest.mark.parametrize(("off", "leaks"), [((), False), (("recipient_at_sending",), True)])
def test_a_revoked_account_gets_nothing_more(off, leaks):
    """HK-162"""
    play = talking("Alice", "Bob", off=off)
    body = ProviderBindRevoke(request_id="q", provider="telegram", binding_id="telegram-Alice")
    play.send(body)
    talk(play, "gone?", "Bob")
    assert ("gone?" in lines(play)) is leaks


@pytest.mark.parametrize(("off", "stale"), [((), False), (("recipient_at_sending",), True)])
def test_a_replaced_binding_is_not_named(off, stale):
    """hook RC-93"""
    play = talking(off=off, bindings={("telegram", "Bob"): "D2"})
    first = bind_alice(play)
    talk(play, "x")
    play.send(ProviderBindRevoke(request_id="q", provider="telegram", binding_id=first))
    second = bind_alice(play)
    # Bob speaks before she does: what the group knows of her is the old binding.
    talk(play, "and now?", "Bob")
    assert first != second
    assert play.last(GroupMessage).recipient.binding_id == (first if stale else second)


def bind_alice(play):
    """Alice binds her Telegram account to D. → the bindingId"""
    play.send(ProviderBindStart(request_id="q1", provider="telegram"))
    play.authorize(secret_of(play.last(ProviderBindUpdate).connect_url), "Alice", "TG")
    return play.last(ProviderBindUpdate).binding_id


# -- nothing stays -------------------------------------------------------------


@pytest.mark.parametrize(("off", "flood"), [((), []), (("relay_forgets",), ["planted"])])
def test_nothing_waits_for_a_desktop_that_was_offline(off, flood):
    """HK-158"""
    play = talking("Alice", "Bob", off=off)
    play.cut()
    talk(play, "planted", "Bob")
    play.join("telegram")
    assert [t for t in lines(play) if t == "planted"] == flood


def test_what_was_said_is_nowhere_on_the_server():
    """HK-159"""
    play = talking("Alice", "Bob")
    talk(play, "planted-7f3a", "Bob")
    assert lines(play)[-1] == "planted-7f3a"
    assert not [row for row in stored(play) if "planted" in row]
    assert "planted" not in str(play.notes(""))
    held = msgspec.json.encode([str(vars_of(b)) for b in books_of(play)]).decode()
    assert "planted" not in held
    assert {str(row) for row in play.rows("member/")} == {
        "MemberRow(provider='telegram', chat='-1001', principal='Alice')",
        "MemberRow(provider='telegram', chat='-1001', principal='Bob')",
    }


def books_of(play):
    actor = play.world.hosts["S"].actor
    return [actor.memory, actor.books.relay, actor.books.commands, actor.books.pickers]


def vars_of(thing):
    names = [n for cls in type(thing).__mro__ for n in getattr(cls, "__slots__", ())]
    return {n: getattr(thing, n, None) for n in names}


def test_members_are_known_again_after_a_restart():
    play = talking("Alice")
    play.restart_server()
    play.join("telegram")
    play.join("telegram", "D2")
    talk(play, "back", "Bob")
    assert lines(play)[-1] == "back"


@pytest.mark.parametrize(
    "text",
    [
        "/start " + "a" * 43,
        "/start@hooktwinbot " + "b" * 43,
        "look: /start " + "c" * 43,
        " /START x1",
        "is this yours? https://t.me/hooktwinbot?start=" + "d" * 43,
    ],
)
@pytest.mark.parametrize(("off", "leaks"), [((), False), (("credentials_filtered",), True)])
def test_one_time_credentials_are_not_forwarded(text, off, leaks):
    """HK-167"""
    play = talking("Alice", off=off)
    talk(play, text, "Bob")
    assert (text in lines(play)) is leaks
    assert not [row for row in stored(play) if "aaaa" in row or "bbbb" in row]


def test_talk_about_that_command_is_forwarded():
    """HK-167"""
    play = talking("Alice")
    for text in ("type /start to begin", "/start", "we start=soon"):
        talk(play, text, "Bob")
        assert lines(play)[-1] == text


def test_a_long_text_is_cut():
    """HK-168"""
    play = talking("Alice")
    talk(play, "x" * 4_090)
    assert len(lines(play)[-1]) == 4_000


def test_a_repeated_event_is_forwarded_once():
    play = talking("Alice")
    play.world.act("TG", ChannelFault("event", "repeated", 500_000))
    talk(play, "once", wait=5)
    assert lines(play).count("once") == 1


# -- a mention in a group ------------------------------------------------------


def test_a_mention_is_a_task_with_its_trigger_and_the_accounts_own_session():
    """HK-165, HK-01"""
    play = talking("Alice", "Bob")
    for who in ("Alice", "Bob"):
        play.types("@bot sum up", who, channel="TG", chat=GROUP)
    one, two = play.dispatched()[0], play.dispatched("D2")[0]
    heard = [m for m in play.got(GroupMessage) if m.text == "@bot sum up"]
    assert one.source.trigger_message_id == heard[0].message_id
    assert one.external_key != two.external_key
    assert ":Alice:" in one.external_key
    assert ":Bob:" in two.external_key
    play.restart_server()
    play.join("telegram")
    assert play.dispatched()[-1] == one


def test_with_the_rule_off_a_group_has_one_session():
    play = talking(off=("group_principal_in_key",))
    for who in ("Alice", "Bob"):
        play.types("@bot sum up", who, channel="TG", chat=GROUP)
    assert play.dispatched()[0].external_key == play.dispatched("D2")[0].external_key


def test_a_direct_task_names_no_group_and_slack_no_trigger():
    play = talking()
    play.join("slack")
    play.types("x", channel="TG")
    play.say("y")
    keys = [d.external_key for d in play.dispatched()]
    assert not [key for key in keys if ":group:" in key]
    assert play.dispatched()[1].source.trigger_message_id is ABSENT


def test_stop_in_a_group_stops_ones_own_task():
    play = talking("Alice", "Bob")
    for who in ("Alice", "Bob"):
        play.types("@bot sum up", who, channel="TG", chat=GROUP)
    play.ack(play.dispatched()[0].request_id)
    play.ack(play.dispatched("D2")[0].request_id, who="D2")
    play.types("/stop", channel="TG", chat=GROUP)
    assert play.got(TaskCancel)
    assert not play.got(TaskCancel, "D2")


def test_after_rebinding_a_group_task_has_the_new_accounts_key():
    """hook RC-94"""
    play = AccountsPlay(bindings={("telegram", "Alice"): "D"})
    play.join("telegram")
    play.types("@bot one", channel="TG", chat=GROUP)
    first = play.dispatched()[0]
    play.ack(first.request_id, "rejected", reason="invalid")
    play.send(ProviderBindStart(request_id="q1", provider="telegram"))
    play.authorize(secret_of(play.last(ProviderBindUpdate).connect_url), "Bob", "TG")
    principal = play.last(ProviderBindUpdate).principal_id
    play.types("@bot two", "Bob", channel="TG", chat=GROUP)
    assert f":{principal}:" in play.dispatched()[-1].external_key
    assert len([d for d in play.dispatched() if d.request_id == first.request_id]) == 1
