"""The console: a talk in the terminal, one question from the command line, or lines from a pipe.

connector   reads a message, waits for its answer, reads the next
messages    what is shown of each answer, and what is missing of it
lines       what comes from a pipe, or from a terminal that cannot be edited on
screen      the two streams: nothing but our own styling ever reaches a terminal
prompt      the line that people type, with its keys, completion and history
history     what was typed, kept in a file
"""

from .connector import SECRETS, Console, Settings, create  # noqa: TID251  (relative: one add-on)

__all__ = ["SECRETS", "Console", "Settings", "create"]
