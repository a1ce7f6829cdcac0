"""Accounts and settings on the server: bindings, preferences, behaviour, tools, groups.

Start with ``books``: which frame goes where, and when. Every book follows one
discipline: what is decided is put into memory and stored in one step, without
a gap between; what is told is read from memory at the moment of sending. So
whatever was sent last is never older than what was sent before (RC-89 … RC-91),
and a crash behind any write loses an answer at most, never a decision.
"""
