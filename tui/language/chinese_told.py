"""What the interface says of runs, in Chinese: texts with places ({}) for what varies."""

from __future__ import annotations

from collections.abc import Mapping

CHANNELS = {
    "in progress": "进行中", "queued": "排队中", "error": "错误", "cancelled": "已取消",
    "interrupted": "已中断", "rejected": "已拒绝", "waiting": "等待中", "lost": "丢失",
    "owner gen {} ({}) open": "归属 第 {} 代（{}） 活动", "owner gen {} ({}) ended": "归属 第 {} 代（{}） 已结束",
    "owner gen {} ({}) torn": "归属 第 {} 代（{}） 已断", "owner gen {} ({}) superseded": "归属 第 {} 代（{}） 已被取代",
    "{}  slack  thread": "{}  slack  线程", "{}  telegram  chat": "{}  telegram  聊天", "{}  x  posts": "{}  x  帖子",
    "owner gen {} ({}){}": "归属 第 {} 代（{}）{}", "owner gen {}": "归属 第 {} 代", "wrote gen {}": "写入 第 {} 代",
    "{} gen {}": "{} 第 {} 代", "edited {}": "编辑于 {}", "history {}": "历史 {}",
    "[opens a reply to itself]": "[强制回复]", "toast": "弹窗", "buttons {}": "按钮 {}",
    "refused: {}{}": "被拒绝：{}{}", ", retry at T+{}s": "，T+{} 秒时重试",
    "no edits here: a new state is a new post": "此处不能编辑：新状态就是新帖子",
    "post in flight  {}": "帖子在途  {}", "telegram  chat": "telegram  聊天",
    "{} channels, one run": "{} 个频道，同一次运行", "no person is on this channel": "此频道没有用户",
    "reading the run: {}": "正在读取运行：{}",
}  # fmt: skip

FRAMES = {
    "#       T+  link          d  type                size  state": "#       T+  连接          d  类型                大小  状态",
    "(refused dial)": "（拨号被拒）", "(closed {})": "（关闭 {}）", "arrived {}x": "到达 {} 次",
    "refused: {}": "被拒绝：{}", "{}{} of {} shown": "显示 {}{}，共 {}", "step {} ≠ step {}": "第 {} 步 ≠ 第 {} 步",
    "@marked {}  F follow": "@marked {}  F 跟随", "{} fields are equal": "{} 个字段相同", "no frame": "没有帧",
    "folding to this step …": "正在推演到这一步 …", "enter: {}": "回车：{}",
    "same request {}: {}": "同一请求 {}：{}",
    "→ to the server   ← to the desktop   · connection   * marked": "→ 发往服务器   ← 发往桌面   · 连接   * 已标记",
    "→ to the {}   ← from it   ? over HTTP   · connection   * marked": "→ 发往 {}   ← 来自它   ? 经由 HTTP   · 连接   * 已标记",
    "under way": "进行中", "no answer": "无应答", "no table says when this may be asked": "没有状态表说明何时可以这样请求",
    "only when the {} announced {}": "仅当 {} 宣告了 {}", "or null": "或 null", "is no object": "不是对象",
    "! missing": "! 缺失", "unknown": "未知", "not allowed": "不允许", "no declaration of this type": "没有此类型的声明",
    "unknown message type": "未知的消息类型", "{} protocol, {}": "{} 协议，{}",
    "refused: bad field, the link stays up": "拒绝：字段有误，连接保留",
    "(not there)": "（没有）",
}  # fmt: skip

STEPS = {
    "at step {}": "第 {} 步", "{} steps, {} s": "{} 步，{} 秒", "step {}  {}": "第 {} 步  {}", "step {}": "第 {} 步",
    "message {}": "消息 {}", "line {}: {}": "第 {} 行：{}", "asks": "请求", "refused": "被拒绝", "key": "键",
    "timer": "定时器", "? cannot be judged: {}": "? 无法判定：{}", "{} lines of the diagram fail": "时序图中有 {} 行不成立", "1 line of the diagram fails": "时序图中有 1 行不成立", "! {} lines of the diagram fail": "! 时序图中有 {} 行不成立",
    "! 1 line of the diagram fails": "! 时序图中有 1 行不成立",
    "= {} hold": "= {} 条成立", "= {} others hold": "= 其余 {} 条成立", "? not judged yet": "? 尚未判定", "done": "完成", "step": "步骤",
    "cause: step {}": "原因：第 {} 步", "{} lanes  {} steps": "{} 条泳道  {} 步", "{} broken": "{} 条被破坏",
    "h hello  e turn end  x fault  ! finding      causes of step {}: {}": "h hello  e 轮次结束  x 故障  ! 发现      第 {} 步的原因：{}",
    "no steps": "没有步骤", "read {}": "已读 {}", "{} of step {}: {}": "{}，第 {} 步：{}",
    "{} at step {}": "{}，第 {} 步", "the trace has no steps yet": "轨迹还没有步骤",
    "a step (17), a time (T+4.2), a frame's id (D-17) or a choice (cut …)": "步骤（17）、时间（T+4.2）、帧 id（D-17）或选择（cut …）",
    "playing stops where the filter matches": "播放到匹配处停下", "playing runs on": "播放不停", "following the end": "正在跟随末尾",
    "not following": "不再跟随", "none": "无", "consequences": "后果",
    "the run has steps 0 to {}": "此运行有第 0 到 {} 步",
    "{} is no step, no time, no frame's id and no fault of this run": "{} 不是此运行的步骤、时间、帧 id 或故障",
}  # fmt: skip

HOSTS = {
    "up": "运行", "down": "停机", "both": "全部", "volatile": "易失", "empty": "空",
    "{}   epoch {}   {}": "{}   第 {} 世   {}", "{}.{}  asked at step {}, {} s ago": "{}.{}  请求于第 {} 步，{} 秒前",
    "in flight > {}  < {}": "在途 > {}  < {}", "{}  gone": "{}  已消失", "receipt {}": "回执 {}",
    "half closed": "半关闭", "nothing changed": "没有变化", "changed since step {}": "自第 {} 步以来的变化",
    "+ new   ~ changed   - gone      v: {}": "+ 新   ~ 变   - 无      v：{}", "retry on {}": "{} 上重试",
}  # fmt: skip

BRANCHES = {
    "{}   {} steps   {}": "{}   {} 步   {}", "{} findings": "{} 个发现", "1 finding": "1 个发现", "step {}: {}": "第 {} 步：{}",
    "without {}": "关闭 {}", "all rules": "全部规则", "no difference": "没有差异", "first difference at step {}": "第一处差异在第 {} 步",
    "! {} at step {}": "! {}，第 {} 步", "seen: {}": "看到过：{}", "open {}": "打开 {}", "against {}": "对比 {}",
    "it happens next by itself": "它本来就是下一个", "{} s after what is due first: nothing waits that long": "比最早到期者晚 {} 秒：没有什么会等那么久",
    "it is not open": "它没有打开", "it is not silent": "它没有静默", "it is down": "它已停机", "it is up": "它在运行", "is held already": "已被扣住",
    "nothing is held": "没有被扣住的", "it is a copy": "它是副本", "at random from step {}, seed {}": "从第 {} 步起随机，种子 {}",
    "says hello": "说 hello", "says /stop": "说 /stop", "says /new": "说 /new", "rate-limit the next call 5 s": "下一次调用限流 5 秒",
    "refuse the next edit": "拒绝下一次编辑", "slow down 5 s": "变慢 5 秒", "lose the next answer": "丢失下一次应答", "down 60 s": "停机 60 秒",
    "{}  rate-limit the next call 5 s": "{}  下一次调用限流 5 秒", "{}  refuse the next edit": "{}  拒绝下一次编辑",
    "{}  slow down 5 s": "{}  变慢 5 秒", "{}  lose the next answer": "{}  丢失下一次应答", "{}  down 60 s": "{}  停机 60 秒",
    "{}  types a text": "{}  输入文字", "types a text": "输入文字", "before {} that are due earlier": "先于 {} 个更早到期者", "{} first": "{} 提前", "seed {}": "种子 {}",
    "person": "用户", "host": "主机", "channel": "频道", "next": "下一个", "then": "之后", "press": "按", "write": "写",
    "not possible: {}": "不可用：{}", "type to filter": "输入以过滤", "pane": "窗格",
    "fault at step {} - makes a branch, the run is kept": "第 {} 步的故障：产生分支，原运行保留",
    "a file that hooktwin run takes; it gives the same digest": "hooktwin run 可以重跑的文件，摘要相同",
    "what happened at one moment in another order cannot be written beside your deeds": "同一时刻的另一种顺序无法与你的操作写在一起",
    "it never came to rest, and its copy waits longer at the end": "它从未静止，副本在末尾会等得更久",
    "the name must end with .mmd": "名字必须以 .mmd 结尾", "there is no folder {}": "没有文件夹 {}", "{} is there already": "{} 已存在",
    "{} …  esc cancels": "{} …  esc 取消", "{} …  {} steps   esc cancels": "{} …  {} 步   esc 取消",
    "running with {}": "正在运行：{}", "running with all rules": "以全部规则运行", "running without {}": "正在关闭 {} 运行",
    "checking {}": "正在检查 {}", "playing {}": "正在播放 {}",
    "this trace has no scenario to run again: it can only be looked at": "此轨迹没有可重跑的场景：只能查看",
    "branch: {}   ^b lists all runs, s saves this one": "分支：{}   ^b 列出所有运行，s 保存此运行",
    "compared with {}": "已与 {} 对比", "wrote {}   run it with: hooktwin run {}": "已写入 {}   重跑：hooktwin run {}",
    "wrote {}, but it gives another digest: {}": "已写入 {}，但摘要不同：{}", "{} presses {} on {}": "{0} 在 {2} 上按 {1}",
    "{} presses {}": "{} 按 {}", "{} says yes": "{} 说 yes", "{} says {}": "{} 说 {}",
    "{} sends an edited frame": "{} 发送编辑过的帧", "answer as {}": "以 {} 的身份回答", "write as {}": "以 {} 的身份发言",
    "what {} writes to the bot on {}": "{} 在 {} 上对机器人说的话", "edit and resend from {}": "编辑后从 {} 重发",
    "JSON of the frame": "帧的 JSON", "a frame is a JSON object": "帧是一个 JSON 对象", "no JSON: {}": "不是 JSON：{}",
    "only a puppet's frame can be edited and sent again: twins send their own": "只有木偶的帧可以编辑重发：孪生体只发自己的",
    "wrote {} and {}": "已写入 {} 和 {}", "copied {} characters": "已复制 {} 个字符", "cannot write the picture: {}": "无法写入图片：{}",
}  # fmt: skip

EXPLORE = {
    "what the scenario's @faults allows": "场景的 @faults 所允许的", "no faults, only orders and timings": "没有故障，只有顺序和时间",
    "{} choices": "{} 个选择", "{} choices, shrunk": "{} 个选择，已缩小", "everything bounded was tried": "界限内的都试过了", "budget used up": "预算已用完",
    "chance that the run still fails, left to chance from each step on": "从每一步起听凭随机，运行仍失败的概率",
    "{}breaks": "{}破坏处", "shrinking {} …": "正在缩小 {} …", "this trace has no scenario: it cannot be searched": "此轨迹没有场景：无法搜索",
    "token {}": "令牌 {}", "which rows of the transition tables a search goes through": "搜索走过状态表的哪些行",
    "the timed run, with named changes": "按时间的运行，加上有名字的改变", "minimal: each choice is needed": "已最小：每个选择都需要",
    "open a finding: the curve says where it was decided": "打开一个发现：曲线说明在哪里成定局", "from": "起点", "step {} on": "第 {} 步起",
    "{} about {}, {} endings left": "{} 约 {}，还剩 {} 个结局", "{} new situations in the last {}": "最近 {1} 次有 {0} 个新情形",
    "no estimate yet": "尚无估计", "{} of {} caught{}{}": "{1} 个中发现 {0} 个{2}{3}", "{} not yet": "{} 个尚未", "survive: {}": "未被发现：{}",
    "exercised {}x": "检验 {} 次", "table rows": "表行", "never seen": "从未走过", "not met": "未遇到", "broken at step {}": "在第 {} 步被破坏",
    "caught in {}": "在 {} 中被发现", "holds in this run, broken in the search": "此运行中成立，搜索中被破坏", "holds": "成立",
    "nothing covered yet: start a search with enter": "尚无覆盖：按回车开始搜索", "survives {}": "未被发现 {}", "not yet, {} storms": "尚未，{} 次风暴",
    "never exercised in this run": "此运行中从未检验", "asked at every step and at the end": "每一步和结束时检验", "asked at the end": "结束时检验",
    "asked at every step": "每一步检验", "coverage": "覆盖", "running": "运行中",
}  # fmt: skip

LESSON = {
    "{}: no lesson: @lesson is missing": "{}：不是课程，缺少 @lesson",
    "lesson {} of {}  {}": "第 {} 课，共 {} 课  {}",
    "dispatch": "派发", "ack": "确认", "generation": "代", "close-out": "收尾", "rule": "规则", "the {} screen": "{}界面",
}  # fmt: skip

START = {
    "there is no file {}": "没有文件 {}", "scenarios  {}": "场景  {}", "written by hooktwin run SCENARIO --trace FILE": "由 hooktwin run SCENARIO --trace FILE 写出",
    "a name": "名字", "no files here: this screen is served to others": "此处不能打开文件：界面正供他人使用",
}  # fmt: skip

LIVE = {
    "This session is going on: f, b, x, a and buttons branch nothing, they act on it at once. "
    "F follows its end; a step back stays where it is.":
    "此会话仍在进行：f、b、x、a 和按钮不产生分支，而是立即作用于它。F 跟随末尾；后退一步就停在那里。",
    "live session": "进行中的会话", "watch a running session, and act on it": "观看进行中的会话并操作它",
    "the control address that hooktwin serve prints: http://HOST:PORT": "hooktwin serve 打印的控制地址：http://HOST:PORT",
    "{}: give the control address that hooktwin serve prints, such as {}": "{}：请给出 hooktwin serve 打印的控制地址，例如 {}",
    "leave the running session?": "离开进行中的会话？", "leave it": "离开", "stay": "留下",
    "hooktwin serve --tui ends with its terminal UI": "hooktwin serve --tui 随其终端界面一起结束", "sleep {} 60 s": "让 {} 睡眠 60 秒", "done to the running session at once": "立即作用于进行中的会话",
    "enter do it   esc cancel": "回车执行   esc 取消",
    "{}: done, {}   F follows": "{}：已执行，{}   F 跟随", "from step {} on": "自第 {} 步起", "it waits": "等待中", "{}: refused: {}": "{}：被拒绝：{}", "{}; possible: {}": "{}；可用：{}",
    "an outside program: its person does that there": "外部程序：由那里的人来做",
    "{}: an outside program: its person does that there": "{}：外部程序：由那里的人来做",
    "lose the next one": "丢失下一个", "duplicate the next one": "重复下一个", "delay the next one 2 s": "延迟下一个 2 秒",
    "let all pass again": "全部重新放行", "refuse the next dial on {}": "拒绝 {} 上的下一次拨号",
    "{}  lose the next one": "{}  丢失下一个", "{}  duplicate the next one": "{}  重复下一个",
    "{}  delay the next one 2 s": "{}  延迟下一个 2 秒", "{}  let all pass again": "{}  全部重新放行",
    "{}  refuse the next dial on {}": "{}  拒绝 {} 上的下一次拨号", "{} says {} on {}": "{0} 在 {2} 上说 {1}",
    "{}  says {} on {}": "{0}  在 {2} 上说 {1}", "{} presses a button on {}": "{} 在 {} 上按一个按钮",
    "{}  presses a button on {}": "{}  在 {} 上按一个按钮", "says {} on {}": "在 {1} 上说 {0}",
    "presses a button on {}": "在 {} 上按一个按钮",
}  # fmt: skip

OFFERS = {
    "retry": "重试", "queries the tabs": "查询标签页", "opens a tab": "打开标签页", "disconnects": "断开连接", "connects": "连接",
    "dials anew": "重新拨号", "stops pinging": "不再发 ping", "slows down 2 s": "变慢 2 秒",
    "fails the next command": "让下一个命令失败", "never ends the next command": "下一个命令永不结束",
    "an agent asks": "智能体提问", "an agent of another session asks": "另一会话的智能体提问",
    "an agent runs another tool": "智能体运行别的工具", "a lock is left behind": "留下一把锁",
    "the next write stops half-way": "下一次写入中途停止", "the file is garbage": "文件是乱码",
}  # fmt: skip
"""What people and programs can be made to do, behind the name of who does it."""

TOLD: Mapping[str, str] = {
    **LIVE, **CHANNELS, **FRAMES, **STEPS, **HOSTS, **BRANCHES, **EXPLORE, **LESSON, **START,
    **{f"{{}}  {text}": f"{{}}  {told}" for text, told in OFFERS.items()},
}  # fmt: skip
