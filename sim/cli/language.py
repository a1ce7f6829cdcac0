"""The scenario language in sentences: what each directive does, with an example.

How a directive is written stands where it is parsed; here stands what it is
for. ``explain @cut`` prints it and ``docs/scenario-language.md`` contains it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

DOCUMENT = "docs/scenario-language.md"
OVERVIEW_WORDS = ("language", "scenario", "directives")

HEAD = "before the first arrow"
PLACE = "at its place in the diagram"


@attrs.frozen
class Directive:
    """``usage`` is the parser's own; ``where`` it stands, what it ``does``, one ``example``."""

    name: str
    usage: str
    where: str
    does: str
    example: str

    def to_json(self) -> dict[str, Any]:
        """For ``explain --json``."""
        return {"kind": "directive", **attrs.asdict(self)}


SETTINGS: Mapping[str, tuple[str, str]] = {
    "host": (
        "Says what a lifeline is when neither its label nor its id does. KIND is desktop, "
        "server, slack, telegram, x, relay, controller, node, opencode, hook, listener, store, "
        "bot (Telegram) or person.",
        "@host D desktop",
    ),
    "puppet": (
        "ID loses its own behaviour: its arrows are sent literally, even wrong ones. With "
        "handshake it connects and says hello by itself, with pong it answers pings.",
        "@puppet D handshake pong",
    ),
    "protocol": ("Names the protocol where the lifelines do not tell.", "@protocol hook"),
    "seed": (
        "The seed of the run; --seed on the command line goes before it. Default 1.",
        "@seed 7",
    ),
    "latency": (
        "How long something takes from one lifeline to another; * is everybody. Defaults: "
        "20ms..80ms between hosts, 80ms..250ms for calls to a channel.",
        "@latency D->S 20ms..80ms",
    ),
    "rule": (
        "Switches a rule of the protocol off (-) or on (+), as --without does. The names: "
        "hooktwin rules --switches.",
        "@rule -end-replay",
    ),
    "feature": (
        "What a side announces from its next handshake on; for rolling upgrades. In a question "
        "run: what it does not do (see below), in the head only.",
        "@feature S -turn-reopen-v1",
    ),
    "token": (
        "All that a controller's access token permits in a relay run, and at which nodes: actions "
        "by name, command.* for all that begin so, * for all. Default: everything, everywhere.",
        "@token A command.* primitive.tab.query at N",
    ),
    "violates": (
        "This run must break that invariant: a scenario that shows what goes wrong without a "
        "rule. It passes when just that breaks.",
        "@violates close-out-respects-owner",
    ),
    "strict": ("Frames that no arrow names are failures; else they are listed.", "@strict"),
    "late": (
        "Something happens later than it would: until another thing has happened, or by a time. "
        "hooktwin explore --save writes these; the names are its names.",
        '@late "finish IM.edit S" until "close D.slack#1 S>D"',
    ),
    "strike": (
        "A fault strikes right after the named thing has happened; hooktwin explore --save "
        "writes these.",
        '@strike "cut D.slack#1 rst" after "deliver D.slack#1 D>S turn.end"',
    ),
    "faults": (
        "How many faults of each kind a search may add to this scenario; --faults on the command "
        "line goes before it. Kinds: lose, duplicate, delay, cut, crash, channel, http.",
        "@faults cut:1,duplicate:1",
    ),
    "omit": (
        "Lines of this file that are not carried out: what a found failure can do without.",
        "@omit 14,16-20",
    ),
    "live": ("The tests also play this scenario over real sockets.", "@live"),
}
ACTIONS: Mapping[str, tuple[str, str]] = {
    "after": ("Lets virtual time pass before the next line.", "@after 3s"),
    "at": ("Waits until this much virtual time has passed since the start.", "@at 10s"),
    "settle": (
        "Runs until nothing is under way but heartbeats, time limits and retries that are more "
        "than 60 s away.",
        "@settle",
    ),
    "cut": (
        "Ends D's connections, or the one of a channel. fin delivers what was sent, rst (usual) "
        "drops it, silent leaves both ends believing in it. old: the one that was replaced.",
        "@cut D slack rst",
    ),
    "heal": ("A silent connection carries frames again.", "@heal D"),
    "reconnect": (
        "A puppet connects (again) and does not wait for it; twins do so by themselves.",
        "@reconnect D",
    ),
    "lose": ("The frame of the next arrow never arrives.", "@lose next"),
    "duplicate": ("The frame of the next arrow arrives twice.", "@duplicate next after 1s"),
    "delay": ("The frame of the next arrow takes this much longer.", "@delay next 3s"),
    "hold": ("Frames of this direction stay under way until @release.", "@hold D->S"),
    "release": ("What @hold kept goes on, in order.", "@release D->S"),
    "crash": ("The process dies; what it had not stored is gone.", "@crash S"),
    "restart": ("It comes back with what it had stored.", "@restart S"),
    "skew": ("Moves the clock of one host forwards (+) or back (-).", "@skew D +70s"),
    "sleep": ("The lid of the laptop is closed for so long.", "@sleep D 8h"),
    "channel": (
        "How the channel's API answers the next such call: post, edit, card, react, delete or "
        "* (any), with ok, 429, 5xx, not_found, refused, unknown (done, but the answer is "
        "lost), latency TIME or down TIME. always: until changed. On the Bot API of a question "
        "run: post, edit, delete, answer (to a press), poll or *.",
        "@channel edit 429 5s",
    ),
    "http": (
        "What becomes of the next such request over HTTP, * of any (2x: of the next two): a "
        "status from 400 to 599; refused or reset, not applied; lost, not applied and never "
        "answered; broken, applied and the connection breaks; unanswered, applied and never "
        "answered; or a time, so much later.",
        '@http D->S "GET /question" 500',
    ),
    "expect": (
        "What a reader of the channel sees now of a request or card: WORKING, OK, FAILED, "
        "CANCELLED, INTERRUPTED, REJECTED, QUEUED; OPEN or CLOSED for a card; | between two "
        "that are both right. The text must be part of what shows. In a relay run: what the "
        "frames tell of a request; OPEN or CLOSED for a tab, a lock, a listener, a stream.",
        '@expect R1 WORKING|OK "half"',
    ),
    "final": ("The same, judged when everything has settled at the end.", '@final R1 OK "done"'),
    "count": (
        "How many posts or edits (of one request) or frames of a type (to one desktop) there "
        "were until now; =, <, <=, > or >= a number.",
        "@count posts R1 <=3",
    ),
    "never": ("No message of a channel ever shows this text.", '@never "internal error"'),
    "open": ("D is connected now.", "@open D"),
    "closed": ("D is not connected now.", "@closed D"),
    "act": (
        "What somebody does, as a trace records it; hooktwin diagram writes these.",
        '@act U {"is":"say","person":"U","text":"hi"}',
    ),
    "fault": (
        "A fault as a trace records it; hooktwin diagram writes these. refuse D.slack 503 3x: "
        "the server answers the next three dials of that lane with this HTTP status.",
        "@fault cut D.slack#1 rst",
    ),
}
LESSONS: Mapping[str, tuple[str, str]] = {
    "lesson": (
        "Makes the file a lesson of hooktwin learn and of the terminal UI; it runs as any scenario "
        "does. In this and all directives below, the second text is the Chinese one. A lesson "
        "needs @text, @goal, @question, @right, @wrong and @hint.",
        '@lesson "A connection dies" "连接断了"',
    ),
    "lanes": (
        "The kinds of lifelines that the lesson's diagram shows. Default: all but persons.",
        "@lanes server desktop",
    ),
    "text": ("A paragraph to read.", '@text "Press n for the next step." "按 n 到下一步。"'),
    "word": ("A word that the lesson uses, and its meaning.", '@word gap "the time of a wait"'),
    "predict": (
        "What is asked before the first step; its @right and @wrong stand below it.",
        '@predict "Who answers first?" "谁先应答？"',
    ),
    "goal": (
        "What the reader shall bring about, and the key for it; ticked when it holds in the run, "
        "one after the other. reached TYPE [2]: that frame has arrived (twice). waits HOST "
        "[CALL]: a handler is in an await gap. shown STATE: a message or card has this state. "
        "cut: the reader has cut a connection. broken: an invariant breaks here or before, or the "
        "run has ended and did not do what its arrows say. clean: the run has ended, and neither "
        "did. generation 2: the second connection is open. Behind @break a goal is about a run "
        "that was changed, behind @fix about one that was mended.",
        '@goal n reached turn.end "see the end" "看到结束"',
    ),
    "try": ("What x does to the run: it cuts the open connection. Usual: rst.", "@try cut rst"),
    "break": (
        "Something that the reader may try in order to break the run (x): a rule off or on, a "
        "fault that strikes, a feature. One of them should break it, and one should not. own: "
        "the reader plays a file of their own.",
        '@break "it forgets what it has had" "它忘了收到过什么" -ack-replay',
    ),
    "fix": (
        "Something that may mend the broken run; done on top of what broke it.",
        '@fix "it says its ack again" "它重复应答" +ack-replay',
    ),
    "question": (
        "What is asked when all goals have held; answers below it.",
        '@question "Who edits it?"',
    ),
    "wrong": ("A wrong answer. Answers are offered in the order of the file.", '@wrong "nobody"'),
    "right": ("The right answer; a question has one.", '@right "the server" "服务器"'),
    "hint": ("What h says.", '@hint "Look at the last arrow." "看最后一个箭头。"'),
    "because": (
        "What is said when the question has been answered: the reason, with the rows of the "
        "catalogue.",
        '@because "The end is final (HK-06)." "结束不可更改（HK-06）。"',
    ),
}
ARROWS: tuple[tuple[str, str], ...] = (
    ("D->>S: turn.end (ok)", "D sends it and it arrives; -->>, ->, --> and -) mean the same"),
    ("D-xS: turn.end (ok)", "D sends it and it is lost"),
    ("D->>D: quit", "something local: retry, quit, think 2s"),
)
ITEMS: tuple[tuple[str, str], ...] = (
    ("name", "the frame has this field (dots and [0] allowed)"),
    ("name=value", "the field is equal; the value is JSON or a bare word"),
    ('name~"text"', "the field contains the text"),
    ("accepted, ok …", "some enum field has this value"),
    (
        "requestId=R1",
        "R1 is a name (a capital letter and digits), always the value of a field: the first use "
        "binds it to a real id, later uses must agree",
    ),
    (
        "tabSessionId=T1",
        "in a relay diagram: the first result with it binds it; @expect T1 tells of the tab",
    ),
    (
        "interactionId=A1",
        "names the card of a question, for 'press' and @expect A1: "
        "D->>S: interaction.request (requestId=R1, interactionId=A1)",
    ),
)


def directives() -> dict[str, Directive]:
    """All directives by name, as the parser takes them."""
    from sim.scenario.directives import ACTION_USAGES
    from sim.scenario.settings import SETTING_USAGES
    from sim.scenario.teaching import LESSON_USAGES

    said = [
        (name, usage, PLACE if name == "feature" else HEAD, *SETTINGS[name])
        for name, usage in SETTING_USAGES.items()
    ]
    said += [(name, usage, PLACE, *ACTIONS[name]) for name, usage in ACTION_USAGES.items()]
    said += [(name, usage, HEAD, *LESSONS[name]) for name, usage in LESSON_USAGES.items()]
    return {name: Directive(name, *rest) for name, *rest in said}


def acts() -> Iterator[tuple[str, str]]:
    """(how it is written, where it is done) of everything that a person does."""
    from sim.scenario.acts import CHANNEL_USAGES, DESKTOP_USAGES
    from sim.scenario.peer_acts import BOTH_USAGES, NODE_USAGES
    from sim.scenario.question_acts import USAGES

    for usage in CHANNEL_USAGES.values():
        yield usage, "channel"
    for usage in DESKTOP_USAGES.values():
        yield usage, "desktop"
    for usage in BOTH_USAGES.values():
        yield usage, "controller or node"
    for usage in NODE_USAGES.values():
        yield usage, "node"
    for kind, place in QUESTION_PLACES.items():
        for usage in USAGES[kind].values():
            yield usage, place


QUESTION_PLACES = {"telegram": "Bot API", "opencode": "OpenCode", "store": "store"}
PLACES = ("channel", "desktop", "controller or node", "node", *QUESTION_PLACES.values())
"""Where acts are done, in the order of the document."""


def table() -> str:
    """The directives as the document shows them."""
    rows = ["| written | what it does | for example |", "|---|---|---|"]
    for one in directives().values():
        cells = (f"`{one.usage}`", one.does, f"`%% {one.example}`")
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows) + "\n"


def overview_json() -> dict[str, Any]:
    """The whole language for programs."""
    return {
        "kind": "language",
        "document": DOCUMENT,
        "arrows": dict(ARROWS),
        "items": dict(ITEMS),
        "acts": {place: [u for u, p in acts() if p == place] for place in PLACES},
        "directives": [one.to_json() for one in directives().values()],
    }
