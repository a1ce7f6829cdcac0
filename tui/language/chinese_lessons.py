"""The lessons in Chinese, by their English text."""

from __future__ import annotations

from collections.abc import Mapping

LESSONS: Mapping[str, str] = {
    "The way of a message": "一条消息的路程",
    "A person writes in a chat. The chat channel tells our server. The server gives the task to "
    "the person's desktop, where an agent works on it.": "有人在聊天里发言。频道告诉我们的服务器。"
    "服务器把任务交给这个人的桌面，由那里的代理完成。",
    "Every row is one step. An arrow ─▶ is a frame on the WebSocket between server and desktop, "
    "╌▶ is a call to the channel. Press n for the next step, N to go back.": "每行是一步。箭头 ─▶ 是"
    "服务器与桌面之间 WebSocket 上的帧，╌▶ 是对频道的调用。按 n 到下一步，N 回上一步。",
    "frame": "帧",
    "one JSON message on the WebSocket": "WebSocket 上的一条 JSON 消息",
    "the server gives a task to a desktop": "服务器把任务交给桌面",
    "the desktop says that it has it": "桌面说它收到了",
    "step to the task.dispatch": "走到 task.dispatch",
    "see the desktop's answer": "看到桌面的应答",
    "see the end of the turn": "看到这一轮结束",
    "see the message become OK": "看到消息变成 OK",
    "Who edits the message in the channel?": "频道里的消息由谁编辑？",
    "the desktop": "桌面",
    "the server": "服务器",
    "the channel by itself": "频道自己",
    "The turn.end goes from the desktop to the server. What does the server do next?": "turn.end 从桌面到"
    "服务器。服务器接着做什么？",
    "Hello and welcome": "hello 与 welcome",
    "A connection carries nothing before both sides have spoken: the desktop says hello, with all "
    "that it can do; the server answers welcome, with all that it can do.": "双方都开口之前，连接不承载任何"
    "业务：桌面先说 hello，列出它会的一切；服务器答 welcome，列出它会的一切。",
    "What neither side announced must not be used. So old and new versions can work together. "
    "Press 2 to see the frames with all their fields, 7 to come back.": "双方没有宣告的就不许用。这样新旧版本"
    "才能合作。按 2 看帧的所有字段，按 7 回来。",
    "a word that a side announces: I can do this": "一方宣告的词：我会这个",
    "the state in which a connection carries business": "连接可以承载业务的状态",
    "step to the hello": "走到 hello",
    "step to the welcome": "走到 welcome",
    "The server sends task.dispatch before its welcome. Is that legal?": "服务器在 welcome 之前发 "
    "task.dispatch，合法吗？",
    "yes, if the desktop is bound": "合法，只要桌面已绑定",
    "no, only READY carries business": "不合法，只有 READY 才承载业务",
    "Look at 'legal here?' on the Frames screen.": "看“帧”界面的“此处合法吗？”。",
    "A connection dies": "连接断了",
    "A laptop's lid closes, a tunnel has no net: connections die all the time, and nothing of the "
    "protocol may depend on the moment.": "笔记本合上了，隧道里没有网：连接随时会断，协议不能依赖断在"
    "哪一刻。",
    "Go to where the desktop works on the task and press x: it cuts the connection, as a branch. "
    "The old run is kept (^b). Watch the desktop come back: its next connection has a higher "
    "generation, and what was not confirmed is sent again.": "走到桌面正在工作的地方按 x：它切断连接，产生"
    "一个分支，原运行保留（^b）。看桌面回来：新连接的代数更高，没有确认的会重发。",
    "how many times this connection has been made: the number behind #": "这个连接建立过几次：# 后面的数字",
    "a run that you changed; the run before is kept": "你改过的运行；之前的运行保留",
    "step to the task.ack": "走到 task.ack",
    "cut the connection": "切断连接",
    "wait until the desktop is back": "等桌面回来",
    "see that the task ends all the same": "看到任务照样结束",
    "What does the server do with a task whose end it has not seen?": "服务器没有看到结束的任务，它怎么办？",
    "it gives up": "放弃",
    "it dispatches it again after the welcome": "welcome 之后重新派发",
    "it asks the person": "问用户",
    "Step on after the cut: hello, welcome, and what comes right behind it?": "切断之后继续走：hello、"
    "welcome，紧跟着是什么？",
    "The gap in an await": "await 的间隙",
    "While a program waits, the world moves.": "程序等待时，世界在动。",
    "The server asks Slack to edit the message, and waits for the answer. That wait is the dotted "
    "line ┊ on the server's lane. Nothing stops other handlers from running during the wait.": "服务器请 "
    "Slack 编辑消息，并等待应答。这段等待就是服务器泳道上的虚线 ┊。等待期间别的处理器照样运行。",
    "Here a rule is off: the server does not look again who owns the message before it writes. "
    "Step until the connection is cut while an edit is under way, and on.": "这里关了一条规则：服务器写之前"
    "不再查看消息归谁。一直走到编辑在途时连接被切断，再往后走。",
    "the time between asking and hearing back": "请求与应答之间的时间",
    "the connection that may change a message": "可以修改消息的连接",
    "the server writes 'interrupted' when a connection dies": "连接断开时服务器写入“已中断”",
    "step to a dotted line": "走到虚线处",
    "see the second connection": "看到第二个连接",
    "step to where the invariant breaks": "走到不变式被破坏处",
    "What went wrong?": "哪里出错了？",
    "Slack lost the edit": "Slack 丢了编辑",
    "the desktop connected too soon": "桌面连得太早",
    "the server wrote on behalf of a round that was not the owner any more": "服务器替一个已不再拥有消息的"
    "轮次写入",
    "Press 3: who owned the message, and who wrote it last?": "按 3：消息归谁，最后是谁写的？",
    "What the rule does": "规则的作用",
    "The same schedule as in the last lesson, with the rule on: before each write the server asks "
    "again who owns the message, at the moment in which the write is issued.": "与上一课相同的调度，但规则"
    "打开：每次写入发出的那一刻，服务器都再问一次消息归谁。",
    "Go to the end and look at the channel (3). Then press 6: both runs side by side, equal up to "
    "the moment in which the rule matters.": "走到末尾看频道（3）。再按 6：两次运行并排，直到规则起作用"
    "的那一刻都相同。",
    "a behaviour that the document demands, and that can be switched off here": "文档要求、但在这里可以"
    "关掉的行为",
    "where two runs begin to differ": "两次运行开始不同之处",
    "Is it enough to look who owns the message before one asks Slack the first time?": "第一次请求 Slack "
    "之前查看归属就够了吗？",
    "yes": "够了",
    "no: the edit may wait behind a slow one, and the owner changes meanwhile": "不够：编辑可能排在慢的"
    "后面，这期间归属会变",
    "In lesson 4 the check had been made too, only too early.": "第 4 课里也检查过，只是太早。",
}
