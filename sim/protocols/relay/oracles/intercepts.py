"""Subscriptions at nodes, and what network.http_intercept may report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.core.event import FrameSent
from sim.protocols.relay.browser.address import host_belongs_to, host_of
from sim.protocols.relay.browser.intercept import REDACTED, InterceptOptions, fits
from sim.protocols.relay.constants import SENSITIVE_HEADERS, SHARED_OBJECT_KINDS
from sim.protocols.relay.oracles.nodes import OfWork
from sim.protocols.relay.oracles.oracle import OfNodes
from sim.protocols.relay.view_nodes import HeardView, NodeView, WorkView
from sim.protocols.relay.view_records import SessionView
from sim.wire.exact import plain_object

SUBSCRIBE = "listener.subscribe"
UPDATE = "listener_update"


class InterceptsAreOfOpenTabs(OfWork):
    name = "intercepts-are-of-open-tabs"
    sentence = "A page is intercepted only in an open managed tab, at the site that was named."
    catalogue = ("OT-21", "OT-22")

    def ended(self, node: NodeView, work: WorkView, event: FrameSent) -> str | None:
        heard = node.heard.get((work.link, work.request_id))
        if work.action != SUBSCRIBE or not self.is_good or heard is None:
            return None
        if heard.options is None:
            return None
        self.exercised += 1
        tab = node.tabs.get(heard.options.tab_session_id)
        if tab is None:
            if not node.knows_all or node.opening:
                return None
            return f"{event.sender} intercepts in {heard.options.tab_session_id}, which is no tab"
        if not tab.is_open:
            return f"{event.sender} intercepts in {tab.tab}, which is closed"
        if host_belongs_to(host_of(tab.url), heard.options.site):
            return None
        return f"{event.sender} intercepts {heard.options.site} in {tab.tab}, which is at {tab.url}"


class InterceptsTellTheirOptions(OfWork):
    name = "intercepts-tell-their-options"
    sentence = "The result of an intercept has the options in force: lower-cased site, defaults."
    from_frames = True
    catalogue = ("OT-22", "OT-24", "OT-25", "OT-26")

    def ended(self, node: NodeView, work: WorkView, event: FrameSent) -> str | None:
        heard = node.heard.get((work.link, work.request_id))
        if work.action != SUBSCRIBE or not self.is_good or heard is None:
            return None
        told = self.data.get("options")
        if heard.options is None or not isinstance(told, dict):
            return None
        self.exercised += 1
        due = heard.options.to_wire()
        wrong = [name for name in due if told.get(name) != due[name]]
        return f"{event.sender} intercepts with another {wrong[0]}" if wrong else None


class OfUpdates(OfNodes):
    """Looks at the updates of nodes, with their subscription there."""

    families = ("event",)

    def judge(self, session: SessionView, event: FrameSent) -> str | None:
        if self.view.payload.get("type") != UPDATE:
            return None
        node = self.view.node(event.sender)
        heard = node.heard.get((event.link, str(self.view.said.get("requestId"))))
        return self.told(heard, plain_object(self.view.payload.get("data")), event)

    def told(
        self, heard: HeardView | None, data: Mapping[str, Any], event: FrameSent
    ) -> str | None:
        """What is wrong with this update."""
        raise NotImplementedError


class NodesTellTheirSubscribers(OfUpdates):
    name = "nodes-tell-their-subscribers"
    sentence = (
        "A node sends updates under the requestId of a subscribe, from its good result on the "
        "same connection to the result of its unsubscribe."
    )
    catalogue = ("OT-14", "OT-17", "OT-19", "OT-20")

    def told(
        self, heard: HeardView | None, data: Mapping[str, Any], event: FrameSent
    ) -> str | None:
        self.exercised += 1
        request_id = self.view.said.get("requestId")
        if heard is None:
            return f"{event.sender} sends an update of {request_id!r}, which nobody has turned on"
        if heard.off_n >= 0:
            return f"{event.sender} sends an update of {request_id!r}, which was turned off"
        return None


class UpdatesPassTheFilters(OfUpdates):
    name = "updates-pass-the-filters"
    sentence = (
        "A raw update is of the site or an allowed host, of a wanted address, type and source, and "
        "holds of headers and bodies what was asked for."
    )
    from_frames = True
    catalogue = ("OT-23", "OT-24", "OT-25", "OT-26")

    def told(
        self, heard: HeardView | None, data: Mapping[str, Any], event: FrameSent
    ) -> str | None:
        if heard is None or heard.options is None or "captureSource" not in data:
            return None
        self.exercised += 1
        wrong = _wrong_place(heard.options, data) or _wrong_contents(heard.options, data)
        return f"{event.sender} reports {data.get('url')}: {wrong}" if wrong else None


def _wrong_place(options: InterceptOptions, data: Mapping[str, Any]) -> str:
    url, host = str(data.get("url")), host_of(str(data.get("url")))
    allowed = host_belongs_to(host, options.site) or host in options.request_host_allowlist
    if not allowed:
        return f"{host} is neither {options.site} nor allowed"
    if options.url_patterns and not any(fits(url, one) for one in options.url_patterns):
        return "no pattern fits it"
    mime = str(data.get("mimeType")).lower()
    if options.mime_types and not mime.startswith(options.mime_types):
        return f"{mime} is no type that was asked for"
    source = data.get("captureSource")
    return "" if options.mode in ("hybrid", source) else f"{source} is not {options.mode}"


def _wrong_contents(options: InterceptOptions, data: Mapping[str, Any]) -> str:
    headers = dict(plain_object(data.get("requestHeaders")))
    headers |= plain_object(data.get("responseHeaders"))
    if headers and not options.include_headers:
        return "headers were not asked for"
    for name, value in headers.items():
        if name.strip().lower() in SENSITIVE_HEADERS and value != REDACTED:
            return f"the header {name} is not redacted"
    body = data.get("body")
    if body is not None and not options.include_body:
        return "bodies were not asked for"
    if isinstance(body, str) and "bodyEncoding" not in data:
        size = len(body.encode("utf-8", "surrogatepass"))
        if size > options.max_body_bytes:
            return f"its body has {size} bytes"
        if data.get("truncated") is False and size < int(data.get("bodyBytes", size)):
            return "its body is cut, and it does not say so"
    return ""


class SharedObjectsAreOfAKind(OfUpdates):
    name = "shared-objects-are-of-a-kind"
    sentence = "What an adapter makes of traffic is one of the seven shared kinds."
    from_frames = True
    catalogue = ("OT-27",)

    def told(
        self, heard: HeardView | None, data: Mapping[str, Any], event: FrameSent
    ) -> str | None:
        if "kind" not in data:
            return None
        self.exercised += 1
        if data["kind"] in SHARED_OBJECT_KINDS:
            return None
        return f"{event.sender} sends an object of the kind {data['kind']!r}"
