"""What this process and its children use of the machine, read from /proc as proc(5) describes it."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec

__all__ = ["Usage", "used"]

PROCESSES = Path("/proc")


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Resident memory in bytes and processor time in seconds since the start; what cannot be read counts as 0."""

    memory_bytes: int = 0
    children_bytes: int = 0
    cpu_s: float = 0.0
    """Of the process and of its children that live."""


def used() -> Usage:
    """What is used now; blocks for a fraction of a millisecond."""
    own_bytes, own_s = _of("self")
    rest = [_of(child) for child in _children()]
    return Usage(
        memory_bytes=own_bytes,
        children_bytes=sum(memory for memory, _ in rest),
        cpu_s=own_s + sum(seconds for _, seconds in rest),
    )


def _children() -> list[str]:
    """The ids of this process's children, whichever thread has started them."""
    found: list[str] = []
    try:
        for thread in (PROCESSES / "self" / "task").iterdir():
            found += (thread / "children").read_text(encoding="ascii").split()
    except OSError:  # a kernel without this list, or a thread that has ended meanwhile
        return found
    return found


def _of(process: str) -> tuple[int, float]:
    folder = PROCESSES / process
    try:
        pages = int((folder / "statm").read_text(encoding="ascii").split()[1])
        # Behind the name, which may hold anything: state, parent …; the 12th and 13th are user and system time.
        fields = (folder / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return 0, 0.0
    ticks = int(fields[11]) + int(fields[12])
    return pages * os.sysconf("SC_PAGE_SIZE"), ticks / os.sysconf("SC_CLK_TCK")
