"""What a relay keeps: work and its queues, locks, nonces, and who owns tabs where.

Plain classes over explicit time in milliseconds; they send nothing and know no world.
"""
