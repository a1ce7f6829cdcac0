"""The fold of bindings: nothing that is asked about a device needs a look at all the others."""

from __future__ import annotations

from typing import Any

import pytest

from sim.core.event import ConnectionClosed, ConnectionOpened, HostCrashed, Saved
from sim.protocols.hook.machine import CONFIRMED
from sim.protocols.hook.server.accounts.rows import ProviderBindingRow, SlackBindingRow
from sim.protocols.hook.view import HookView
from sim.protocols.hook.view_links import FORGETS


def saved(view: HookView, n: int, row: Any) -> None:
    """The server stores a binding."""
    view.on(Saved(n, n, -1, "S", "binding", row))


def neutral(binding: str, device: str, person: str, state: str = CONFIRMED) -> Any:
    return ProviderBindingRow(binding, "telegram", device, person, person, person, "s", state)


def test_a_binding_that_moves_to_another_device_is_found_there_only() -> None:
    view = HookView()
    saved(view, 1, neutral("b1", "D1", "U"))
    found = view.accounts.neutral_of("telegram", "D1")
    assert found is not None
    assert found.row.binding == "b1"
    saved(view, 2, neutral("b1", "D2", "U"))
    assert view.accounts.neutral_of("telegram", "D1") is None
    assert view.accounts.neutral_of("telegram", "D2") is found


@pytest.mark.parametrize("state", ["REVOKED", "SUPERSEDED"])
def test_a_binding_that_is_over_is_no_devices(state: str) -> None:
    view = HookView()
    saved(view, 1, neutral("b1", "D1", "U"))
    saved(view, 2, neutral("b2", "D1", "V"))
    saved(view, 3, neutral("b1", "D1", "U", state))
    found = view.accounts.neutral_of("telegram", "D1")
    assert found is not None
    assert found.row.binding == "b2"
    assert not view.accounts.may_ask("telegram", "", "U", "D1")
    assert view.accounts.may_ask("telegram", "", "V", "D1")
    assert view.accounts.may_ask("telegram", "", "W", "D1")  # nothing is stored of them


def test_whose_a_binding_is_may_change() -> None:
    view = HookView()
    saved(view, 1, neutral("b1", "D1", "U"))
    saved(view, 2, neutral("b1", "D1", "V"))
    assert view.accounts.may_ask("telegram", "", "V", "D1")
    assert not view.accounts.may_ask("telegram", "", "V", "D2")
    assert view.accounts.may_ask("telegram", "", "U", "D2")


def test_the_accounts_of_a_device_keep_their_order_when_they_are_stored_again() -> None:
    view = HookView()
    for n, team in enumerate(("T1", "T2", "T1")):
        saved(view, n, SlackBindingRow(team, "U", "U", "D1", CONFIRMED))
    assert [one.row.team for one in view.accounts.of_device("D1")] == ["T1", "T2"]
    saved(view, 4, SlackBindingRow("T1", "U", "U", "D2", CONFIRMED))
    assert [one.row.team for one in view.accounts.of_device("D1")] == ["T2"]


# -- connections ---------------------------------------------------------------


def opened(view: HookView, n: int, client: str = "D") -> str:
    name = f"{client}.slack#{n}"
    view.on(ConnectionOpened(n, n, -1, name, client, "S", "slack"))
    return name


def test_a_crash_ends_the_connections_of_its_host_and_of_no_other() -> None:
    view = HookView()
    mine, other = opened(view, 1), opened(view, 2, "D2")
    view.on(HostCrashed(3, 3, -1, "D", 1))
    assert not view.links[mine].client_open
    assert view.links[other].client_open
    view.on(HostCrashed(4, 4, -1, "S", 1))
    assert list(view.links) == [other]
    assert not view.links[other].server_open


def test_what_is_kept_of_connections_that_are_over_is_dropped() -> None:
    view = HookView()
    kept: dict[str, int] = {}
    for n in range(1_000):
        name = opened(view, n)
        kept[name] = n
        view.links.forget_over(kept)
        assert name in kept
        for host, peer in (("S", "D"), ("D", "S")):
            view.on(ConnectionClosed(n, n, -1, name, host, peer, 1000, "", host))
    assert not view.links
    assert len(kept) <= FORGETS + 2
