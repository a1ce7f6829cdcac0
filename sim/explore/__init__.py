"""The search: find, shrink, explain and replay races.

- ``schedule``    what a search tries: the timed run with named changes.
- ``trial``       one try, from the empty world to the verdict.
- ``walks``       helms that decide at random and write down what they decided.
- ``menu``        which faults may be added.
- ``track``       what happened, forgetting what does not matter; races.
- ``situations``  coverage.
"""
