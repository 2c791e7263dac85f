"""How much memory and disk this machine has left."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

__all__ = ["MARGIN_BYTES", "free_bytes", "memory_bytes", "share", "size"]

MEMORY = Path("/proc/meminfo")
MARGIN_BYTES = 64_000_000
"""What is left free on a disk, so that the database beside the models can still be written."""


def memory_bytes(facts: Path = MEMORY) -> int | None:
    """Memory that a new process could take without swapping, in bytes; None where the machine does not tell."""
    try:
        found = re.search(r"^MemAvailable:\s+(\d+) kB$", facts.read_text(encoding="ascii"), re.MULTILINE)
    except OSError:
        return None
    return int(found[1]) * 1024 if found else None


def free_bytes(folder: Path) -> int:
    """Bytes that this user may still write to the disk of `folder`, which need not exist yet. Raises OSError."""
    while not folder.exists() and folder.parent != folder:
        folder = folder.parent
    return shutil.disk_usage(folder).free


def size(count: float) -> str:
    """A number of bytes for people, in units of a thousand: `467 MB`, `1.28 GB`."""
    if count >= 999_500_000:
        return f"{count / 1e9:.2f} GB"
    if count >= 999_500:
        return f"{count / 1e6:.0f} MB"
    return f"{count / 1e3:.0f} kB" if count >= 1000 else f"{count:.0f} bytes"


def share(done: int, total: int) -> str:
    """A part of a number of bytes, in the unit of the whole: `312 of 467 MB`."""
    whole = size(total)
    number, unit = whole.split()
    scale = {"GB": 1e9, "MB": 1e6, "kB": 1e3}.get(unit, 1.0)
    digits = 2 if "." in number else 0
    return f"{done / scale:.{digits}f} of {whole}"
