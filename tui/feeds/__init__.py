"""Threads and drivers: where runs come from. Nothing else of the UI knows either."""
