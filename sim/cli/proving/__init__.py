"""Proving that the watchers of the rules can fail: storms, lessons, and the report of it.

``storm``      a world in bad weather, from one seed
``mutants``    storms with a mutant in them, until its invariant speaks up
"""
