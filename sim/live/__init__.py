"""Live runs: sockets, real time, programs that are not ours."""
