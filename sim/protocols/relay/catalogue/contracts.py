"""Rows of the envelope, of listeners and of commands."""

from __future__ import annotations

from sim.protocols.catalogue import Row

ROWS = (
    Row(
        "OT-01",
        "信封约定, 消息族",
        "all",
        "Every frame is one JSON envelope with protocolVersion, messageType, requestId, "
        "timestamp, senderRole, payload (an object).",
        "A peer sees a frame it cannot correlate or parse.",
    ),
    Row(
        "OT-02",
        "信封约定, 消息族",
        "all",
        'protocolVersion is "1.0" in this version.',
        "Mixed-version peers misunderstand each other silently.",
    ),
    Row(
        "OT-03",
        "信封约定, 消息族",
        "all",
        "messageType belongs to the 15 listed families; each family has the direction its "
        "purpose implies.",
        "Frames vanish or are acted on by the wrong side.",
    ),
    Row(
        "OT-04",
        "信封约定, 消息族",
        "relay, node",
        "Every answer (ack, terminal, event, pong) carries the requestId of the frame or "
        "subscription it belongs to, unchanged across controller, relay, node.",
        "Controller waits for ever although the answer was sent.",
    ),
    Row(
        "OT-05",
        "信封约定, 消息族",
        "relay",
        "timestamp is ISO-8601 and is checked against the replay skew window.",
        "Old captured frames are executed; or honest frames rejected by a wrong window.",
    ),
    Row(
        "OT-06",
        "信封约定, 消息族",
        "all",
        "senderRole is controller, relay or node and tells the true sender.",
        "Logs and correlation blame the wrong party.",
    ),
    Row(
        "OT-07",
        "信封约定, 消息族",
        "all",
        "hello states role and capabilities and is answered by hello_ack.",
        "Client hangs at start or plays a role it does not have.",
    ),
    Row(
        "OT-08",
        "信封约定, 消息族",
        "relay",
        "auth carries the access token and is answered by auth_ack; work of any kind is "
        "accepted only from an authenticated session.",
        "A stranger drives a browser.",
    ),
    Row(
        "OT-09",
        "信封约定, 消息族",
        "relay",
        "refresh is answered by refresh_ack with a usable new access token; a bad refresh "
        "token is not.",
        "Long sessions drop out when the token ends.",
    ),
    Row(
        "OT-10",
        "信封约定, 消息族",
        "relay",
        "command, command_cancel and tab_lock are controller-issued; the relay itself may "
        "only issue cleanup.",
        "A compromised node could drive other nodes.",
    ),
    Row(
        "OT-11",
        "信封约定, 消息族",
        "relay, node",
        "Every accepted command ends with exactly one terminal frame (result or error) at "
        "its controller, as long as that controller is connected; events never end it.",
        "Call hangs, or a caller sees success then failure.",
    ),
    Row(
        "OT-12",
        "信封约定, 消息族",
        "all",
        "event frames carry progress and listener updates and may precede (progress) or "
        "follow (updates) the terminal frame.",
        "UI shows done too early, or progress is lost.",
    ),
    Row(
        "OT-13",
        "信封约定, 消息族",
        "all",
        "A ping is answered by a pong with the same requestId; it keeps the session alive.",
        "Live sessions are cut, or dead ones kept.",
    ),
    Row(
        "OT-14",
        "监听器生命周期",
        "node, relay",
        "listener.subscribe yields an ordinary terminal frame immediately, not when the "
        "stream ends.",
        "Subscriber blocks; tab stays busy for the whole stream.",
    ),
    Row(
        "OT-15",
        "监听器生命周期",
        "node",
        "listener is mandatory, options optional; otherwise error.",
        "A stream that never produces anything.",
    ),
    Row(
        "OT-16",
        "监听器生命周期",
        "relay, node",
        "listener.unsubscribe needs targetRequestId and yields a terminal frame immediately.",
        "Caller cannot know whether the stream stopped.",
    ),
    Row(
        "OT-17",
        "监听器更新形状",
        "node, relay",
        "Updates are event frames with payload.type listener_update and requestId equal "
        "to the subscribe requestId.",
        "Updates cannot be attributed.",
    ),
    Row(
        "OT-18",
        "监听器生命周期",
        "relay",
        "An update reaches the controller that made the subscription and nobody else.",
        "Another user's traffic leaks.",
    ),
    Row(
        "OT-19",
        "监听器生命周期",
        "node, relay",
        "Streaming starts after the subscribe terminated with success; a failed subscribe "
        "delivers nothing.",
        "Data for a stream the caller believes failed.",
    ),
    Row(
        "OT-20",
        "监听器生命周期",
        "relay",
        "After a successful unsubscribe further updates for that subscribe requestId are "
        "rejected with listener_not_found.",
        "Ghost updates; privacy leak.",
    ),
    Row(
        "OT-21",
        "network.http_intercept 选项",
        "node",
        "network.http_intercept: tabSessionId must resolve to an active managed session.",
        "Interception of a private tab.",
    ),
    Row(
        "OT-22",
        "network.http_intercept 选项",
        "node",
        "site is mandatory, lower-cased, and must match the tab URL.",
        "Traffic of another site captured.",
    ),
    Row(
        "OT-23",
        "network.http_intercept 选项",
        "node",
        "urlPatterns (globs), requestHostAllowlist and mimeTypes (prefixes) restrict what "
        "is emitted; cross-host only by explicit allowlist.",
        "Flood or leak.",
    ),
    Row(
        "OT-24",
        "network.http_intercept 选项",
        "node",
        "mode is network, fetch or hybrid; default network.",
        "Wrong capture source or debugger side effects.",
    ),
    Row(
        "OT-25",
        "network.http_intercept 选项",
        "node",
        "includeBody defaults true, includeHeaders false; sensitive headers are redacted "
        "when included.",
        "Credentials leak.",
    ),
    Row(
        "OT-26",
        "network.http_intercept 选项",
        "node",
        "maxBodyBytes defaults to 256000 and must be a positive number.",
        "Memory blow-up or silent loss.",
    ),
    Row(
        "OT-27",
        "监听器更新形状",
        "node",
        "payload.data is raw transport data or a shared domain object with one of the seven kinds.",
        "Consumers crash on unknown shapes.",
    ),
    Row(
        "OT-28",
        "命令约定",
        "controller, relay",
        "targetNodeId is mandatory in every command.",
        "Work lands on an arbitrary browser.",
    ),
    Row(
        "OT-29",
        "命令约定",
        "all",
        "Tab-scoped actions must carry tabSessionId.",
        "Action hits the wrong tab.",
    ),
    Row(
        "OT-30",
        "命令约定",
        "all",
        "action is one of the listed ids, payload is an object.",
        "Unclear failure.",
    ),
    Row(
        "OT-31",
        "命令约定",
        "relay",
        "A command without replayNonce is not accepted.",
        "Replay protection can be switched off by omission.",
    ),
    Row(
        "OT-32",
        "命令约定",
        "relay",
        "timeoutMs is the budget the relay enforces for that command.",
        "Calls hang longer than asked, or are cut early.",
    ),
    Row(
        "OT-33",
        "命令约定",
        "relay",
        "fail_fast answers at once if the tab is busy; wait_with_timeout waits.",
        "Unexpected waiting or unexpected refusal.",
    ),
    Row(
        "OT-34",
        "命令约定",
        "node",
        "The runtime executes a keyed command once; a replay with the same key does not "
        "repeat the effect and still gets an answer.",
        "Paid twice / posted twice; or a retry that hangs.",
    ),
    Row(
        "OT-35",
        "命令操作",
        "node",
        "command.test runs the test hook, else behaves as execute.",
        "Commands without hook cannot be tested.",
    ),
    Row(
        "OT-36",
        "命令操作",
        "node",
        "command.reddit_posts equals command.run with site reddit.com and command getPosts.",
        "Old clients break.",
    ),
    Row(
        "OT-37",
        "command.list 描述符元数据",
        "node",
        "command.list returns descriptors with site, id, displayName, description; the "
        "rest optional.",
        "Controllers cannot plan.",
    ),
    Row(
        "OT-38",
        "command.list 描述符元数据",
        "controller",
        "timeoutPolicy gives defaultMs and scaling (inputField, baseMs, perUnitMs, minMs, "
        "maxMs with min/max as clamps); an explicit user timeout overrides it.",
        "Big jobs always time out, or the user's choice is ignored.",
    ),
    Row(
        "OT-39",
        "command.list 描述符元数据",
        "controller",
        "extract-content formats (markdown default, distilled_html, clean_html, raw_html, "
        "text) map to the DOM primitives.",
        "Wrong format.",
    ),
    Row(
        "OT-40",
        "command.list 描述符元数据",
        "controller, relay",
        "command.test may return a stream manifest; the controller subscribes on the same "
        "authenticated socket, keeps ping/pong, and ends with command_cancel on the "
        "original test requestId.",
        "Streams die or never stop.",
    ),
)
