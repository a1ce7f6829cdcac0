"""A command that needs somebody who is signed in: the hand-over to a person."""

import pytest

from sim.protocols.relay.browser import LOGIN, HandedOver, Login, Page, Web
from tests.protocols.relay.browser.acting import Acting

INBOX = "https://mail.example/inbox"
ENTRANCE = "https://mail.example/login"
SITE = "mail.example"
RUN = {"site": SITE, "command": "getInbox"}


@pytest.fixture
def acting():
    found = Acting()
    found.open(INBOX)
    return found


def url(acting, tab="tab_1"):
    return acting.browser.tabs[tab].url


def state(acting):
    return acting.browser.login(SITE).state


def test_a_page_for_members_leads_strangers_to_the_entrance(acting):
    assert url(acting) == ENTRANCE
    acting.browser.person_signs_in(SITE, acting.now_ms)
    assert url(acting) == INBOX
    assert url(acting, acting.open(INBOX)) == INBOX


def test_a_command_waits_for_the_person_and_then_goes_on(acting):
    waits = acting.outcome("command.run", "tab_1", **RUN)
    assert waits == HandedOver(SITE, "tab_1", ENTRANCE)
    assert acting.outcome("command.run", "tab_1", **RUN) == waits
    assert acting.browser.login(SITE).waiting == ["r-1"]
    acting.browser.person_signs_in(SITE, acting.now_ms)
    messages = acting.do("command.run", "tab_1", **RUN)["messages"]
    assert [one["subject"] for one in messages] == ["Berth 7 is yours", "Über die Lampe: 灯塔"]
    assert acting.browser.login(SITE).waiting == []


def test_a_tab_elsewhere_on_the_site_is_led_to_the_entrance_and_back(acting):
    acting.browser.person_signs_in(SITE, acting.now_ms)
    assert acting.browser.sign_out(SITE)
    assert url(acting) == INBOX
    assert isinstance(acting.outcome("command.run", "tab_1", **RUN), HandedOver)
    assert url(acting) == ENTRANCE
    acting.browser.person_signs_in(SITE, acting.now_ms)
    assert url(acting) == INBOX


def test_strict_commands_do_not_wait_and_disturb_no_tab(acting):
    for tab in ("tab_1", ""):
        code = acting.code("command.run", tab, **RUN, authMode="strict_fail")
        assert code == "manual_login_required"
    assert state(acting) == "SIGNED_OUT"


def test_a_command_without_a_tab_has_nothing_to_hand_over(acting):
    assert acting.code("command.run", **RUN) == "manual_login_required"


def test_a_command_that_skips_the_question_runs_as_a_stranger(acting):
    assert acting.do("command.run", "tab_1", **RUN, authMode="skip")["messages"] == []


def test_another_mode_is_refused(acting):
    assert acting.code("command.run", "tab_1", **RUN, authMode="maybe") == "invalid_auth_mode"


def test_whoever_waited_for_a_person_who_declined_ends_and_a_later_command_asks_again(acting):
    for request_id in ("a", "b"):
        waits = acting.outcome("command.run", "tab_1", request_id, **RUN)
        assert isinstance(waits, HandedOver)
    assert acting.browser.person_declines(SITE)
    later = acting.outcome("command.run", "tab_1", "c", **RUN)
    assert isinstance(later, HandedOver)
    for request_id in ("a", "b"):
        code = acting.code("command.run", "tab_1", request_id=request_id, **RUN)
        assert code == "manual_login_required"
    assert acting.browser.login(SITE).waiting == ["c"]
    assert acting.browser.login(SITE).declined == []


def test_a_person_who_comes_after_declining_lets_everybody_in(acting):
    acting.outcome("command.run", "tab_1", **RUN)
    acting.browser.person_declines(SITE)
    acting.browser.person_signs_in(SITE, acting.now_ms)
    assert len(acting.do("command.run", "tab_1", **RUN)["messages"]) == 2


def test_with_the_last_command_that_gives_up_the_hand_over_ends(acting):
    acting.browser.person_signs_in(SITE, acting.now_ms)
    acting.browser.sign_out(SITE)
    for request_id in ("a", "b"):
        acting.outcome("command.run", "tab_1", request_id, **RUN)
    acting.browser.give_up("a", acting.now_ms)
    assert state(acting) == "HANDED_OVER"
    acting.browser.give_up("b", acting.now_ms)
    assert state(acting) == "SIGNED_OUT"
    acting.browser.give_up("b", acting.now_ms)


def test_a_command_whose_tab_is_closed_while_it_waits_waits_no_more(acting):
    acting.outcome("command.run", "tab_1", **RUN)
    acting.browser.person_closes("tab_1")
    assert acting.code("command.run", "tab_1", **RUN) == "tab_session_closed"
    assert state(acting) == "SIGNED_OUT"


@pytest.mark.parametrize("deed", ["person_declines", "sign_out"])
def test_nothing_comes_of_a_deed_that_nobody_asked_for(acting, deed):
    assert not getattr(acting.browser, deed)(SITE)
    assert state(acting) == "SIGNED_OUT"


def test_a_command_that_was_cancelled_after_the_person_declined_leaves_nothing_behind(acting):
    acting.outcome("command.run", "tab_1", **RUN)
    acting.browser.person_declines(SITE)
    acting.browser.give_up("r-1", acting.now_ms)
    assert acting.browser.login(SITE).declined == []


def test_a_tab_stays_at_the_entrance_where_the_page_behind_it_does_not_load():
    pages = [
        Page("https://m.example/in", "In", text="<h1>In</h1>"),
        Page("https://m.example/x", "X", fails="refused", needs_login=True),
    ]
    acting = Acting(Web(pages, [Login("m.example", "https://m.example/in")]))
    tab = acting.open("https://m.example/x")
    acting.browser.person_signs_in("m.example", acting.now_ms)
    assert url(acting, tab) == "https://m.example/in"


def test_an_entrance_that_leads_nowhere_opens_no_page_for_members():
    page = Page("https://m.example/x", "X", text="secret", needs_login=True)
    acting = Acting(Web([page], [Login("m.example", "https://m.example/in")]))
    code = acting.code("primitive.tab.open", new_tab="t", url="https://m.example/x")
    assert code == "tab_create_failed"
    assert acting.code("primitive.page.screenshot", url="https://m.example/x") == (
        "tab_url_not_ready"
    )


def test_sites_have_logins_of_their_own(acting):
    acting.browser.person_signs_in("example.com", acting.now_ms)
    assert isinstance(acting.outcome("command.run", "tab_1", **RUN), HandedOver)


def test_the_table_of_logins_has_no_end():
    assert LOGIN.final() == ()
    assert set(LOGIN.states) == {"SIGNED_OUT", "HANDED_OVER", "SIGNED_IN", "DECLINED"}
