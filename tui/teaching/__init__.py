"""Lessons and quizzes: what is taught, whether it has been brought about, what is asked.

``shelf`` has the lessons, ``goals`` ask a run, ``progress`` knows how far somebody is;
``learn`` teaches in a terminal or a pipe, ``screens/lesson`` in the terminal UI.
``questions`` makes the questions of a quiz out of a trace, ``quiz`` asks them.
Nothing here draws.
"""
