"""Judging frames that somebody else has recorded, or that pass by.

``judge``      frames in, findings out: trace events and the invariants that need no more
``oracles``    who is asked of which event
``finding``    what is found
``protocols``  what the judge must know of each protocol

``checking``   a log from its first line to the verdict
``reading``    which form a log has; ``lines``, ``recorded`` and ``har`` read them
``fields``     which field of a line is the frame; ``array``: a file that is one JSON array
``source``     files and streams as lines
``feed``       whose frames they are, and when: ``clock``, ``ways`` (directions), ``window``
``verdict``    one verdict for each rule

``diagram``    a log as a scenario; ``seen`` is what it is made of, ``strikes`` its faults
"""
