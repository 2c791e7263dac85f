"""The lines of the input where they are read without editing."""

from __future__ import annotations

import io
import select
from typing import BinaryIO, Final

__all__ = ["Lines"]

CHUNK_BYTES: Final = 65_536


class Lines:
    """Lines of a stream, read below its buffer. State: what was read beyond the last line.

    A thread that waits inside a buffered reader holds its lock, and Python aborts where the program ends meanwhile
    (https://github.com/python/cpython/issues/86813): the raw stream has none.
    """

    def __init__(self, source: BinaryIO) -> None:
        self._source = source.raw if isinstance(source, io.BufferedReader) else source
        self._rest = bytearray()
        self._searched = 0

    def next(self) -> bytes:
        """The next line with its end, or what is left, or b"" at the end. Blocks. Raises what the stream raises."""
        while (end := self._rest.find(b"\n", self._searched)) < 0:
            self._searched = len(self._rest)
            if not (chunk := self._chunk()):
                end = len(self._rest) - 1
                break
            self._rest += chunk
        line = bytes(self._rest[: end + 1])
        del self._rest[: end + 1]
        self._searched = 0
        return line

    def _chunk(self) -> bytes:
        while (chunk := self._source.read(CHUNK_BYTES)) is None:  # another program has made the pipe non-blocking
            select.select([self._source], [], [])
        return chunk
