"""The linear form (``--plain``) in Chinese: whole sentences with places for names."""

PLAIN = {
    "step {step}, {seconds} s: ": "第 {step} 步，{seconds} 秒：",
    "{source} sends {target}: {words}": "{source} 发给 {target}：{words}",
    "{source} sends again {target}: {words}": "{source} 再次发给 {target}：{words}",
    "{source} asks {target}: {words}": "{source} 请求 {target}：{words}",
    "{source} tells {target}: {words}": "{source} 答复 {target}：{words}",
    "{source} sends in vain {target}: {words}": "{source} 发给 {target}，未能送达：{words}",
    "{source} connects to {target}: {words}": "{source} 连接到 {target}：{words}",
    "{source}: {words}": "{source}：{words}",
    "fault: {words}": "故障：{words}",
    "sent at step {step}": "发送于第 {step} 步",
    "asked at step {step}": "请求于第 {step} 步",
    "{hosts} waiting": "{hosts} 在等待",
    "breaks {invariant}": "破坏了 {invariant}",
    "; ": "；",
    ", without {rules}": "，关闭规则 {rules}",
    "{protocol} run {name}, seed {seed}": "{protocol} 运行 {name}，种子 {seed}",
    "lanes: {hosts}": "泳道：{hosts}",
    "finding at step {step}: {words}": "第 {step} 步的发现：{words}",
    "{steps} steps, {findings} finding": "{steps} 步，{findings} 个发现",
    "{steps} steps, {findings} findings": "{steps} 步，{findings} 个发现",
}
"""Templates: the same names stand in braces as in the English ones."""
