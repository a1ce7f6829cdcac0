"""How the bot behaves on Telegram: what was set, what holds, for whom."""

import pytest

from sim.channel.api import PostMessage
from sim.protocols.hook import (
    GroupActivationPatch,
    ProviderBehaviorGet,
    ProviderBehaviorSet,
    ProviderBehaviorState,
    ProviderBindRevoke,
)
from tests.protocols.hook.accounts_play import GROUP, TELEGRAM, AccountsPlay

BINDING = "telegram-Alice"
DEFAULTS = ("minimal", "off", "first")


def joined(**more):
    play = AccountsPlay(bound=True, **more)
    play.join("telegram")
    return play


def get(play, binding=BINDING):
    body = ProviderBehaviorGet(request_id="q0", provider="telegram", binding_id=binding)
    play.send(body)
    return play.last(ProviderBehaviorState)


def put(play, binding=BINDING, request="q1", **fields):
    body = ProviderBehaviorSet(
        request_id=request, provider="telegram", binding_id=binding, **fields
    )
    play.send(body)
    return play.last(ProviderBehaviorState)


def group(chat, value="always"):
    return {"group_activation": GroupActivationPatch(chat_id=chat, value=value)}


def settings(state):
    return (state.emoji_reactions, state.reply_quote_dm, state.reply_quote_group)


def manners(play, chat=GROUP):
    return play.world.hosts["S"].actor.books.behaviors.manners("telegram", "Alice", chat)


def test_what_was_not_set_is_the_default():
    """HK-126, HK-132"""
    state = get(joined())
    assert (state.reply_to, state.bound, settings(state)) == ("q0", True, DEFAULTS)
    assert state.group_activation == {}


@pytest.mark.parametrize(
    ("off", "left"), [((), ("off", "first", "first")), (("behavior_partial",), DEFAULTS)]
)
def test_a_set_changes_what_it_names(off, left):
    """HK-127"""
    play = joined(off=off)
    put(play, emoji_reactions="off", reply_quote_dm="first")
    state = put(play, reply_quote_group=None, request="q2")
    assert (state.reply_to, settings(state)) == ("q2", left)


def test_null_goes_back_to_the_default():
    """HK-129"""
    play = joined()
    assert settings(put(play, emoji_reactions="expressive"))[0] == "expressive"
    assert settings(put(play, emoji_reactions=None)) == DEFAULTS


@pytest.mark.parametrize(("off", "kept"), [((), "minimal"), (("override_kept",), "expressive")])
def test_a_choice_that_equals_the_default_survives_another_default(off, kept):
    """HK-128"""
    play = joined(off=off)
    put(play, emoji_reactions="minimal")
    books = play.world.hosts["S"].actor.books
    books.behaviors.defaults = {**books.behaviors.defaults, "emojiReactions": "expressive"}
    assert settings(get(play))[0] == kept


def test_groups_are_patched_one_at_a_time_and_without_a_limit():
    """HK-130, HK-133"""
    play = joined()
    chats = [f"-{n}" for n in range(1, 301)]
    for chat in chats:
        play.send(
            ProviderBehaviorSet(
                request_id=chat, provider="telegram", binding_id=BINDING, **group(chat)
            ),
            wait=0,
        )
    play.run(5)
    assert list(get(play).group_activation) == chats
    state = put(play, **group("-7", None))
    assert len(state.group_activation) == 299
    assert "-7" not in state.group_activation
    play.restart_server()
    play.join("telegram")
    assert len(get(play).group_activation) == 299


def test_an_unbound_selector_shows_the_defaults_and_stores_nothing():
    """HK-125, HK-134"""
    play = joined()
    put(play, emoji_reactions="off", **group(GROUP))
    play.send(ProviderBindRevoke(request_id="q5", provider="telegram", binding_id=BINDING))
    state = put(play, emoji_reactions="expressive")
    assert (state.bound, settings(state), state.group_activation) == (False, DEFAULTS, {})
    state = put(play, "telegram-Bob", emoji_reactions="off")
    assert (state.bound, settings(state)) == (False, DEFAULTS)
    assert [row.emoji_reactions for row in play.rows("behavior/")] == ["off"]


def test_settings_survive_a_crash_behind_their_row():
    play = joined(preempt=True)
    play.crash_behind("behavior/")
    body = ProviderBehaviorSet(
        request_id="q1", provider="telegram", binding_id=BINDING, reply_quote_dm="first"
    )
    play.send(body)
    play.restart()
    play.join("telegram")
    assert settings(get(play))[1] == "first"


def test_manners_follow_the_settings_and_the_kind_of_chat():
    play = joined()
    assert (manners(play).emoji, manners(play).quote) == ("minimal", "first")
    put(play, emoji_reactions="off", reply_quote_group="all", reply_quote_dm="first")
    assert (manners(play).emoji, manners(play).quote) == ("off", "all")
    assert manners(play, "10001").quote == "first"


def test_a_reply_quotes_as_it_was_set():
    play = joined()
    play.types("one", channel="TG")
    put(play, reply_quote_dm="first")
    play.types("two", channel="TG")
    quotes = [bool(p.reply_to) for p in play.calls(PostMessage) if p.role == "request"]
    assert quotes == [False, True]


def test_an_activated_group_needs_no_mention():
    play = joined()
    play.types("one", channel="TG", to_bot=False)
    assert not play.dispatched()
    put(play, **group(GROUP))
    play.types("two", channel="TG", to_bot=False)
    play.types("three", "Bob", channel="TG", to_bot=False)
    assert [d.prompt for d in play.dispatched()] == ["two"]


@pytest.mark.parametrize("side", ["server", "desktop"])
def test_without_the_feature_on_both_sides_the_frames_are_dropped(side):
    """HK-124"""
    play = AccountsPlay(bound=True)
    if side == "server":
        play.feature("provider-behavior-v1", False)
        play.join("telegram")
    else:
        without = tuple(f for f in TELEGRAM if f != "provider-behavior-v1")
        play.join("telegram", features=without)
    play.send(ProviderBehaviorGet(request_id="q", provider="telegram", binding_id=BINDING))
    assert not play.got(ProviderBehaviorState)
