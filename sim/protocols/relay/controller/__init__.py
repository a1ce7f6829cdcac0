"""The controller's side of the relay protocol: the twin of a client program."""
