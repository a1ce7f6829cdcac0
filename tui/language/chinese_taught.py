"""What lessons and quizzes say, in Chinese."""

from __future__ import annotations

from collections.abc import Mapping

TAUGHT: Mapping[str, str] = {
    # The screen with the lessons.
    "Predict": "先预测", "Run": "运行", "Break it": "弄坏它", "Fix it": "修好它",
    "Say why": "说出原因", "tried": "试过", "the run says so too": "运行也是这样说",
    "the run says otherwise": "运行说的不一样",
    "first say what you think will happen: a": "先说你认为会发生什么：a",
    "you cannot spoil anything: N goes back, R begins the lesson again": "什么都不会弄坏：N 后退，R 重新开始本课",
    "x shows what you may try; then go to the end, or to where it breaks": "x 列出可以尝试的；然后走到末尾，或走到出错处",
    "x shows what may mend it; then go to the end: $": "x 列出可能的修法；然后走到末尾：$",
    "a asks you why": "a 问你原因", "now let the run tell: n steps on": "现在让运行来说：n 往下走",
    "a scenario of your own": "你自己的场景", "the path of its file": "文件的路径",
    "part {n} of {m}": "第 {n} 部分，共 {m} 部分",
    "Lessons for newcomers. Read, predict with a what will happen, step with n until the run has "
    "shown it, break it and mend it with x, and say why with a. A goal is ticked when it holds in "
    "the run. You cannot spoil anything: N goes back, R begins again, l goes to the next lesson.":
    "给新人的课程。先读，按 a 预测会发生什么，按 n 一步步走到运行显示出来，按 x 弄坏它、再修好它，"
    "最后按 a 说出原因。目标在运行中成立时打勾。什么都不会弄坏：N 后退，R 重来，l 进入下一课。",
    # hooktwin learn.
    "part {n} of {m}: {title}": "第 {n} 部分，共 {m} 部分：{title}",
    "enter steps on, ? tells all keys": "回车往下走，? 列出所有按键",
    "x shows what you may try": "x 列出可以尝试的",
    "enter": "回车", "one step on (n, too)": "下一步（n 也行）", "one step back": "上一步",
    "step on until the next goal holds": "一直走到下一个目标成立",
    "on to the next fault or finding": "走到下一个故障或发现", "to the end of the run": "到运行末尾",
    "do to the run what the lesson is about": "按课程要求操作这次运行",
    "search for a schedule that breaks": "搜索会出错的调度", "a hint": "提示",
    "read it again": "再读一遍", "begin the lesson again": "重新开始本课", "these keys": "这些按键",
    "leave": "离开", "we shall see: the run will tell": "走着瞧：运行会告诉我们",
    "not quite: look again (h gives a hint)": "不太对：再看看（h 给提示）",
    "you predicted it: the run says so too": "你猜对了：运行也是这样说",
    "you predicted something else; the run says:": "你猜的不一样；运行说：",
    "the run is over: N goes back, R begins the lesson again": "运行结束：N 后退，R 重新开始本课",
    "it holds: nothing broke": "成立：什么都没坏",
    "it breaks: {invariant}: {text}": "出错：{invariant}：{text}",
    "line {line}: {told}": "第 {line} 行：{told}",
    "searching other schedules; Ctrl-C ends it": "正在搜索别的调度；Ctrl-C 结束",
    "the search found nothing": "搜索没有发现什么",
    "lesson finished: {title}": "本课完成：{title}",
    "I do not know {word}; here: {known}": "不认识 {word}；这里可以：{known}",
    "Lessons: hooktwin learn NUMBER, or choose one in hooktwin tui":
    "课程：hooktwin learn 编号，或在 hooktwin tui 里选",
    "left: {n} of {m} parts done": "离开：{m} 部分中完成了 {n} 部分",
    "next: hooktwin learn {number}  {title}": "下一课：hooktwin learn {number}  {title}",
    # hooktwin quiz.
    "nothing that anybody else could see": "别人看不到的事，或什么也不做",
    "it arrives, once": "到达，一次", "it never arrives": "永远不到", "it arrives twice": "到达两次",
    "a reset drops what is under way": "重置会丢掉在途的一切",
    "a connection that ends with fin delivers what was sent": "以 fin 结束的连接会送完已发的",
    "the wire is dead and nobody is told: what was sent goes nowhere": "线断了却没人知道：发出的不知去向",
    "one frame was lost; the connection stays": "丢了一帧；连接还在",
    "one frame arrives twice": "一帧到达两次",
    "it sends {to}: {what}": "它发给 {to}：{what}", "it asks {to}: {what}": "它请求 {to}：{what}",
    "{what} from {source} arrives at {target}": "{source} 的 {what} 到达 {target}",
    "What does {host} do about it at once?": "{host} 随即做什么？",
    "Which of these cannot be the next to arrive?": "下面哪一个不可能是接下来到达的？",
    "a WebSocket keeps the order: it is behind another frame": "WebSocket 保持次序：它排在另一帧后面",
    "it has not been sent yet: something else must arrive first": "它还没有发出：先要有别的到达",
    "under way since step {step}: {what}": "从第 {step} 步起在途：{what}",
    "What becomes of {what}, which {source} sent at step {step}?": "{source} 在第 {step} 步发出的 {what} 会怎样？",
    "Which promise is broken here?": "这里破坏了哪一条承诺？",
    "What will a reader of the channel see because of it?": "频道的读者因此会看到什么？",
    "{source} hears from {target} about its {what}": "{source} 收到 {target} 对 {what} 的回答",
    "not right": "不对", "The key": "答案", "question {n} of {m}": "第 {n} 题，共 {m} 题",
    "this run shows {ids}; hooktwin explain tells each": "这次运行展示 {ids}；hooktwin explain 逐条说明",
    "{right} of {asked} right": "{asked} 题中答对 {right} 题",
    "the input has ended": "输入已结束",
    "this run is too short to ask about": "这次运行太短，没有可问的",
}  # fmt: skip
