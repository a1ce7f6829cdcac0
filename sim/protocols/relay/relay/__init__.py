"""What a relay keeps: sessions, work and its queues, locks, listeners, nonces, owners of tabs.

Plain classes over explicit time in milliseconds; they send nothing and know no world.
"""
