"""Comparing runs across processes: ``worker`` plays, ``compare`` looks on."""
