"""The process that owns the library, the model and its context; started as `python -P -m … PARENT_PID`."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

from jarvisbot.models.llamacpp.channel import Channel, Closed

PR_SET_PDEATHSIG = 1
OUT_OF_MEMORY_SCORE = "500"
"""When memory runs out, the model goes before the bot does."""


def main() -> int:
    """Runs until told to quit or the parent is gone; the exit status."""
    die_with(int(sys.argv[1]))
    channel = Channel.over_standard_streams()
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(OUT_OF_MEMORY_SCORE)
    from jarvisbot.models.llamacpp.serving import Ended, serve  # the library may print while it is imported

    with suppress(Closed, Ended):
        serve(channel)
    return 0


def die_with(parent: int) -> None:
    """Makes the kernel kill this process when `parent` dies, and ends at once if it has died already."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit(0)


if __name__ == "__main__":
    sys.exit(main())
