"""What a relay has dealt with in one life, as the frames that come and go show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from sim.core.event import FrameDelivered, FrameSent
from sim.protocols.relay.constants import CONTROLLER, NODE, RELAY, WAIT_WITH_TIMEOUT
from sim.protocols.relay.frames.commands import tab_of
from sim.protocols.relay.relay.plan import RelayPlan
from sim.protocols.relay.relay.sessions import Grant
from sim.protocols.relay.timeouts import budget_ms
from sim.protocols.relay.view_barred import barred
from sim.protocols.relay.view_ingress import Ingress
from sim.protocols.relay.view_records import (
    DONE,
    ENDS,
    REFUSED,
    RUNNING,
    WAITING,
    AskView,
    CancelView,
    OwnView,
    SessionView,
)
from sim.protocols.relay.view_work import BookOfWork

if TYPE_CHECKING:
    from sim.protocols.relay.view import RelayView

Wire = Mapping[str, Any]
KEPT_NONCES = 8


class RelayBook(BookOfWork):
    """The folded state of one relay."""

    def __init__(self, relay: str, plan: RelayPlan, view: RelayView) -> None:
        super().__init__(relay, plan, view)
        self.ingress = Ingress(self)
        self._heard: dict[str, Callable[[SessionView, str, Wire, FrameDelivered], Any]] = {
            "hello": self._pending,
            "auth": self._pending,
            "refresh": self._pending,
            "command": self._asked,
            "result": self._answered,
            "error": self._answered,
            "command_cancel": self._cancel,
        }
        self._told: dict[str, Callable[[SessionView, str, Wire, FrameSent], Any]] = {
            "hello_ack": self._greeted,
            "auth_ack": self._ready,
            "refresh_ack": self._renewed,
            "command": self._dispatched,
            "command_cancel": self._stopped,
            "result": self._terminal,
            "error": self._terminal,
            "event": self._event,
        }
        self._said: Wire = {}

    # -- what arrives --------------------------------------------------------------

    def hears(
        self, session: SessionView, wire: Wire, payload: Wire, event: FrameDelivered, frame: Any
    ) -> AskView | None:
        """A frame has arrived at the relay."""
        request_id, family = wire.get("requestId"), str(wire.get("messageType"))
        is_readable = self.ingress.arrived(session, frame, event)
        if isinstance(request_id, str):
            session.note(request_id, family)
        if not is_readable or not isinstance(request_id, str):
            session.noise_us = event.at
            return None
        session.heard_us = event.at
        handler = self._heard.get(family)
        if handler is None:
            return None
        arrival = self.ingress.arrivals[event.n]
        if family == "command" and self.ingress.burns(arrival):
            arrival.is_replayed = self._burn(session, payload, event)
        if not self.ingress.is_good(arrival):
            return None
        self._said = wire
        found: AskView | None = handler(session, request_id, payload, event)
        return found

    def _pending(
        self, session: SessionView, request_id: str, payload: Wire, event: FrameDelivered
    ) -> None:
        session.pending[request_id] = payload
        token = payload.get("accessToken", payload.get("refreshToken"))
        if isinstance(token, str):
            self.ingress.arrivals[event.n].token = token
            session.shows(request_id, token)

    def _asked(
        self, session: SessionView, request_id: str, payload: Wire, event: FrameDelivered
    ) -> AskView | None:
        arrival = self.ingress.arrivals[event.n]
        action, node_id = payload.get("action"), payload.get("targetNodeId")
        if not session.is_controller or not isinstance(action, str):
            return None
        timeout, limits = payload.get("timeoutMs"), self.plan.limits
        number = timeout if type(timeout) in (int, float) else None
        bounds = limits.default_timeout_ms, limits.least_timeout_ms, limits.most_timeout_ms
        ask = AskView(
            session, request_id, event.n, event.at, self._said, payload, action,
            node_id if isinstance(node_id, str) else "",
            tab_of(payload) or "",
            budget_ms(number, *bounds) * 1_000,
            payload.get("waitPolicy") == WAIT_WITH_TIMEOUT,
        )  # fmt: skip
        barred(self, ask, arrival.is_replayed)
        self.fresh.setdefault(request_id, []).append(ask)
        running = self.asks.get(request_id)
        if running is not None and running.session is session and running.is_owed:
            running.repeats += 1
        return ask

    def _burn(self, session: SessionView, payload: Wire, event: FrameDelivered) -> bool:
        """A nonce is used; whether it was before."""
        nonce = payload.get("replayNonce")
        came = self.nonces.setdefault((session.identity, str(nonce)), [])
        memory_us = self.plan.limits.nonce_memory_ms * 1_000
        is_known = any(event.at - at <= memory_us for at in came)
        if not is_known:  # what is refused is not remembered any longer for it
            came.append(event.at)
            del came[:-KEPT_NONCES]
        return is_known

    def _answered(
        self, session: SessionView, request_id: str, payload: Wire, event: FrameDelivered
    ) -> AskView | None:
        """A terminal frame of a node: the tab of its command is free from here on."""
        if not session.is_node:
            return None
        own = self.own.get(request_id)
        if own is not None and own.node is session:
            own.answered = True
            del self.own[request_id]
            return None
        ask = self.asks.get(request_id)
        if ask is None or ask.node is not session or not ask.is_at_node:
            return None
        ask.answer, ask.answered_us, ask.answered_n = self._said, event.at, event.n
        self._leaves(ask)
        ask.state = DONE
        self.listening.answered(ask, payload, event)
        self._forget(ask)
        return ask

    def _cancel(
        self, session: SessionView, request_id: str, payload: Wire, event: FrameDelivered
    ) -> AskView | None:
        target = payload.get("targetRequestId")
        if not session.is_controller or not isinstance(target, str):
            return None
        ask = self.asks.get(target)
        stream = self.listening.streams.get(target)
        state = ""
        if ask is not None and ask.is_owed and ask.state in (WAITING, RUNNING):
            state = ask.state
        cancel = CancelView(session, request_id, target, event.n, event.at, ask, stream, state)
        self.cancels[session.link, request_id] = cancel
        if len(self.cancels) > 4_096:
            del self.cancels[next(iter(self.cancels))]
        if stream is not None:
            self.listening.cancelled(stream, cancel, event)
        return ask

    # -- what the relay says ---------------------------------------------------------

    def says(
        self, session: SessionView, wire: Wire, payload: Wire, event: FrameSent
    ) -> AskView | None:
        """The relay has sent a frame."""
        request_id = wire.get("requestId")
        family = wire.get("messageType")
        if wire.get("senderRole") == RELAY:
            ts = getattr(event.frame, "ts", None)
            if isinstance(ts, int):
                self.clock_ms = ts - event.at // 1_000
        self.ingress.said(session, wire, event)
        handler = self._told.get(str(family))
        if handler is None or not isinstance(request_id, str):
            return None
        self._said = wire
        found: AskView | None = handler(session, request_id, payload, event)
        return found

    def _greeted(
        self, session: SessionView, request_id: str, payload: Wire, event: FrameSent
    ) -> None:
        hello = session.pending.pop(request_id, None)
        if hello is not None and not session.is_ready:
            session.role = str(hello.get("role"))
            node = hello.get("nodeId")
            session.greeted_node = node if isinstance(node, str) else ""

    def _renewed(
        self, session: SessionView, request_id: str, payload: Wire, event: FrameSent
    ) -> None:
        until = self.now_ms(event.at) + self.plan.limits.access_token_ms
        made = Grant(session.role, session.identity, expires_ms=until)
        self.view.made_tokens[str(payload.get("accessToken"))] = made

    def _ready(
        self, session: SessionView, request_id: str, payload: Wire, event: FrameSent
    ) -> None:
        session.pending.pop(request_id, None)
        if session.is_ready or not session.is_open:
            return
        session.role = str(payload.get("role") or session.role)
        session.ready_us, session.ready_n = event.at, event.n
        scopes = payload.get("scopes")
        session.scopes = tuple(scopes) if isinstance(scopes, list | tuple) else ()
        if session.role == NODE:
            session.identity = str(payload.get("nodeId") or session.greeted_node)
            self.rival = self.nodes.get(session.identity)
            self.nodes[session.identity] = session
            self.tabs.node_came(session, event)
        elif session.role == CONTROLLER:
            session.identity = str(payload.get("controllerId") or "")
            self.live.setdefault(session.identity, {})[session.link] = session
            grant = self.view.grant(self.ingress.shown(session, request_id, event.cause)[1])
            session.reach = None if grant is None else grant.nodes

    def _dispatched(
        self, session: SessionView, request_id: str, payload: Wire, event: FrameSent
    ) -> AskView | None:
        if self._said.get("senderRole") == RELAY:
            action, inner = str(payload.get("action")), payload.get("payload")
            own = OwnView(session, action, inner if isinstance(inner, dict) else {}, event.at)
            self.own[request_id] = own
            self.tabs.cleaned(own)
            self.listening.turned_off(own)
            return None
        # A log may not show everybody who uses this requestId.
        nonce = payload.get("replayNonce") if self.view.frames_only else None
        ask = self.asks.get(request_id)
        if ask is not None and nonce is not None and ask.key != nonce:
            ask = None
        if ask is None or ask.state != WAITING:
            ask = self._decided(request_id, nonce=nonce) or ask
        self.stray = None
        if ask is None:
            over = (one for (_, id), one in self.ended.items() if id == request_id)
            self.stray = next((one for one in over if nonce in (None, one.key)), None)
            return None
        self._runs(ask, session, event)
        return ask

    def _stopped(
        self, session: SessionView, request_id: str, payload: Wire, event: FrameSent
    ) -> AskView | None:
        """A command_cancel to a node."""
        ask = self.asks.get(str(payload.get("targetRequestId")))
        if ask is not None and ask.told_to_stop_us < 0:
            ask.told_to_stop_us = event.at
        return ask

    def _terminal(
        self, session: SessionView, request_id: str, payload: Wire, event: FrameSent
    ) -> AskView | None:
        """A result or an error, to a controller about its command, or to anybody else."""
        code = "result" if self._said.get("messageType") == "result" else str(payload.get("code"))
        cancel = self.cancels.get((session.link, request_id))
        if cancel is not None and code != "result":
            cancel.answers.append(code)
        by_relay = self._said.get("senderRole") == RELAY
        if by_relay and self.ingress.is_about_something_else(session, request_id, event.cause):
            return None
        fresh = self.undecided(session, request_id)
        if fresh is not None and by_relay:
            self.fresh[request_id].remove(fresh)
            if not self.fresh[request_id]:
                del self.fresh[request_id]
            fresh.state, fresh.end = REFUSED, code
            fresh.ended_us, fresh.ended_n, fresh.terminals = event.at, event.n, 1
            return fresh
        if by_relay and self.view.frames_only and code not in ENDS:
            return None  # of which frame it is the end cannot be told
        ask = self.asks.get(request_id)
        if ask is None or ask.session is not session:
            ask = self.ended.get((session.link, request_id))
        if ask is None:
            return None
        ask.terminals += 1
        if ask.terminals == 1:
            ask.end, ask.ended_us, ask.ended_n = code, event.at, event.n
        if ask.state == WAITING:
            self._leaves(ask)
            ask.state = DONE
        self.listening.ended(ask, event)
        self._forget(ask)
        return ask

    def _event(
        self, session: SessionView, request_id: str, payload: Wire, event: FrameSent
    ) -> AskView | None:
        kind = payload.get("type")
        if kind == "queued":
            ask = self._decided(request_id, session)
            if ask is not None:
                self._waits(ask, event)
            return ask
        if kind == "duplicate_ignored":
            fresh = self.undecided(session, request_id)
            if fresh is not None:
                self.fresh[request_id].remove(fresh)
                if not self.fresh[request_id]:
                    del self.fresh[request_id]
            ask = self.asks.get(request_id)
            if ask is not None:
                ask.ignored += 1
            return ask
        if kind == "cancel_ack":
            cancel = self.cancels.get((session.link, request_id))
            if cancel is not None:
                cancel.answers.append(str(payload.get("status")))
        self.tabs.event(session, request_id, str(kind), payload, event)
        self.listening.event(session, request_id, str(kind), payload, event)
        return self.asks.get(request_id)
