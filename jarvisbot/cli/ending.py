"""How a command ends: its exit code, and an output that may be gone by then."""

from __future__ import annotations

import os
import sys

__all__ = ["FAILED", "GOOD", "INTERRUPTED", "MISSING", "USAGE", "let_go_of_output"]

GOOD, FAILED, USAGE, MISSING, INTERRUPTED = 0, 1, 2, 3, 130


def let_go_of_output() -> None:
    """What the output does not take would fail once more when Python ends, in Python's words and with its code 120."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
