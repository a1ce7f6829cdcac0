"""What controllers and nodes have in common: a socket to a relay, and keeping it.

``plan`` what they are told, ``actor`` the session: dial, hello, auth, pings, and again;
``acting`` what both can be directed to do; ``entrance`` frames on their way in and out.
"""
