"""``check``: frames of logs, judged by the wire and by the rules.

``check``      the command
``options``    its options, as types
``following``  a log that still grows
``telling``    findings and verdicts, for a person
``documents``  the same as JUnit XML and SARIF, for machines
"""
