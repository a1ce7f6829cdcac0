"""What a node keeps: the outcomes of commands that must not run twice."""
