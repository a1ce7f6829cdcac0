"""Diagrams that must run: each is parsed by us and by Mermaid's own parser."""

from __future__ import annotations

from tests.scenario.words import between

ARROWS = ("->>", "-->>", "->", "-->", "-)", "--)", "-x", "--x")

ACCEPTED: dict[str, str] = {
    "every kind of arrow": between(*(f"D{sign}S: turn.progress (text)" for sign in ARROWS)),
    "blanks around arrows": between("D  ->>  S  :  hello", "\tD->>S:hello  "),
    "activation signs": between("D->>+S: hello", "S-->>-D: welcome", "activate D", "deactivate D"),
    "quoted commas and signs": between('D->>S: turn.end (ok, finalText="a, (b) = ~ \\" }")'),
    "json values": between('D->>S: hello (workspaces=["chat","a b"], features=[])'),
    "nested fields": between("D->>S: turn.end (usage.durationMs=null, usage)"),
    "list positions": between("S->>D: bind.state (bindings[0].teamId=T1)"),
    "contains": between('D->>S: turn.progress (text~"half")'),
    "full-width signs in texts": between("D->>S: turn.progress (渲染，（快照）：一)"),
    "english remark": between("D->>S: turn.progress (a rendered snapshot)"),
    "empty brackets": between("D->>S: hello ()", "D->>S: hello( workspaces )"),
    "acts in a channel": between(
        'U->>IM: message "你好, bot"',
        "S->>D: task.dispatch (requestId=R1)",
        "D->>S: interaction.request (requestId=R1, interactionId=A1)",
        'U->>IM: reply "again"',
        'U->>IM: reply R1 "again"',
        'IM->>S: group "lunch?"',
        "IM->>S: press A1",
        "IM->>S: press Allow once",
        "U->>IM: /stop",
        "U->>IM: /model opus",
        "U->>IM: authorize T1",
        "U->>IM: decline",
        "U->>IM: delete R1",
        "U->>IM: 用户 @bot 提问",
    ),
    "acts at a desktop": between(
        "U->>D: retry",
        'U->>D: type "hi"',
        "U->>D: answer yes",
        "U->>D: quit",
        "U->>D: start",
        "U->>D: login bob",
        "U->>D: workspaces chat, repo",
        "U->>D: clicks on the banner",
    ),
    "calls and local acts": between(
        "S->>IM: post", "S-->>IM: edit", "S->>IM: card", "S->>IM: react", "S->>IM: 回帖最终结果",
        "D->>D: think 2s", "D->>D: retry", "D->>D: quit", "D->>D: 读取文件", "IM->>U: shows it",
    ),
    "all blocks": between(
        "par one", "D->>S: hello", "and two", "S->>D: welcome", "and", "end",
        "alt good", "D->>S: turn.end (ok)", "else bad", "D->>S: turn.end (error)", "end",
        "opt maybe", "D->>S: turn.progress", "end",
        "loop 3 times", "D->>S: turn.progress", "end", "loop until done", "S->>D: ping", "end",
        "critical stored", "S->>D: ping", "option disk full", "S->>D: pong", "end",
        "rect rgb(200, 220, 240)", "D->>S: pong", "end", "break on error", "D->>S: pong", "end",
    ),
    "empty blocks": between("par", "and", "end", "alt", "end", "loop", "end", "critical", "end"),
    "any case of keywords": "sequenceDiagram\nPARTICIPANT D AS desktop\nLoop\nD->>S: hello\nEND\n"
    "NOTE OVER D: x\nActivate D\nDeactivate D\n",
    "boxes": "sequenceDiagram\nbox Aqua Home\nparticipant D as desktop\n%% @host D desktop\n\n"
    "%% a comment\nactor U\nend\nbox\nparticipant S\nend\nD->>S: hello\n",
    "create and destroy": "sequenceDiagram\nparticipant S\ncreate participant D as desktop\n"
    "Note over S: @after 1s\nS->>D: welcome\ndestroy D\nD-xS: hello\n",
    "decorations": between(
        "title A race", "title: A race", "autonumber", "autonumber 10", "autonumber 10 5",
        "autonumber off", "accTitle: x", "accDescr: y", "Note left of D: x", "Note right of D:",
        "Note over D,S: see @settle", 'links D: {"Home": "https://example.org"}',
        "link D: Home @ https://example.org", "U->>IM: hi %% text, no comment",
    ),
    "front matter": "---\ntitle: A race\nconfig:\n  theme: dark\n  sequence:\n    wrap: true\n---\n"
    + between("D->>S: hello"),
    "init line": '%%{init: {"theme": "dark"}}%%\n' + between("D->>S: hello"),
    "comments everywhere": "%%\n%% title\n" + between("%% a; b # c", "D->>S: hello", "%%"),
    "wrapped texts": between("D->>S:wrap: hello (workspaces)", "D->>S: nowrap:hello"),
    "directives in notes": between(
        "Note over D,S: @cut D rst", "Note right of S: @count posts <=3"
    ),
    "directives in comments": between(
        "%% @seed 7", "%% @latency D->S 20ms..80ms", "%% @latency *->telegram 3s",
        "%% @rule -ownership-at-write", "%% @feature S -turn-reopen-v1", "%%@strict", "%% @live",
        "%% @violates one-final-message", "%% @puppet D handshake pong", "%% @protocol hook",
        "D->>S: turn.end (requestId=R1, ok)", "%% @feature S +turn-reopen-v1",
        "%% @after 3s", "%% @at 10s", "%% @settle", "%% @cut D", "%% @cut D slack old silent",
        "%% @heal D", "%% @reconnect D", "%% @lose next", "%% @duplicate next",
        "%% @duplicate next after 1s", "%% @delay next 3s", "%% @hold D->S", "%% @release D->S",
        "%% @crash S", "%% @restart S", "%% @skew D -70s", "%% @sleep D 8h",
        "%% @channel edit 429 5s", "%% @channel edit not_found always", "%% @channel post unknown",
        "%% @channel * down 10m", "%% @channel edit latency 3s", '%% @expect R1 WORKING|OK "p2; #"',
        "%% @expect R1 CLOSED", "%% @final R1 OK", "%% @count posts 1", "%% @count edits R1 <=3",
        "%% @count frame D turn.delivery 0", '%% @never "evil"', "%% @open D", "%% @closed D slack",
    ),
    "ids of all sorts": "sequenceDiagram\nparticipant 桌面\nparticipant a.b-c as server\n"
    "participant _1 as Telegram\nactor ender\n桌面->>a.b-c: hello\nender->>_1: hi\n",
    "implicit lifelines": "sequenceDiagram\nD->>S: hello\nD1->>S: hello\n桌面2->>S: hello\n"
    "S->>IM: post\n",
    "only a title": "sequenceDiagram\n%% @protocol hook\ntitle nothing happens",
}  # fmt: skip
