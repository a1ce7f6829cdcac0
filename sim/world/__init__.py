"""Hosts, links, time and faults: the simulator proper. Knows no protocol.

Start with ``world.py``; ``perform.py`` says what each op means.
"""
