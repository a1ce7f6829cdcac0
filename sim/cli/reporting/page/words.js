// What the page says of itself, in English and Chinese. What a run says stays as it was said.

const CHINESE = {
  "in progress": "进行中", "queued": "排队中", "ok": "完成", "error": "出错", "cancelled": "已取消",
  "interrupted": "已中断", "rejected": "已拒绝", "Channels": "频道", "nothing yet": "还没有内容",
  "{} earlier messages": "更早的 {} 条消息", "(deleted)": "（已删除）", "owner": "归属", "on {}": "在 {} 上",
  "In this run nobody talks in a chat; the hosts show what stands where.": "这次运行里没有人聊天；主机面板显示各处的状态。",
  "· written by {}": "· 由 {} 写入", "on its way:": "在途：", "by {}": "由 {}",
  "only what differs": "只看不同之处", "next difference (d)": "下一处不同 (d)",
  "{} stretch{} of differences, the first at step {}": "{0} 段不同，第一段在第 {2} 步", "no difference": "没有不同",
  "At the end: {}": "结束时：{}", "a reader saw: {}": "读者看到：{}", "✗ {} at step {}": "✗ {} 在第 {} 步",
  "no invariant is broken": "没有不变量被破坏", "unpacking the run …": "正在解压运行 …",
  "This browser cannot unpack the run: it needs DecompressionStream (2023 or newer).": "此浏览器无法解压：需要 DecompressionStream（2023 年或更新）。",
  "Sequence diagram, one row per step": "时序图，每步一行", "step": "步骤", "Hosts": "主机", "· life {}": "· 第 {} 次启动",
  "is down": "已停机", "only {} believes in it": "只有 {} 认为它还在", "open": "已连接", "and {} more": "等 {} 个",
  "Connections": "连接", "none": "无", "waits for {}:": "等待 {}：", "since {} s": "已 {} 秒", "{} stored row{}": "{0} 条存储",
  "Step": "步骤", "step {} · {} s ·": "第 {} 步 · {} 秒 ·", "The event as recorded": "事件原文", "because of": "因为",
  "about": "关于", "then": "随后", "Frame": "帧", "refused: a field breaks its rule": "被拒绝：有字段违反规则",
  "every field is legal": "所有字段合法", "nobody declared this type": "没有声明过这个类型", "What {} is": "{} 是什么",
  "Request": "请求", "Reply": "答复", "Act": "动作", "Note": "记录", "Row": "存储行", "not allowed": "不允许",
  "only when the {} announced {}": "仅当 {} 宣告了 {}", "required": "必填", "optional": "可选", "or null": "或 null",
  "ignored: not declared": "被忽略：未声明", "the frame": "此帧", "missing": "缺失",
  "… {} rows left out …": "… 省略 {} 行 …", "The run: {}": "运行：{}", "The channels at the end": "结束时的频道",
  "Where the runs part": "两次运行的分歧", "The scenario": "场景", "Play (space)": "播放（空格）",
  "First step (Home)": "第一步 (Home)", "Step back (←)": "后退一步 (←)", "Next step (→)": "下一步 (→)",
  "step {}, {} seconds": "第 {} 步，{} 秒", "step {} of {} · {} s": "第 {} 步，共 {} 步 · {} 秒",
  "Run": "运行", "Compare": "对比", "State tables": "状态表", "Scenario": "场景", "→ ← or n N": "→ ← 或 n N",
  "one step on, back": "前进、后退一步", "twenty steps on, back": "前进、后退二十步", "the first, the last step": "第一步、最后一步",
  "next invariant that broke": "下一个被破坏的不变量", "next fault": "下一个故障", "next difference between the runs": "两次运行的下一处不同",
  "space": "空格", "play, pause": "播放、暂停", "filter rows: words that all must stand in a row": "过滤：同一行须含所有词",
  "every step, or those that tell the story": "所有步骤，或只看关键步骤", "panel: step, channels, hosts": "面板：步骤、频道、主机",
  "the other run": "另一次运行", "run, compare, state tables, scenario": "运行、对比、状态表、场景",
  "colours: as the system, light, dark": "配色：随系统、浅色、深色", "these keys": "这些按键",
  "step {}, {} s: {} to {}, {} {}": "第 {} 步，{} 秒：{} 到 {}，{} {}", "◐ auto": "◐ 自动", "☀ light": "☀ 浅色", "☾ dark": "☾ 深色",
  "{} invariant{} broken": "{0} 个不变量被破坏", ", as it says": "，与场景所述一致",
  "; {} line{} of the diagram did not come true": "；图中 {0} 行没有成真", "line {}": "第 {} 行", "expected": "期望", "happened": "实际",
  "@violates {}: but it held in this run": "@violates {}：但这次运行里它成立", "the choices that lead here": "通向这里的选择",
  "rule off: {}": "关闭的规则：{}", "Without it: {}": "没有它：{}", "not judged to its end: {}": "未能判定到底：{}",
  "the file was cut off in the middle of a line; the run goes on": "文件在一行中间被截断；运行其实还在继续",
  "step {}": "第 {} 步", "broken at": "被破坏于", "(this scenario shows it)": "（此场景正是展示它）", "must be": "必须",
  "what the protocol says ({})": "协议怎么说（{}）", "{} · seed {} · {} steps · {} s virtual": "{} · 种子 {} · {} 步 · 虚拟 {} 秒",
  "digest {}": "摘要 {}", "Colours (t)": "配色 (t)", "print": "打印", "Print, or save as PDF": "打印，或存为 PDF", "? keys": "? 按键",
  "Keys (?)": "按键 (?)", "filter rows  ( / )": "过滤  ( / )", "Filter rows": "过滤", "frame": "帧", "call": "调用", "person": "人",
  "link": "连接", "lost": "丢失", "fault": "故障", "every step": "所有步骤", "Keys": "按键", "Esc closes this.": "Esc 关闭。",
  "This recording does not hold a scenario.": "这份记录里没有场景。",
  "frames of this run took {} of its ways": "这次运行的帧走过其中 {} 条路", "no frame of this run asked this table": "这次运行没有帧用到此表",
  "What may happen when, by the tables that the twins consult. Bold: what this run did.": "孪生体所查的表：何时可以发生什么。粗体：这次运行做过的。",
  "Width of the panels": "面板宽度", "Panels": "面板",
};

// The address may ask for a language; else it is the reader's.
let asked = new URLSearchParams(location.hash.slice(1)).get("lang");
if (asked !== "zh" && asked !== "en") asked = null;
const chinese = (asked || navigator.language).startsWith("zh");

// t`step ${n}` is looked up as "step {}". What is filled in may be anything, and stays text.
function t(parts, ...values) {
  const english = parts.join("{}"), bare = english.trim();
  const told = chinese && Object.hasOwn(CHINESE, bare) ? english.replace(bare, () => CHINESE[bare]) : english;
  let next = 0;
  return told.replace(/\{(\d?)\}/g, (_, place) => values[place ? Number(place) : next++]);
}

// What stands in the page already.
function speak() {
  if (!chinese) return;
  document.documentElement.lang = "zh";
  for (const node of document.querySelectorAll("[data-told]")) node.textContent = t([node.textContent]);
  for (const node of document.querySelectorAll("[data-named]")) node.setAttribute("aria-label", t([node.getAttribute("aria-label")]));
}
