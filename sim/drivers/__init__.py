"""Who suspends handlers: our own step kernel, Trio in virtual time, or real sockets."""
