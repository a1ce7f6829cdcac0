"""The oracles of the hook protocol, by what they watch.

``ownership``   who may write a channel message, and what it may say
``channel``     what people find in the channel in the end
``reopen``      what a desktop may do with ``turn.reopen``, and what a server makes of it
``tasks``       what desktops do with tasks
``sessions``    in which session, and how often
``dispatch``    what servers dispatch, where to, and again
``people``      what servers do with what people say
``cards``       interaction cards
``connection``  hello, welcome, ping, bad frames
``frames``      ids and forms of frames
``agents``      what desktops make of their agents
``lists``       lists that servers ask desktops for
``gates``       frames that both sides must have agreed to use
``answers``     questions of desktops, paired with their answers
``delivery``    what a server says of a result
``dialling``    how desktops come back, and hand their results in again
``bindings``    Slack accounts
``provider``    accounts on the provider-neutral channels
``preferences`` what runs in which folder
``behavior``    how the bot behaves on Telegram
``tools``       tools, and in whose name they act
``queries``     pickers and commands
``groups``      group talk
``lifecycle``   notices that a desktop came or went
``channels``    each channel's own manners
``waiting``     when a message may look other than it should

They judge what was sent, shown and stored, as folded by the view. A server is
held to what it provably knew: a frame that has been delivered may still wait
for its handler (in a search it often does), so what must not be written *after*
a frame is judged by the row that the server stored for it.
"""
