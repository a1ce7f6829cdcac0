"""The bell protocol: a guest knocks, and the door answers."""
