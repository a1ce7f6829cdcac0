"""Diagrams that must not run: where the complaint points and what it offers.

The sign ``‸`` stands where the complaint must point; it is taken out before parsing.
"""

from __future__ import annotations

from attrs import frozen

from tests.scenario.words import between

MARK = "‸"


@frozen
class Refused:
    """One refused diagram: a part of the message, and a word that must be offered."""

    marked: str
    says: str
    offers: str = ""

    @property
    def text(self) -> str:
        """The diagram."""
        return self.marked.replace(MARK, "")

    @property
    def place(self) -> tuple[int, int]:
        """Line and column of the mark."""
        before = self.marked[: self.marked.index(MARK)].split("\n")
        return len(before), len(before[-1]) + 1


def bad(line: str, says: str, offers: str = "", *more: str) -> Refused:
    """A diagram in which one line is wrong."""
    return Refused(between(line, *more), says, offers)


# Mermaid refuses these too.
REFUSED_BY_MERMAID: dict[str, Refused] = {
    "nothing": Refused("‸", "no statement", "sequenceDiagram"),
    "only blanks": Refused("\n  \n‸", "no statement"),
    "open front matter": Refused("‸---\ntitle: x\nsequenceDiagram\n", "never closed", "---"),
    "front matter twice": Refused("---\ntitle: x\n‸title: y\n---\n" + between(), "twice"),
    "front matter depth": Refused("---\ntitle: x\n  ‸a: y\n---\n" + between(), "fits no key"),
    "second diagram": bad("‸sequenceDiagram", "one diagram"),
    "note beside two": bad("Note left of D,‸S: x", "one lifeline", "over A,B"),
    "flowchart": Refused("‸flowchart LR\nA-->B\n", "Mermaid flowchart", "sequenceDiagram"),
    "blank behind autonumber": bad("autonumber 10‸ \nautonumber", "no blanks"),
    "broken init line": Refused("‸%%{init: x\"a\": 1}}%%\n" + between(), "cuts out"),
    "class diagram": Refused("\n\n  ‸classDiagram\n", "Mermaid classDiagram", "sequenceDiagram"),
    "state diagram": Refused("%% x\n‸stateDiagram-v2\n", "Mermaid stateDiagram-v2"),
    "no diagram": Refused("‸hello world\n", "must start with", "sequenceDiagram"),
    "semicolon": bad("D->>S: hello‸; welcome", "';'"),
    "three lifelines": bad("Note over D,S,‸IM: x", "at most two lifelines"),
    "arrow in a box": bad("box x\n‸D->>S: hello\nend", "only declarations", "participant"),
    "note in a box": bad("box x\n‸Note over D: hello\nend", "only declarations"),
    "creation in a box": bad("box x\n‸create participant T\nend\nS->>T: post", "only declarations"),
    "created, not reached": bad("create participant T\nD->>‸S: hello", "next arrow must go to it"),
    "destroyed, not touched": bad("destroy U\nD->>‸S: hello", "must touch it", "U"),
    "created twice": bad(
        "destroy D\nD->>S: hello\ncreate participant ‸D\nS->>D: welcome",
        "exists already", "@restart D",
    ),
    "created after use": bad("T->>S: hello\ncreate participant ‸T\nS->>T: post", "exists already"),
    "id end": bad("‸end->>S: hello", "keyword"),
    "id that starts with a keyword": bad("‸note.1->>S: hello", "keyword"),
    "id with -x": bad("D‸-xa->>S: hello", "'-x'"),
    "full-width colon": bad("D->>S‸：hello", "full-width colon", ":"),
    "no text": bad("D->>S‸", "text after a colon"),
    "no target": bad("D->>‸: hello", "an id is missing"),
    "not active": bad("deactivate ‸S", "not active", "activate S"),
    "not active, short": bad("‸D->>-S: hello", "not active", "activate D"),
    "block not closed": bad("‸loop 3 times\nD->>S: hello", "never closed", "end"),
    "end too much": bad("‸end", "closes nothing"),
    "else outside": bad("‸else", "belongs in 'alt'", "alt"),
    "and in alt": bad("alt x\n‸and\nend", "belongs in 'par'", "else"),
    "option in par": bad("par x\n‸option\nend", "belongs in 'critical'", "and"),
    "words": bad("‸the desktop connects", "not understood", "participant"),
    "comment for a text": bad("D->>S:‸%% hello", "takes ':%%' for a comment"),
    "an unclosed note": bad("‸Note over D", "not how Note is written", "Note over A,B: text"),
    "C4 word": bad("U->>IM: ‸C4Container", "C4 diagram"),
    "broken front matter": Refused("---\n‸title: [\n---\n" + between(), "plain values"),
    "full-width arrow": bad("‸D→S: hello", "not understood"),
}  # fmt: skip

# Mermaid draws these, but they would not mean what they say.
REFUSED_BY_US: dict[str, Refused] = {
    "destroying nobody": bad("destroy ‸Z\nZ->>S: hello", "does not exist here"),
    "destroyed twice": bad("destroy D\nD->>S: hello\ndestroy ‸D", "destroyed already"),
    "two creations": bad("create actor V\n‸create actor W\nS->>V: x", "still waits for its arrow"),
    "command in a press": bad("U->>IM: authorize ‸T1 T2", "at most one word"),
    "workspace list": bad("U->>D: workspaces ‸a,,b", "names between commas"),
    "delete nothing": bad("U->>IM: delete‸", "no name", "delete R1"),
    "host without id": bad("%% ‸@host", "write @host", "D"),
    "host without kind": bad("%% @host ‸D", "write @host", "desktop"),
    "host with more": bad("%% @host D desktop ‸x", "nothing may follow"),
    "host twice": bad("%% @host D desktop\n%% ‸@host D desktop", "has a @host already"),
    "puppet twice": bad("%% @puppet D\n%% ‸@puppet D", "puppet already"),
    "protocol twice": bad("%% @protocol hook\n%% ‸@protocol hook", "stands twice"),
    "order of a cut": bad("%% @cut D rst ‸old", "one argument too many"),
    "hold a loop": bad("%% @hold D->‸D", "same lifeline"),
    "count of a peer": bad("%% @count posts ‸D 1", "belong to a channel"),
    "rule twice": bad(
        "%% @rule -ownership-at-write\n%% ‸@rule +ownership-at-write", "switched twice"
    ),
    "feature twice": bad(
        "%% @feature S -turn-reopen-v1\n%% ‸@feature S -turn-reopen-v1", "switched twice"
    ),
    "violated twice": bad(
        "%% @violates one-final-message\n%% @violates ‸one-final-message", "named twice"
    ),
    "empty item text": bad("D->>S: hello (‸=1)", "neither a field"),
    "non-ASCII field": bad("D->>S: hello (‸状态=1)", "no field name", "agents"),
    "text that is no text": bad("D->>S: turn.end (finalText~‸\"a\" b)", "double quotes"),
    "front matter without title": Refused("---\n‸title:\n---\n" + between(), "needs a text"),
    "front matter config": Refused("---\n‸config: 3\n---\n" + between(), "no value"),
    "empty front matter": Refused("---\n‸---\n" + between(), "empty front matter"),
    "init line without JSON": Refused("%%{init: {‸x}}%%\n" + between(), "no JSON value"),
    "semicolon at the end": bad("U->>IM: hi‸;", "';'"),
    "hash in an id": bad("D‸#->>S: hello", "'#'"),
    "comment behind end": bad("opt x\n‸end %% x", "not how end is written", "end"),
    "hash": bad("D->>S: hello ‸#1", "'#'"),
    "hash in a block text": bad("loop ‸#1\nend", "'#'"),
    "late front matter": Refused("\n‸---\ntitle: x\n---\n" + between(), "line 1"),
    "front matter key": Refused("---\n‸theme: x\n---\n" + between(), "unknown key", "config"),
    "cut-out text": bad("U->>IM: a ‸%%{x}%% b", "cuts out", "%%{init"),
    "header with more": Refused("sequenceDiagram‸ D->>S: hello\n", "alone on its line"),
    "half arrow": bad("D‸-|\\S: hello", "no meaning", "->>"),
    "two-way arrow": bad("D‸<<->>S: hello", "no meaning", "->>"),
    "shape": bad('participant D‸@{ "type": "queue" }', "not supported"),
    "blank in an id": bad("‸hook server->>D: hello", "no blanks", "participant A as two words"),
    "id end declared": bad("participant ‸end", "keyword"),
    "id -x declared": bad("participant A‸-x", "'-x'"),
    "empty label": bad("participant T as‸", "label after 'as' is empty"),
    "control character": bad("D->>S: hel‸\x07lo", "U+0007"),
    "NUL": bad("D->>S: hel‸\x00lo", "U+0000"),
    "surrogate": bad("D->>S: hel‸\ud800lo", "U+D800"),
    "lone carriage return": bad("D->>S: hello‸\rD->>S: hello", "U+000D"),
    "unknown participant": bad("‸Z->>S: hello", "what is 'Z'", "desktop"),
    "declared twice": bad("participant ‸D as desktop", "already declared on line 5"),
    "unknown kind": bad("%% @host D ‸laptop", "unknown kind", "desktop"),
    "host of nobody": bad("%% @host ‸E desktop", "no lifeline", "D"),
    "manner": bad("%% @puppet D ‸wave", "unknown manner", "handshake"),
    "puppet person": Refused(
        "sequenceDiagram\nactor ‸U\n%% @puppet U\nU->>S: hi\n", "protocol endpoint"
    ),
    "protocol": bad("%% @protocol ‸relay", "belong to the protocol hook", "hook"),
    "unknown protocol": bad("%% @protocol ‸smtp", "one protocol", "relay"),
    "no protocol": Refused(
        "sequenceDiagram\nactor U\nU->>IM: hi\n‸", "tells the protocol", "%% @protocol hook"
    ),
    "two protocols": Refused(
        "sequenceDiagram\nparticipant ‸D\nparticipant node\n", "hook and relay"
    ),
    "unknown frame": bad("D->>S: ‸turn.ende (ok)", "unknown frame 'turn.ende'", "turn.end"),
    "no frame": bad("D->>S: ‸你好", "frame.type (items)"),
    "text behind a frame": bad("D->>S: hello ‸world", "only (items)", "hello (items)"),
    "text behind items": bad("D->>S: hello (agents)‸ now", "nothing may follow"),
    "full-width brackets": bad("D->>S: hello ‸（agents）", "full-width brackets"),
    "open bracket": bad("D->>S: hello (agents‸", "never closed", ")"),
    "open quote": bad('D->>S: turn.end (finalText=‸"a)', "quote is never closed"),
    "stray bracket": bad("D->>S: hello (agents=[1‸}])", "closes nothing"),
    "missing item": bad("D->>S: hello (agents,‸)", "item is missing"),
    "unknown item": bad("D->>S: turn.end (ok, ‸finaltext)", "neither a field", "finalText"),
    "bare name": bad(
        "D->>S: interaction.request (requestId=R1, ‸A1)", "write interactionId=A1",
        "interactionId=A1",
    ),
    "bare name of a frame without ids": bad("D->>S: ping (‸A1)", "write field=A1"),
    "unknown value word": bad("D->>S: turn.end (‸okay)", "neither a field", "ok"),
    "unknown field": bad("D->>S: turn.end (‸state=ok)", "no field of turn.end", "status"),
    "endless number": bad("D->>S: turn.end (usage.durationMs=‸1e999)", "larger than any number"),
    "unknown nested field": bad(
        "D->>S: turn.end (‸usage.duration)", "neither a field", "usage.durationMs"
    ),
    "wrong enum value": bad("D->>S: turn.end (status=‸fine)", "never fine", "cancelled"),
    "field in a remark": bad("D->>S: turn.end (‸finalText done)", "comma or '=' is missing"),
    "no item": bad("D->>S: turn.end (‸requestId:R1)", "neither a field"),
    "field twice": bad("D->>S: turn.end (requestId=R1, ‸requestId=R2)", "stands here twice"),
    "no value": bad("D->>S: turn.end (finalText=‸)", "value is missing"),
    "two words": bad("D->>S: turn.end (finalText=‸two words)", "quote texts"),
    "bad json": bad('D->>S: hello (agents=["a" ‸"b"])', "no JSON value"),
    "NaN inside json": bad("D->>S: hello (agents=‸[NaN])", "not JSON"),
    "json key twice": bad('D->>S: hello (agents=‸{"a":1,"a":2})', "key stands twice"),
    "contains no text": bad("D->>S: turn.end (finalText~‸done)", "double quotes"),
    "direction": bad("S->>D: ‸hello", "hello goes desktop to server", "%% @puppet S"),
    "desktop to desktop": bad("participant D2\nD->>‸D2: hello", "no connection"),
    "desktop to channel": bad("D->>‸IM: post", "server stands between"),
    "channel to desktop": bad("IM->>‸D: hi", "server stands between"),
    "person to person": bad("actor V\nU->>‸V: hi", "use a note"),
    "lost call": bad("S‸-xIM: post", "only a frame", "->>"),
    "no words": bad("U->>IM:‸", "the arrow has no text"),
    "unknown command": bad("U->>IM: ‸/halt", "unknown command", "/stop"),
    "unquoted message": bad("U->>IM: message ‸hello", "double quotes", 'message "text"'),
    "reply to a word": bad('U->>IM: reply ‸r1 "a"', "no name", 'reply [R1] "text"'),
    "press what": bad("U->>IM: press‸", "which button", "press NAME-or-label"),
    "decline what": bad("U->>IM: decline ‸it", "nothing may follow", "decline"),
    "type what": bad("U->>D: type ‸hello", "double quotes", 'type "text"'),
    "call with more": bad("S->>IM: edit ‸R1", "nothing may follow", "post"),
    "think what": bad("D->>D: ‸think", "one duration", "think 2s"),
    "think how long": bad("D->>D: think ‸long", "no duration", "3s"),
    "person's act on itself": bad("D->>D: ‸start", "draw it from an actor", "retry"),
    "unknown directive": bad("%% ‸@cutt D", "unknown directive", "@cut"),
    "no directive": bad("%% ‸@", "unknown directive", "@after"),
    "unknown directive in a note": bad("Note over D: ‸@settled", "unknown directive", "@settle"),
    "no duration": bad("%% @after‸", "a duration is missing", "3s"),
    "bad duration": bad("%% @after ‸3", "no duration", "20ms"),
    "endless": bad("%% @after ‸99999999d", "ten years"),
    "below a microsecond": bad("%% @after ‸0.5us", "whole microseconds"),
    "too much": bad("%% @after 3s ‸4s", "one argument too many: @after 3s"),
    "cut a person": bad("%% @cut ‸U", "name the side that opens", "D"),
    "cut the server": bad("%% @cut ‸S", "name the side that opens", "D"),
    "cut how": bad("%% @cut D ‸hard", "no way to cut", "fin"),
    "cut whom": bad("%% @cut ‸E", "no lifeline", "D"),
    "crash a channel": bad("%% @crash ‸IM", "no host of ours", "S"),
    "lose what": bad("%% @lose ‸all", "no target", "next"),
    "hold what": bad("%% @hold ‸D", "no direction", "D->S"),
    "hold a call": bad("%% @hold S->‸IM", "only frames"),
    "skew without sign": bad("%% @skew D ‸70s", "no sign", "+70s"),
    "channel op": bad("%% @channel ‸send 429", "no call of a channel", "post"),
    "channel outcome": bad("%% @channel edit ‸404", "no outcome", "not_found"),
    "channel down": bad("%% @channel * down‸", "a duration is missing"),
    "channel more": bad("%% @channel edit 5xx ‸5s", "cannot follow", "always"),
    "state": bad("%% @expect R1 ‸DONE", "no state", "OK", "D->>S: turn.end (requestId=R1)"),
    "mixed states": bad(
        "%% @expect R1 OK|‸OPEN", "no state", "FAILED", "D->>S: turn.end (requestId=R1)"
    ),
    "state of no name": bad("%% @expect ‸r1 OK", "no name", "R1"),
    "count what": bad("%% @count ‸cards 1", "no countable", "posts"),
    "count frame": bad("%% @count frame ‸turn.ende 1", "no frame", "turn.end"),
    "count how many": bad("%% @count posts =‸many", "no whole number"),
    "never nothing": bad('%% @never ‸""', "every message"),
    "rule": bad("%% @rule -‸ownership", "unknown rule", "ownership-at-write"),
    "rule without sign": bad("%% @rule ‸ownership-at-write", "with a sign", "-name"),
    "feature": bad("%% @feature S -‸turn-reopen", "unknown feature", "turn-reopen-v1"),
    "invariant": bad("%% @violates ‸all-good", "unknown invariant", "no-false-progress"),
    "seed": bad("%% @seed ‸-1", "no whole number"),
    "seed twice": bad("%% @seed 1\n%% ‸@seed 2", "twice"),
    "late seed": bad("D->>S: hello\n%% ‸@seed 2", "belongs in the head"),
    "latency ends": bad("%% @latency D->‸Z 3s", "no lifeline", "D"),
    "latency range": bad("%% @latency D->S ‸3s..1s", "starts above"),
    "unbound name": bad("U->>IM: ‸press A1", "bound by no arrow"),
    "unbound name in a directive": bad("%% ‸@final R2 OK", "bound by no arrow", "R1",
                                       "D->>S: turn.end (requestId=R1)"),
    "name of two kinds": bad(
        "D->>S: interaction.request (requestId=R1, ‸interactionId=R1)", "is a request"
    ),
    "name bound twice": bad("D->>S: turn.reopen (requestId=R1, ‸reopenOf=R1)", "bound twice"),
    "no rounds": bad("loop ‸0 times\nend", "1 to 10000", "loop 3 times"),
    "pending creation": bad("create participant ‸T", "not followed by an arrow"),
}  # fmt: skip
