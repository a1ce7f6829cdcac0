"""The interface in Chinese, by its English text."""

from __future__ import annotations

from collections.abc import Mapping

from tui.language.chinese_taught import TAUGHT
from tui.language.chinese_told import TOLD

VIEWS = {
    "replay": "回放", "frames": "帧", "channels": "频道", "hosts": "主机", "explore": "探索",
    "compare": "对比", "lesson": "课程",
}  # fmt: skip

KEYS = {
    **{f"The {name} screen.": f"“{told}”界面。" for name, told in VIEWS.items()},
    "One step on.": "前进一步。",
    "One step back.": "后退一步。",
    "The next step of the same lane.": "同一泳道的下一步。",
    "The previous step of the same lane.": "同一泳道的上一步。",
    "The next finding, fault or difference.": "下一个发现、故障或差异。",
    "The previous finding, fault or difference.": "上一个发现、故障或差异。",
    "Play, or pause.": "播放或暂停。",
    "Play more slowly, down to 1/4 x.": "放慢，最慢 1/4 倍。",
    "Play faster, up to 64x.": "加快，最快 64 倍。",
    "The first step.": "第一步。",
    "The last step.": "最后一步。",
    "Go to a step, a time (T+4.2), a frame's id or a choice.": "跳到某一步、某个时间（T+4.2）、某个帧 id 或某个选择。",
    "Follow the end of a trace that is still being written.": "跟随仍在写入的轨迹的末尾。",
    "Filter the steps.": "过滤步骤。",
    "The next step that the filter lets through.": "下一个匹配的步骤。",
    "The previous step that the filter lets through.": "上一个匹配的步骤。",
    "Let playing stop where the filter matches.": "播放到匹配处停下。",
    "Branch here: do something to the run, and keep it.": "在此分支：对运行做点什么，原运行保留。",
    "The tree of runs.": "运行树。",
    "Save this run as a scenario that runs again.": "把这次运行存成可以重跑的场景。",
    "Faults that could strike now.": "此刻可能发生的故障。",
    "Light the causes of this step.": "点亮这一步的原因。",
    "Light what follows from this step.": "点亮这一步的后果。",
    "Mark this frame (@marked).": "标记此帧（@marked）。",
    "Copy this step: text, JSON, Mermaid or a command.": "复制这一步：文本、JSON、Mermaid 或命令。",
    "Edit this frame and send it again, on a branch.": "编辑此帧并在分支上重发。",
    "Compare two marked frames, field by field.": "逐字段比较两个已标记的帧。",
    "Merge or show what hosts do on their own.": "合并或显示主机内部的步骤。",
    "Show the time of each step.": "显示每一步的时间。",
    "Hide the lane of this step.": "隐藏这一步所在的泳道。",
    "Show all lanes.": "显示所有泳道。",
    "Press a button of this message, or write, as a person.": "以用户身份按消息上的按钮或发言。",
    "Go to the step at which the owner was decided.": "跳到决定归属的那一步。",
    "This step in the diagram.": "在时序图中看这一步。",
    "Only what changed since the last look.": "只看上次查看以来的变化。",
    "Durable, volatile or both: what a crash would leave.": "持久、易失或全部：崩溃后会剩下什么。",
    "The person at the desktop presses retry, on a branch.": "桌面前的人按“重试”（产生分支）。",
    "Faults that could strike this host.": "可能落在这台主机上的故障。",
    "Go to the step that wrote this.": "跳到写入此内容的步骤。",
    "Choose the rule that is switched off.": "选择要关闭的规则。",
    "Hide or show the steps that are equal.": "隐藏或显示相同的步骤。",
    "Swap the two sides.": "交换左右两边。",
    "Watch a session of hooktwin serve, and act on it.": "观看 hooktwin serve 的会话并操作它。",
    "A hint.": "提示。",
    "Do to the run what the lesson asks for.": "按课程要求操作这次运行。",
    "Answer the question of the lesson.": "回答课程的问题。",
    "Begin the lesson again.": "重新开始本课。",
    "The next lesson.": "下一课。",
    "Start a search, or open the chosen finding.": "开始搜索，或打开选中的发现。",
    "Stop the search.": "停止搜索。",
    "Search again with another seed.": "换一个种子再搜索。",
    "All invariants: exercised how often, broken where.": "所有不变式：检验了几次，在哪里被破坏。",
    "What the search has covered, in words.": "搜索已覆盖的情形。",
    "Whether known defects are noticed; pressed again, the list of them.": "已知缺陷：不变式能发现吗？（再按：列表）",
    "The next pane.": "下一个窗格。",
    "The previous pane.": "上一个窗格。",
    "Jump to a pane by its letter.": "按名字跳到窗格。",
    "Maximise this pane, and back.": "最大化此窗格，再按还原。",
    "All keys.": "所有按键。",
    "What is this screen?": "这个界面是什么？",
    "Save this screen as SVG and text.": "把此界面存为 SVG 和文本。",
    "Everything by name.": "按名字找任何操作。",
    "Close, cancel, or leave.": "关闭、取消或离开。",
    "Down.": "向下。",
    "Up.": "向上。",
    "A page down.": "下一页。",
    "A page up.": "上一页。",
    "To the top.": "到顶部。",
    "To the bottom.": "到底部。",
    "Open, unfold or go there.": "打开、展开或跳转。",
    "Open what is chosen.": "打开选中的内容。",
    "The first.": "第一个。",
    "The last.": "最后一个。",
    "Look for a name.": "按名字查找。",
    "Open a trace file.": "打开轨迹文件。",
    "Leave.": "离开。",
}

BRIEF = {
    "step": "步", "back": "后退", "next mark": "下一标记", "play": "播放", "filter": "过滤",
    "branch": "分支", "fault": "故障", "why": "原因", "mark": "标记", "copy": "复制",
    "resend": "重发", "merge": "合并", "answer": "回答", "owner": "归属", "diagram": "时序图",
    "changes": "变化", "durable": "持久", "retry": "重试", "writer": "写入者", "rules": "规则",
    "equal": "相同", "swap": "交换", "hint": "提示", "try": "尝试", "restart": "重来",
    "covered": "覆盖", "mutants": "变异", "next lesson": "下一课", "start / open": "开始/打开", "stop": "停止", "again": "再来",
    "help": "帮助", "palette": "命令面板", "open": "打开", "open trace": "打开轨迹",
    "quit": "退出", "leave": "离开", "Ctrl-C twice quits": "按两次 Ctrl-C 退出", "Ctrl-C again quits": "再按一次 Ctrl-C 退出", "also": "也可以",
}  # fmt: skip

WORDS = {
    "sequence": "时序", "invariants": "不变式", "timeline": "时间线", "rules off": "已关闭规则",
    "seed": "种子", "findings": "发现", "legal here?": "此处合法吗？",
    "frame": "帧", "event": "事件", "lane": "泳道", "cause": "原因", "gap": "间隙",
    "asked": "请求于", "sent": "发送于", "before": "之前", "after": "之后", "wrote": "写入者",
    "link": "连接", "links": "连接", "stored": "已存储", "timers": "定时器",
    "waits for": "等待", "stands at": "停在", "enabled": "可选", "history": "历史",
    "in flight": "在途", "deleted": "已删除", "verdict": "结论", "spec": "规范",
    "direction": "方向", "feature": "特性", "code": "代码", "fault menu": "故障菜单",
    "nobody has written yet": "还没有人发言", "nobody waits at this step": "此刻没有处理器在等待",
    "every field is legal": "每个字段都合法", "no invariant is broken": "没有不变式被破坏",
    "no steps yet": "还没有步骤", "not judged yet": "尚未判定", "nothing yet": "暂无",
    "bot edits allowed": "机器人可编辑", "inline keyboard": "内联键盘",
    "280 chars, no edits": "280 字符，不可编辑", "slack  thread": "slack  线程",
    "final state A": "A 的最终状态", "final state B": "B 的最终状态", "search": "搜索",
    "path of choices": "选择路径", "blame": "归因曲线", "keys": "按键", "go to": "跳到",
    "runs": "运行", "read": "阅读", "the code that is waiting": "正在等待的代码",
    "sequence  (only what this lesson needs)": "时序（只含本课所需）",
    "what shall be opened?": "要打开什么？", "lessons": "课程", "recent": "最近",
    "enter open   / look for a name   t a trace file": "回车 打开   / 查找   t 轨迹文件",
    "enter choose   esc cancel": "回车 选择   esc 取消", "enter run   esc cancel": "回车 运行   esc 取消",
    "j/k scroll   esc close": "j/k 滚动   esc 关闭", "Words": "词汇",
    "finished": "已完成", "answer the question": "回答问题", "right": "对了",
    "not quite: look again": "不太对，再看看", "screens": "界面", "time": "时间",
    "branches and faults": "分支与故障", "causes": "因果", "this step": "这一步",
    "messages": "消息", "panes": "窗格", "program": "程序", "click it": "点击它",
    "wheel": "滚轮", "click": "点击", "double click": "双击", "click its tab": "点击标签",
    "wheel on the timeline": "在时间线上滚动", "drag the knob": "拖动滑块",
    "click a mark": "点击标记", "click ▶": "点击 ▶",
    "cursor follows the timeline; moving either moves both": "光标与时间线同步移动",
    "this lesson is finished: l goes to the next one": "本课完成：按 l 进入下一课",
    "there is nothing to do here in this lesson": "本课在这里没有可做的操作",
    "first reach the goals above": "请先达成上面的目标",
    "enter start   R another seed": "回车 开始   R 换种子", "p stop": "p 停止",
    "enter shrink, then open": "回车 缩小，再打开", "not started: press enter": "尚未开始：按回车",
    "scenario": "场景", "budget": "预算", "strategy": "策略", "schedules": "调度",
    "visited": "已访问", "situations": "情形", "repeat": "重现",
    "nobody chats in this run: what its hosts hold in mind is in view 4":
        "这次运行里没有聊天；各主机记着什么，见视图 4",
    "words beside every colour: [in progress] [ok] [error] [interrupted]     ! written by one that is not the owner":
        "每种颜色旁都有文字：[进行中] [完成] [错误] [已中断]     ! 由非归属者写入",
    "both sides move together    ] next difference   = hide equal steps   \\ swap":
        "两边一起移动    ] 下一处差异   = 隐藏相同步骤   \\ 交换",
    "enter start, or open a finding   p stop   R another seed": "回车 开始或打开发现   p 停止   R 换种子",
    "r chooses a rule to switch off": "r 选择要关闭的规则",
    "no finding, fault or difference in this direction": "这个方向没有发现、故障或差异",
    "no further step of this lane": "此泳道没有更多步骤",
    "no filter yet: press / and write one": "还没有过滤器：按 / 写一个",
    "no match in this direction": "这个方向没有匹配",
    "[in progress]": "[进行中]", "[queued]": "[排队中]", "[ok]": "[完成]", "[error]": "[错误]",
    "[cancelled]": "[已取消]", "[interrupted]": "[已中断]", "[rejected]": "[已拒绝]", "[waiting]": "[等待中]",
    "still looking …": "仍在查找 …",
    "continue at random": "之后随机继续", "explore all endings": "探索所有结局",
    "a search from this step on": "从这一步开始搜索", "before its turn": "提前发生",
    "not possible: it happens next by itself": "不可用：它本来就是下一个",
    "this trace has no scenario: nothing can be done to it": "此轨迹没有场景，无法对它做任何操作",
    "cancelled; the run before is kept": "已取消；之前的运行保留",
    "choose a message with j and k first": "先用 j 和 k 选一条消息",
    "choose a row with j and k first": "先用 j 和 k 选一行",
    "mark two frames with m first": "先用 m 标记两个帧",
    "retry belongs to a desktop: choose its pane": "重试属于桌面：请选择它的窗格",
    "running with all rules …": "以全部规则运行 …", "looking …": "查找中 …",
    "nothing fits": "没有匹配", "switch a rule off": "关闭一条规则",
    "copy this step": "复制这一步", "save as scenario": "存为场景",
    "jump to a pane": "跳到窗格", "open a trace file": "打开轨迹文件",
    "= no invariant broken so far": "= 目前没有不变式被破坏",
}  # fmt: skip

ABOUT = {
    "The run as a sequence diagram. Each row is a step; the row with ▶ is where you are, what "
    "comes later is faint. │ alive, ┊ a handler waits for an answer, ─▶ a frame, ╌▶ a channel "
    "call, ╳ lost or cut, ┈▶ what went through a lane that h has hidden. n and N step, f and b "
    "change the run and keep the old one, 6 plays it without a rule.": "把运行画成时序图。每行是一步；▶ 是你所在的位置，之后的步骤变淡。│ 存活，┊ 处理器"
    "在等待应答，─▶ 帧，╌▶ 频道调用，╳ 丢失或断开，┈▶ 穿过被 h 隐藏的泳道。n 和 N 前后移动，f 和 b 改变运行并保留原来的运行，"
    "6 关闭一条规则再跑一遍。",
    "Every frame, and every request over HTTP, in order of sending. At the right each field with "
    "its verdict and, below, what the transition tables said before this step. Enter opens the "
    "frame (again: tree, raw, table, explain), / filters, m marks, D compares two marked frames, e "
    "edits one and sends it again on a branch.": "按发送顺序列出每一帧和每个 HTTP 请求。右边是每个字段及其结论，下面是状态表在这一步之前的判断。回车打开"
    "帧（再按：树、原文、表、解释），/ 过滤，m 标记，D 比较两个已标记的帧，e 编辑并在分支上重发。",
    "The chat channels as people see them at this step. Below each message of the bot: its state "
    "as a word, its id and request, who may change it (owner), on whose behalf it was written, its "
    "history, and edits that are still in flight. Buttons can be clicked: a press makes a branch; "
    "in a session that is going on it happens there, at once. a writes or presses as a person.": "此刻人们在聊天频道里看到的样子。机器人的每条消息下面：状态词、"
    "id 和请求、谁可以改它（归属）、它是替谁写的、历史，以及仍在途中的编辑。按钮可以点击：点击产生分支；会话仍在进行时，则立即在其中发生。"
    "a 以用户身份发言或按按钮。",
    "Every host from inside at this step: the connections in which it believes, the calls and "
    "lines of code that its handlers wait on, its timers, and what it has stored. v shows what a "
    "crash would leave (durable) or take (volatile); + ~ - mark what changed since the step you "
    "looked at before; w goes to the step that wrote a row.": "此刻每台主机的内部：它认为存在的连接、"
    "处理器在等待的调用和代码行、定时器、已存储的内容。v 显示崩溃会留下（持久）或带走（易失）什么；"
    "+ ~ - 标出自上次查看以来的变化；w 跳到写入该行的步骤。",
    "A search for races: other orders, other timings and added faults, judged by all invariants. "
    "enter starts it, p stops it, R takes another seed. enter on a finding shrinks it (first time) "
    "and then opens it in Replay at the step that breaks. i lists all invariants, v what was "
    "covered, u whether known defects are noticed.": "搜索竞态：别的顺序、别的时间、额外的故障，"
    "由所有不变式判定。回车开始，p 停止，R 换种子。在发现上按回车先缩小它，再在“回放”中打开它出错的那一步。i 列出所有不变式，v 列出已覆盖的情形，u 检查已知缺陷能否被发现。",
    "Two runs of the same schedule, usually with a rule off (A) and on (B). Equal steps stand "
    "beside each other; ≠ is where a stretch of differences begins. ] and [ go between them, = "
    "hides what is equal, \\ swaps the sides, r chooses another rule.": "同一调度的两次运行，通常一条规则"
    "关（A）与开（B）。相同的步骤并排；≠ 是一段差异的开始。] 和 [ 在差异间移动，= 隐藏相同部分，"
    "\\ 交换左右，r 选择别的规则。",
}

CHINESE: Mapping[str, str] = {
    **TOLD, **VIEWS, **KEYS, **BRIEF, **WORDS, **ABOUT, **TAUGHT,
}  # fmt: skip
