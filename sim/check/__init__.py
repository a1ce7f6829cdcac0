"""Judging frames that somebody else has recorded, or that pass by.

``judge``      frames in, findings out: trace events and the invariants that need no more
``protocols``  what the judge must know of each protocol
"""
