"""``hooktwin relay …``: what the relay protocol offers to a client, as thin commands.

``group``   the commands in one group
``extract`` extract-content; ``server`` the same as a tool for agents (MCP)
``twin``    relay, node and controller in a world of their own
``remote``  a controller of ours at somebody else's relay; ``address`` where that is
``source``  which of both, as the options say
"""
