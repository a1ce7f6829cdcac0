"""The oracles of the question bridge, by what they watch.

``hooks``      what a hook reacts to, writes, sends, and when it returns
``stores``     how the shared files are used, and what becomes of entries
``requests``   the form of the calls to OpenCode, and that there is a reason for each
``matching``   which question is answered, and with what
``trying``     how often a question is looked for, and when that ends
``closing``    one close per question, removal and edit after it, nothing before
``telling``    what people are told: successes, failures, toasts
``texts``      custom answers: prompts, and whose answer a text is
``expiry``     the TTL, and rejects
``polling``    getUpdates, offsets, handlers side by side, the lease
``logging``    what stands in the logs
``opencode``   the list, the tool's states, one close
``telegram``   what the Bot API's twin owes to its bots

They judge what was sent, shown and stored, as folded by the view.
"""
