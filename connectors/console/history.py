"""What was typed, kept in a file for the person alone."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from prompt_toolkit.history import History

__all__ = ["TypedHistory"]

LARGEST_BYTES = 512 * 1024
"""A file that has grown beyond this is cut to its newest half at the next start."""


class TypedHistory(History):
    """Entries of a file, each line of one behind "+", a blank line between two. A file that cannot be used costs nothing
    but the memory of what was typed: the talk goes on.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def load_history_strings(self) -> Iterable[str]:
        """See `History`: the newest first."""
        entries: list[str] = []
        lines: list[str] = []
        for line in [*self._read().split("\n"), ""]:
            if line.startswith("+"):
                lines.append(line[1:])
            elif lines:
                entries.append("\n".join(lines))
                lines = []
        return reversed(entries)

    def _read(self) -> str:
        with contextlib.suppress(OSError), os.fdopen(self._open(os.O_RDWR), "r+b") as file:
            kept = file.read()
            if len(kept) > LARGEST_BYTES:
                kept = kept[-LARGEST_BYTES // 2 :].partition(b"\n\n")[2]
                file.seek(0)
                file.write(kept)
                file.truncate()
            return kept.decode("utf-8", "replace")
        return ""

    def store_string(self, string: str) -> None:
        """See `History`."""
        entry = "".join(f"+{line}\n" for line in string.split("\n"))
        with contextlib.suppress(OSError), os.fdopen(self._open(os.O_WRONLY | os.O_APPEND), "ab") as file:
            file.write(f"{entry}\n".encode("utf-8", "replace"))

    def _open(self, flags: int) -> int:
        """The file, 0600. A link or anything else that somebody put in its place is left alone: OSError."""
        flags |= os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(self._path, flags, 0o600)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(errno.EINVAL, "not a file")
            os.fchmod(descriptor, 0o600)
        except OSError:
            os.close(descriptor)
            raise
        return descriptor
