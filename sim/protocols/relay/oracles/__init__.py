"""The oracles of the relay protocol, by what they watch.

``envelope``   forms and families of frames
``ingress``    what a relay refuses before it acts
``sessions``   hello, auth, refresh, ping, silence
``gates``      what bars a command: busy and locked tabs, limits, nonces, ids
``routing``    where commands go, and their answers and progress
``queueing``   order within a tab, budgets
``losses``     what ends with a node or a controller, and the cleanup of tabs
``locks``      locks and leases
``cancels``    command_cancel
``listening``  subscriptions, updates, streams of tests
``nodes``      what nodes make of commands
``intercepts`` network.http_intercept
``controllers`` what controllers ask for, and take for an answer
``beliefs``    what controllers believe to hold and to hear
``programs``   how programs come back, and name what they want

They judge what was sent, as folded by the view. What a relay must do about a frame is
judged by what stood in its way when it arrived, for a relay handles one input at a time.
"""
