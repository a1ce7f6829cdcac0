"""Judging frames that somebody else has recorded, or that pass by.

``judge``      frames in, findings out: trace events and the invariants that need no more
``passing``    the short way of most frames through it; ``course``: how far it has come
``oracles``    who is asked of which event
``finding``    what is found
``protocols``  what the judge must know of each protocol

``checking``   a log from its first line to the verdict
``spoken``     which protocol its frames speak; ``wanted``: what is to be judged
``reading``    which form a log has; ``lines``, ``recorded`` and ``har`` read them
``usual``      lines of the usual form, many at once
``fields``     which field of a line is the frame; ``array``: a file that is one JSON array
``source``     files and streams as lines; ``rotated``: several files that are one log
``feed``       whose frames they are, and when: ``clock``, ``ways`` (directions), ``window``
``trace_feed`` the same for events of a trace, which say it
``verdict``    one verdict for each rule

``diagram``    a log as a scenario; ``seen`` is what it is made of, ``strikes`` its faults,
               ``drawing`` what it must know of each protocol
"""
