"""The server's accounts and sign-ins: what each guard is for, above all behind an await."""

from __future__ import annotations

from typing import Any

import pytest

from sim.channel.api import SignedIn
from sim.core.op import Erase, Save, Send, StartTimer, StopTimer
from sim.protocols.hook import BindRevoke, BindStart, ProviderBindCancel, ProviderBindStart
from sim.protocols.hook.server.accounts.links import secret_of, slack_url
from tests.protocols.hook.accounts_play import AccountsPlay
from tests.protocols.hook.by_hand import ByHand


class Stage(AccountsPlay):
    """A server whose handlers can be moved by hand; D is connected on one lane."""

    def __init__(self, lane: str = "telegram", **more: Any) -> None:
        super().__init__(**more)
        self.lane = lane
        self.join(lane)

    @property
    def server(self) -> Any:
        return self.world.hosts["S"].actor

    @property
    def neutral(self) -> Any:
        return self.server.books.provider_bindings

    @property
    def slack(self) -> Any:
        return self.server.books.slack_bindings

    @property
    def socket(self) -> Any:
        return self.server.memory.desks[self.lane, "D"].socket

    def hand(self, run: Any, *answers: Any) -> ByHand:
        return ByHand(self.world, "S", run, *answers)

    def starting(self) -> Any:
        """The handler of another attempt, not begun."""
        if self.lane == "slack":
            return self.slack.start(self.socket, BindStart())
        body = ProviderBindStart(request_id="q9", provider="telegram", scope_id=None)
        return self.neutral.start(self.socket, body)

    def started(self) -> Any:
        """Another attempt is under way."""
        self.hand(self.starting()).finish()
        return next(iter(self.attempts.values()))

    @property
    def attempts(self) -> Any:
        return (self.slack if self.lane == "slack" else self.neutral)._attempts

    def back(self, attempt: Any, person: str = "Alice", event: str = "e1") -> Any:
        """The handler of the account's return from that attempt's link, not begun."""
        who = SignedIn(event, attempt.link, person, team="T1", user=f"u-{person}", user_name=person)
        return (self.slack if self.lane == "slack" else self.neutral).signed_in(who)


def sent(run: ByHand) -> list[str]:
    """Types and states of what a handler sent."""
    bodies = [op.frame.body for op in run.asked(Send)]
    return [getattr(body, "state", type(body).__name__) for body in bodies]


LANES = pytest.mark.parametrize("lane", ["telegram", "slack"])


# -- attempts -------------------------------------------------------------------------------


@LANES
@pytest.mark.parametrize("behind", [Save, StartTimer])
def test_of_two_attempts_at_once_the_newer_one_is_watched_and_told(lane: str, behind: Any) -> None:
    """hook RC-87"""
    play = Stage(lane)
    run = play.hand(play.starting()).behind(behind)
    newer = play.started()
    done = len(run.ops)
    assert len(run.finish().ops) == done
    assert list(play.attempts.values()) == [newer]


@LANES
def test_an_attempt_that_is_over_leaves_a_newer_one_alone(lane: str) -> None:
    play = Stage(lane)
    old = play.started()
    declined = SignedIn("e1", old.link, "Alice", declined=True)
    book = play.slack if lane == "slack" else play.neutral
    run = play.hand(book.signed_in(declined)).behind(Erase)
    newer = play.started()
    run.finish()
    assert list(play.attempts.values()) == [newer]
    assert run.asked(StopTimer) == []
    assert sent(run) == ([] if lane == "slack" else ["denied"])


@LANES
def test_an_attempt_that_began_while_an_older_one_was_confirmed_is_kept(lane: str) -> None:
    play = Stage(lane)
    run = play.hand(play.back(play.started())).behind(Save)
    newer = play.started()
    assert run.finish().asked(Erase) == run.asked(StopTimer) == []
    assert list(play.attempts.values()) == [newer]
    assert len(play.rows(f"{'slack' if lane == 'slack' else 'provider'}-attempt/")) == 1


@LANES
def test_nothing_is_left_of_an_attempt_that_is_over(lane: str) -> None:
    play = Stage(lane)
    old = play.started()
    declined = SignedIn("e1", old.link, "Alice", declined=True)
    book = play.slack if lane == "slack" else play.neutral
    run = play.hand(book.signed_in(declined)).finish()
    assert len(run.asked(Erase)) == len(run.asked(StopTimer)) == 1
    assert sent(run) == ["denied"]


def test_the_end_of_an_old_attempt_is_not_the_end_of_the_present_one() -> None:
    play = Stage(off=("newest_link_only",))
    old = play.started()
    newer = play.started()
    assert old is not newer
    finish = play.neutral._finish(old, "decline", "declined", None)
    assert play.hand(finish).finish().asked(Erase) == []
    assert list(play.attempts.values()) == [newer]
    play.hand(play.back(old)).finish()
    assert list(play.attempts.values()) == [newer]


@LANES
def test_a_timer_of_an_older_attempt_ends_no_newer_one(lane: str) -> None:
    play = Stage(lane)
    attempt = play.started()
    expire = play.slack.expire("D") if lane == "slack" else play.neutral.expire("telegram/D")
    assert play.hand(expire).finish().ops == []
    assert list(play.attempts.values()) == [attempt]


def test_a_question_about_an_attempt_that_was_replaced_is_not_asked() -> None:
    play = Stage(asks_to_confirm=True)
    attempt = play.started()
    run = play.hand(play.neutral.ask(attempt.link, "Alice")).behind(Save)
    play.started()
    assert run.finish().result is False
    assert run.asked(Send) == []


@LANES
def test_a_link_that_has_done_its_work_is_no_attempt_after_a_crash(lane: str) -> None:
    play = Stage(lane)
    attempt = play.started()
    play.hand(play.back(attempt)).behind(Save)
    play.restart_server()
    assert play.attempts == {}
    assert play.rows(f"{'slack' if lane == 'slack' else 'provider'}-attempt/") == []


@LANES
def test_a_link_that_has_not_is_one(lane: str) -> None:
    play = Stage(lane)
    attempt = play.started()
    play.restart_server()
    assert [one.link for one in play.attempts.values()] == [attempt.link]


def test_a_sign_in_page_is_pinned_to_a_team_or_to_none() -> None:
    """HK-87"""
    assert "team=" not in slack_url("s", "")
    assert "team=T1" in slack_url("s", "T1")
    assert secret_of(slack_url("s", "T1")) == "s"


# -- bindings -------------------------------------------------------------------------------


@LANES
def test_a_binding_that_ended_while_it_was_stored_is_not_told(lane: str) -> None:
    play = Stage(lane)
    run = play.hand(play.back(play.started())).behind(Save)
    book = play.slack if lane == "slack" else play.neutral
    row = next(iter(book._bound.values()))
    book._drop(row)
    assert "confirmed" not in sent(run.finish())


def test_the_plans_accounts_of_slack_are_bound_on_slack_only() -> None:
    play = Stage(bound=True)
    assert play.neutral.of_person("telegram", "Alice") is not None
    assert play.neutral.of_person("slack", "Alice") is None
    assert play.slack.of_person("T1", "Alice") is not None


def test_a_cancel_on_a_connection_that_is_gone_tells_nobody() -> None:
    play = Stage(bound=True)
    attempt = play.started()
    body = ProviderBindCancel(request_id="q1", provider="telegram", attempt_id=attempt.attempt)
    run = play.hand(play.neutral.cancel(play.socket, body)).behind(Erase)
    play.cut()
    assert run.finish().asked(Send) == []


def test_a_cancel_tells_how_things_stand() -> None:
    """HK-110"""
    play = Stage(bound=True)
    attempt = play.started()
    body = ProviderBindCancel(request_id="q1", provider="telegram", attempt_id=attempt.attempt)
    assert sent(play.hand(play.neutral.cancel(play.socket, body)).finish()) == [
        "denied",
        "confirmed",
    ]


@pytest.mark.parametrize(
    ("provider", "off", "may"),
    [("telegram", (), True), ("x", (), False), ("x", ("features_agreed",), False),
     ("telegram", ("features_agreed",), True)],
)  # fmt: skip
def test_where_binding_frames_may_pass(provider: str, off: tuple[str, ...], may: bool) -> None:
    """HK-16, HK-17"""
    assert Stage(off=off).neutral.can_use(Stage(off=off).socket, provider) is may


@pytest.mark.parametrize(("off", "may"), [((), False), (("features_agreed",), True)])
def test_a_desktop_without_the_feature_gets_binding_frames_with_that_rule_off_only(
    off: tuple[str, ...], may: bool
) -> None:
    """HK-16"""
    play = AccountsPlay(off=off)
    play.join("telegram", features=())
    server: Any = play.world.hosts["S"].actor
    socket = server.memory.desks["telegram", "D"].socket
    assert server.books.provider_bindings.can_use(socket, "telegram") is may


# -- Slack ----------------------------------------------------------------------------------


def test_the_same_account_on_the_same_desktop_displaces_nothing() -> None:
    play = Stage("slack", bound=True)
    run = play.hand(play.back(play.started())).finish()
    assert len(run.asked(Save)) == 1
    assert sent(run) == ["confirmed", "BindState"]


def test_another_account_of_a_team_on_the_same_desktop_is_not_told_as_revoked() -> None:
    play = Stage("slack", bound=True)
    run = play.hand(play.back(play.started(), "Carol")).finish()
    assert len(run.asked(Save)) == 2
    assert sent(run) == ["confirmed", "BindState"]


def test_the_same_account_on_another_desktop_is_told_to_both() -> None:
    """hook RC-85"""
    play = Stage("slack", bound=True)
    play.join("slack", "D2")
    run = play.hand(play.back(play.started(), "Bob")).finish()
    assert sent(run) == ["revoked", "BindState", "confirmed", "BindState"]


def revoking(play: Stage, **fields: Any) -> ByHand:
    return play.hand(play.slack.revoke(play.socket, BindRevoke(**fields)))


def test_where_nothing_is_bound_nothing_is_revoked() -> None:
    play = Stage("slack")
    assert revoking(play).finish().ops == []


def test_a_sign_in_that_is_taken_back_is_forgotten() -> None:
    """HK-94"""
    play = Stage("slack")
    play.started()
    run = revoking(play, pending_only=True).finish()
    assert [type(op) for op in run.ops] == [Erase, StopTimer, Send]
    assert sent(run) == ["none"]


def test_a_binding_that_came_back_while_its_end_was_stored_is_not_told_as_revoked() -> None:
    play = Stage("slack", bound=True)
    row = play.slack.of_person("T1", "Alice")
    run = revoking(play).behind(Save)
    play.slack._put(row)
    assert sent(run.finish()) == ["BindState"]


def test_the_end_of_a_binding_that_is_there_again_is_not_stored() -> None:
    play = Stage("slack", bound=True)
    row = play.slack.of_person("T1", "Alice")
    (save,) = play.hand(play.slack._save(row, "revoke")).finish().asked(Save)
    assert save.value.state == "CONFIRMED"
    play.slack._drop(row)
    (save,) = play.hand(play.slack._save(row, "revoke")).finish().asked(Save)
    assert save.value.state == "REVOKED"
