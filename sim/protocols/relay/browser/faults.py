"""The codes with which a node refuses an inner payload of the wrong shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sim.protocols.relay.browser.outcome import invalid
from sim.protocols.relay.constants import HTTP_INTERCEPT
from sim.protocols.relay.parse import action_fault

_BY_PATH: Final[Mapping[str, str]] = {
    "primitive.tab.open.url": "tab_create_failed",
    "primitive.tab.navigate.url": "tab_url_not_ready",
    "primitive.page.screenshot.url": "tab_url_not_ready",
    "primitive.tab.close_owned.controllerClientId": "missing_controller_client_id",
    "listener.subscribe.listener": "missing_listener_name",
    "listener.subscribe.options.tabSessionId": "missing_tab_session",
    "listener.subscribe.options.site": "missing_site",
    "listener.unsubscribe.targetRequestId": "missing_listener_target_request",
}
_BY_FIELD: Final[Mapping[str, str]] = {
    "site": "missing_site",
    "command": "missing_command",
    "input": "invalid_command_input_schema",
    "authMode": "invalid_auth_mode",
}
_OPTIONS: Final = "listener.subscribe.options"


def refuse_if_faulty(action: str, payload: dict[str, Any]) -> None:
    """Raises Refusal where the payload breaks the declaration of its action."""
    fault = action_fault(action, payload)
    if fault is not None:
        path, text = fault
        raise invalid(_code_of(path), f"{path} {text}", "hooktwin explain " + action)
    if action == "listener.subscribe" and payload["listener"] != HTTP_INTERCEPT:
        name = payload["listener"]
        raise invalid("unsupported_listener", f"no listener {name!r}", f"there is {HTTP_INTERCEPT}")


def _code_of(path: str) -> str:
    if path in _BY_PATH:
        return _BY_PATH[path]
    if path.startswith(_OPTIONS):
        return "invalid_listener_options"
    if path.startswith("command."):
        return _BY_FIELD.get(path.rpartition(".")[2], "command_failed")
    return "command_failed"
